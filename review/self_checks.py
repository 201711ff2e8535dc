"""Does the comparison of reasons hold? Votes, reasons whose verdict is known, the same question in another order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from review.comparison import Case, Comparison, decided, messages

GENERIC = "There is a mistake in this step, so the computation and what follows from it are wrong."
Kind = Literal["another error", "generic", "own reason"]
Ask = Callable[[Mapping[str, Sequence[Mapping[str, str]]]], Mapping[str, Comparison]]


@dataclass(frozen=True, slots=True)
class Decoy:
    """A case whose verdict is known."""

    kind: Kind
    case: Case
    same: bool


def majority(ballots: Sequence[Comparison]) -> Comparison:
    """The verdict of most votes with the explanation of the first that gave it; undecided without a majority.

    Undecided votes count as votes for neither. `share` is that of the winning verdict among all votes; None for one.
    """
    if len(ballots) == 1:
        return ballots[0]
    for verdict in (True, False):
        for_it = [ballot for ballot in ballots if ballot.same is verdict]
        if 2 * len(for_it) > len(ballots):
            return replace(for_it[0], share=len(for_it) / len(ballots))
    return Comparison(None, f"No majority among {len(ballots)} votes.", 0.0)


def decoys(cases: Sequence[Case], rng: np.random.Generator, number: int) -> list[Decoy]:
    """Up to `number` decoys of each kind from real cases.

    another error: an accepted reason of a case of another problem, must be different. generic: a text that fits every
    step, must be different. own reason: an accepted reason of the case itself (a second one where there is one), must
    be the same.
    """
    usable = [case for case in cases if case.accepted]
    chosen = [usable[place] for place in rng.permutation(len(usable))[:number]]
    found = []
    for case in chosen:
        others = [
            other for other in usable if other.question != case.question and other.accepted[0] not in case.accepted
        ]
        if others:
            reason, rectified = others[int(rng.integers(len(others)))].accepted[0]
            found.append(Decoy("another error", replace(case, reason=reason, rectified=rectified), same=False))
        found.append(Decoy("generic", replace(case, reason=GENERIC, rectified=""), same=False))
        found.append(Decoy("own reason", _own(case), same=True))
    return found


def _own(case: Case) -> Case:
    """One accepted reason as the candidate; where there are several, it is not among those shown as accepted."""
    reason, rectified = case.accepted[-1]
    shown = case.accepted[:-1] or case.accepted
    return replace(case, accepted=shown, reason=reason, rectified=rectified)


def check_comparison(
    cases: Mapping[str, Case], compared: Mapping[str, Comparison], ask: Ask, seed: int, number: int
) -> dict[str, Any]:
    """Ask about decoys, and about up to `number` real cases with the candidate first.

    false_credit and false_denial count failed decoys; `undecided` are those of them without a verdict. order_swap
    counts verdicts that changed, with the ids of those items, which are to be taken as unresolved.
    """
    rng = np.random.default_rng(seed)
    made = decoys(list(cases.values()), rng, number)
    said = ask({str(place): messages(decoy.case) for place, decoy in enumerate(made)})
    told = [said[str(place)].same for place in range(len(made))]
    askable = sorted(item for item in cases if item in compared and decided(cases[item]) is None)
    again = [askable[place] for place in rng.permutation(len(askable))[:number]]
    swapped = ask({item: messages(cases[item], swapped=True) for item in again})
    changed = sorted(item for item in again if swapped[item].same is not compared[item].same)
    return {
        "seed": seed,
        "false_credit": _count(made, told, same=False),
        "false_denial": _count(made, told, same=True),
        "order_swap": {
            "n": len(again),
            "changed": len(changed),
            "items": changed,
            "undecided": sum(swapped[item].same is None for item in again),
        },
    }


def _count(made: Sequence[Decoy], told: Sequence[bool | None], *, same: bool) -> dict[str, Any]:
    kinds: dict[str, dict[str, int]] = {}
    for decoy, verdict in zip(made, told, strict=True):
        if decoy.same is same:
            counted = kinds.setdefault(decoy.kind, {"n": 0, "failed": 0, "undecided": 0})
            counted["n"] += 1
            counted["failed"] += verdict is not same
            counted["undecided"] += verdict is None
    n, wrong, undecided = (sum(each[name] for each in kinds.values()) for name in ("n", "failed", "undecided"))
    return {"n": n, "failed": wrong, "undecided": undecided, "share": wrong / n if n else None, "kinds": kinds}
