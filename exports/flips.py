"""What the second judge repaired and what it broke, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exports.paired_tests import benjamini_hochberg, mcnemar, tango_interval
from exports.scoring import Graded, Outcome

Right = Callable[[Graded], bool]

RIGHT: Mapping[str, Right] = {
    "verdict": lambda item: item.correct is item.gold_correct,
    "step": lambda item: item.step_hit,
    "reason": lambda item: item.outcome is Outcome.REASON_HIT,
}
FLIPS = ("repaired", "broken", "both_right", "both_wrong")
ABOUT = {
    "verdict": "all items: correct or incorrect",
    "step": "incorrect solutions: the first erroneous step found",
    "reason": "incorrect solutions: step found and explained as in the gold label",
}


@dataclass(frozen=True, slots=True)
class Flips:
    """Item ids by what two judges made of them, in the order of the release; they add up to all items counted."""

    repaired: tuple[str, ...]
    broken: tuple[str, ...]
    both_right: tuple[str, ...]
    both_wrong: tuple[str, ...]

    @property
    def n(self) -> int:
        return len(self.repaired) + len(self.broken) + len(self.both_right) + len(self.both_wrong)

    def as_dict(self) -> dict[str, Any]:
        """The ids with the difference (second minus first, a share of 1), its interval and tests; None without items.

        The interval and the tests take items as independent; solutions of one problem are not.
        """
        ids = {name: list(getattr(self, name)) for name in self.__slots__}
        counts = {name: len(found) for name, found in ids.items()}
        if not self.n:
            return {"n": 0, "counts": counts, **ids, "difference": None, "interval": None, "p": None, "p_mid": None}
        repaired, broken = len(self.repaired), len(self.broken)
        test = mcnemar(repaired, broken)
        return {
            "n": self.n,
            "counts": counts,
            **ids,
            "difference": (repaired - broken) / self.n,
            "interval": list(tango_interval(repaired, broken, self.n)),
            "p": test.p_exact,
            "p_mid": test.p_mid,
        }


def flips(first: Iterable[Graded], second: Iterable[Graded], kind: str) -> Flips:
    """What became of each item between two judges; `kind` is verdict, step or reason. The items are the same."""
    right = RIGHT[kind]
    found: dict[tuple[bool, bool], list[str]] = {(a, b): [] for a in (False, True) for b in (False, True)}
    for one, other in zip(first, second, strict=True):
        if kind == "verdict" or not one.gold_correct:
            found[right(one), right(other)].append(one.id)
    return Flips(*(tuple(found[key]) for key in ((False, True), (True, False), (True, True), (False, False))))


def ledger(
    first: Sequence[Graded], second: Sequence[Graded], *, reasons: bool, by_model: bool = False
) -> dict[str, dict[str, Any]]:
    """Flips by kind, each with `total` and `subjects`; `q` adjusts the subjects' exact p (exploratory).

    Without compared reasons there is no entry for them; `by_model` says that a model's verdicts make them.
    """
    subjects = sorted({item.subject for item in first})
    found = {}
    for kind in RIGHT if reasons else ("verdict", "step"):
        parts = {name: flips(_of(first, name), _of(second, name), kind).as_dict() for name in subjects}
        for part, q in zip(parts.values(), benjamini_hochberg([part["p"] for part in parts.values()]), strict=True):
            part["q"] = q
        found[kind] = {
            "about": ABOUT[kind],
            "by_model": by_model and kind == "reason",
            "total": flips(first, second, kind).as_dict(),
            "subjects": parts,
        }
    return found


def _of(items: Sequence[Graded], subject: str) -> list[Graded]:
    return [item for item in items if item.subject == subject]
