"""Is a judge better on the public half of a release than on the private one? A hint at contamination, never a proof."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exports.compared_judges import Judge, NotComparable
from exports.joint_resamples import PAIRED_RESAMPLES, bounds
from exports.paired_tests import ALPHA, POWER, holm
from exports.scoring import Array, Graded

SMALLEST_GAP = 0.03


def gap_interval(
    right_public: int, n_public: int, right_private: int, n_private: int
) -> tuple[float, tuple[float, float]]:
    """Public minus private share with Newcombe's interval for independent shares (1998, method 10)."""
    proportion = import_module("statsmodels.stats.proportion")  # takes seconds to load
    low, high = proportion.confint_proportions_2indep(
        right_public, n_public, right_private, n_private, method="newcomb"
    )
    return right_public / n_public - right_private / n_private, (float(low), float(high))


def smallest_gap(n_public: int, n_private: int, share: float = 0.5) -> float:
    """The smallest gap of a share that is found with power .80 at alpha .05, by the normal approximation."""
    factor = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)
    return factor * math.sqrt(share * (1 - share) * (1 / n_public + 1 / n_private))


def split_gaps(
    judges: Sequence[Judge],
    public: Callable[[Graded], bool],
    references: Sequence[str] = (),
    *,
    seed: int = 0,
    resamples: int = PAIRED_RESAMPLES,
) -> dict[str, Any]:
    """Public minus private accuracy of the verdict for each judge, and beyond the mean gap of the reference judges.

    References are judges that cannot have seen the release (older than it, or people). Taking their mean gap off
    removes that the halves are not equally hard. Problems are resampled within the halves, jointly for all judges.
    A judge is flagged when the lower bound of that, adjusted over judges (Holm), is above 0 and its gap is 3 points.
    Without references there are the gaps alone. Raises: NotComparable when a half is empty or a reference unknown.
    """
    unknown = sorted(set(references) - {judge.name for judge in judges})
    if unknown:
        raise NotComparable(f"There is no judge called {unknown[0]!r} to be a reference.")
    halves = np.array([public(item) for item in judges[0].items])
    right = np.array([[item.correct is item.gold_correct for item in judge.items] for judge in judges], dtype=float)
    known = [number for number, judge in enumerate(judges) if judge.name in references]
    if halves.all() or not halves.any():
        raise NotComparable("Items of both halves are needed.")
    problems = np.unique([item.problem for item in judges[0].items], return_inverse=True)[1]
    drawn = _gaps(right, halves, problems, np.random.default_rng(seed), resamples)
    rows = [_row(judge.name, right[number], halves) for number, judge in enumerate(judges)]
    if known:
        _hold_against(rows, known, drawn)
    n_public = int(halves.sum())
    found = smallest_gap(n_public, len(halves) - n_public)
    return {"judges": rows, "n_public": n_public, "n_private": len(halves) - n_public, "smallest_gap": found}


def split_facts(
    judges: Sequence[Judge], public: Collection[str], references: Sequence[str] = (), *, seed: int = 0
) -> dict[str, Any] | None:
    """The part of a comparison about the halves of the release; None when one of them has no items.

    Raises: NotComparable when a reference is unknown.
    """
    inside = sum(item.id in public for item in judges[0].items)
    if inside in (0, len(judges[0].items)):
        return None
    return split_gaps(judges, lambda item: item.id in public, references, seed=seed)


def _hold_against(rows: Sequence[dict[str, Any]], known: Sequence[int], drawn: Array) -> None:
    """Add to each row what its gap is beyond the mean gap of the references, with a one-sided test and Holm's p."""
    beyond = drawn - drawn[:, known].mean(axis=1, keepdims=True)
    reference = float(np.mean([rows[number]["gap"] for number in known]))
    found = [(int((values <= 0).sum()) + 1) / (len(values) + 1) for values in beyond.T]
    tested = [None if number in known else p for number, p in enumerate(found)]
    for number, (row, p, adjusted) in enumerate(zip(rows, tested, holm(tested), strict=True)):
        row |= {"reference": number in known, "beyond_references": row["gap"] - reference, "p": p, "p_holm": adjusted}
        row["beyond_interval"] = bounds(beyond[:, number])
        row["flagged"] = adjusted is not None and adjusted < ALPHA / 2 and row["gap"] >= SMALLEST_GAP


def _row(name: str, right: Array, halves: NDArray[np.bool_]) -> dict[str, Any]:
    public, private = right[halves], right[~halves]
    gap, interval = gap_interval(int(public.sum()), len(public), int(private.sum()), len(private))
    return {
        "judge": name,
        "public": float(public.mean()),
        "private": float(private.mean()),
        "gap": gap,
        "interval": interval,
        **dict.fromkeys(("beyond_references", "beyond_interval", "p", "p_holm", "flagged"), None),
        "reference": False,
    }


def _gaps(
    right: Array,
    halves: NDArray[np.bool_],
    problems: NDArray[np.int64],
    rng: np.random.Generator,
    resamples: int,
) -> Array:
    """Public minus private share of every judge in shared resamples of problems (resamples, judges)."""
    shares = []
    for half in (halves, ~halves):
        here = np.unique(problems[half], return_inverse=True)[1]
        sums = np.zeros((here.max() + 1, len(right) + 1))
        np.add.at(sums, here, np.vstack([right[:, half], np.ones(half.sum())]).T)
        patterns, often = np.unique(sums, axis=0, return_counts=True)
        drawn = rng.multinomial(len(sums), often / len(sums), size=resamples) @ patterns
        shares.append(drawn[:, :-1] / drawn[:, -1:])
    return shares[0] - shares[1]
