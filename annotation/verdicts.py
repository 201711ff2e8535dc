"""The one shape of a judgement: labels, adjudications, control answers and judges' answers all have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from annotation.sentences import gettext_noop

Placement = Literal["at", "before"]
PLACEMENTS: tuple[Placement, ...] = ("at", "before")
NOT_OF_CORRECT = {
    "category": gettext_noop("A correct solution has no category of an error."),
    "reason": gettext_noop("A correct solution has no reason of an error."),
    "rectified": gettext_noop("A correct solution has no rectified step."),
}


class VerdictError(ValueError):
    """A judgement contradicts itself; `field` names the part to change.

    `message` is a fixed sentence with places for `values` (as `%(n)d`), so that it can be translated where it is shown.
    """

    def __init__(self, field: str, message: str, values: Mapping[str, Any] | None = None) -> None:
        super().__init__(message % values if values else message)
        self.field, self.message, self.values = field, message, values


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody says of one solution.

    `first_error` is the 0-based position of the first erroneous step, None when there is none;
    `placement` says whether the fault is *at* that step or something is missing *before* it.
    """

    correct: bool
    first_error: int | None = None
    placement: Placement = "at"
    category: str = ""
    reason: str = ""
    rectified: str = ""

    def check(self, n_steps: int) -> None:
        """Raise VerdictError when the parts contradict each other or the step does not exist."""
        if self.placement not in PLACEMENTS:
            raise VerdictError("placement", f"A fault is at a step or before it, not {self.placement!r}.")
        if self.correct:
            given = [name for name in NOT_OF_CORRECT if getattr(self, name).strip()]
            if self.first_error is not None:
                raise VerdictError("first_error", gettext_noop("A correct solution has no erroneous step."))
            if given:
                raise VerdictError(given[0], NOT_OF_CORRECT[given[0]])
        elif self.first_error is None:
            raise VerdictError("first_error", gettext_noop("An incorrect solution needs its first erroneous step."))
        elif not 0 <= self.first_error < n_steps:
            message = gettext_noop("There is no step at position %(position)s; the last is %(last)s.")
            raise VerdictError("first_error", message, {"position": self.first_error, "last": n_steps - 1})

    def same_place(self, other: Verdict) -> bool:
        """Same verdict at the same step; words, category and placement may differ."""
        return self.correct == other.correct and self.first_error == other.first_error

    def as_dict(self) -> dict[str, Any]:
        """The parts by name, in the order of the definition."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, parts: Mapping[str, Any]) -> Verdict:
        """Read the parts from a JSON object; unknown keys are ignored, types are checked.

        Raises: VerdictError naming the part.
        """
        correct, first_error = parts.get("correct"), parts.get("first_error")
        if not isinstance(correct, bool):
            raise VerdictError("correct", f"correct is true or false, not {correct!r}.")
        if first_error is not None and (isinstance(first_error, bool) or not isinstance(first_error, int)):
            raise VerdictError("first_error", f"first_error is a whole number or null, not {first_error!r}.")
        texts = {name: parts.get(name) or "" for name in ("category", "reason", "rectified")}
        for name, text in texts.items():
            if not isinstance(text, str):
                raise VerdictError(name, f"{name} is a text, not {text!r}.")
        placement = parts.get("placement") or "at"
        if placement not in PLACEMENTS:
            raise VerdictError("placement", f"placement is 'at' or 'before', not {placement!r}.")
        return cls(correct=correct, first_error=first_error, placement=placement, **texts)
