"""What can come of a judge's answer to an item: its name, and which rows it counts."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q
from django.utils.translation import gettext_lazy

GOLD_INCORRECT = Q(item__correct=False)
RIGHT_STEP = GOLD_INCORRECT & Q(correct=False, first_error=F("item__first_error"))
RIGHT = {  # as flips.RIGHT counts
    "verdict": Q(correct=F("item__correct")), "step": RIGHT_STEP, "reason": RIGHT_STEP & Q(reason_same=True)
}  # fmt: skip
OUTCOMES: dict[str, tuple[Any, Q]] = {
    "verdict-wrong": (gettext_lazy("wrong verdict"), ~Q(correct=F("item__correct")) | Q(correct=None)),
    "step-wrong": (gettext_lazy("error seen, wrong step"), GOLD_INCORRECT & Q(correct=False) & ~RIGHT_STEP),
    "reason-wrong": (gettext_lazy("right step, wrong reason"), RIGHT_STEP & Q(reason_same=False)),
    "reason-unresolved": (gettext_lazy("right step, reason not decided"), RIGHT_STEP & Q(reason_same=None)),
    "reason-right": (gettext_lazy("right step, right reason"), RIGHT_STEP & Q(reason_same=True)),
    "correct-right": (gettext_lazy("correct solution recognised"), Q(item__correct=True, correct=True)),
    "unparsed": (gettext_lazy("no usable answer"), Q(correct=None)),
}


def outcomes_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """What can come of the answers in this report, by key; where reasons were not compared, a right step is all."""
    names = {key: name for key, (name, _which) in OUTCOMES.items()}
    if report["reasons"]["why_null"]:
        names["reason-unresolved"] = gettext_lazy("right step")
        del names["reason-right"], names["reason-wrong"]
    return names
