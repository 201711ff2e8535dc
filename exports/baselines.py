"""Judges that know nothing: what a score must be seen against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.sentences import gettext_noop
from exports.scoring import Graded


@dataclass(frozen=True, slots=True)
class Baseline:
    """A trivial judge's answers. `steps` are the constant steps it names, 0-based, by subject; it gives no reasons."""

    name: str
    description: str
    items: tuple[Graded, ...]
    steps: Mapping[str, int]


def baselines(items: Sequence[Graded], final_right: Mapping[str, bool | None]) -> list[Baseline]:
    """The trivial judges. `final_right` tells by item id whether its final answer is right, None when unknown.

    The answer oracle is left out when no final answer is known.
    """
    steps = _best_steps(items)
    found = [
        Baseline(
            "always_correct",
            gettext_noop("calls every solution correct"),
            tuple(_said(item, True, None) for item in items),
            {},
        ),
        Baseline(
            "always_incorrect",
            gettext_noop("calls every solution incorrect, at the subject's most frequent step"),
            tuple(_said(item, False, steps.get(item.subject)) for item in items),
            steps,
        ),
    ]
    if any(right is not None for right in final_right.values()):
        oracle = tuple(_said(item, final_right.get(item.id), steps.get(item.subject)) for item in items)
        told = gettext_noop(
            "knows only whether the final answer is right; if not, names the subject's most frequent step"
        )
        found.append(Baseline("answer_oracle", told, oracle, steps))
    return found


def _said(item: Graded, correct: bool | None, step: int | None) -> Graded:
    return replace(item, correct=correct, step=step if correct is False else None, reason_same=False)


def _best_steps(items: Sequence[Graded]) -> dict[str, int]:
    """The most frequent gold step of each subject; the earlier one when two are equally frequent."""
    seen: dict[str, Counter[int]] = {}
    for item in items:
        if item.gold_step is not None:
            seen.setdefault(item.subject, Counter())[item.gold_step] += 1
    return {subject: min(steps, key=lambda step: (-steps[step], step)) for subject, steps in sorted(seen.items())}
