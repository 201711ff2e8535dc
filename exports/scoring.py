"""Scores of a judge against gold labels. Strict: every gold item stays in every denominator."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCORER_VERSION = "2"
WEIGHTS = (0.2, 0.3, 0.5)  # of MCC, ACC_step, ACC_reason in MR-Ben

Array = NDArray[np.float64]
Metrics = dict[str, float | None]


class Outcome(IntEnum):
    """What a judge made of one item; the first four are incorrect solutions, the last two correct ones."""

    ERROR_MISSED = 0  # called correct, or no usable verdict
    ERROR_SEEN = 1
    STEP_HIT = 2
    REASON_HIT = 3
    CORRECT_MISSED = 4
    CORRECT_SEEN = 5


@dataclass(frozen=True, slots=True)
class Graded:
    """One item: gold, and what the judge said. Steps are 0-based positions; None is no step, no verdict, undecided.

    `reason_same` counts only where the step is hit; None there is undecided and counts as different.
    """

    id: str
    subject: str
    problem: str
    gold_correct: bool
    gold_step: int | None
    correct: bool | None = None
    step: int | None = None
    reason_same: bool | None = None

    @property
    def step_hit(self) -> bool:
        """The right verdict "incorrect" at the right step: only then are reasons compared."""
        return not self.gold_correct and self.correct is False and self.step is not None and self.step == self.gold_step

    @property
    def near_hit(self) -> bool:
        """The right verdict "incorrect", at most one step beside the right one."""
        if self.gold_correct or self.correct is not False or self.step is None or self.gold_step is None:
            return False
        return abs(self.step - self.gold_step) <= 1

    @property
    def outcome(self) -> Outcome:
        if self.gold_correct:
            return Outcome.CORRECT_SEEN if self.correct else Outcome.CORRECT_MISSED
        if self.step_hit:
            return Outcome.REASON_HIT if self.reason_same else Outcome.STEP_HIT
        return Outcome.ERROR_SEEN if self.correct is False else Outcome.ERROR_MISSED


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a group of items. The positive class is a correct solution; what is not answered is wrong."""

    n_correct: int
    n_incorrect: int
    tp: int
    tn: int
    step_hits: int = 0
    reason_hits: int = 0
    near_hits: int = 0
    reason_unresolved: int = 0
    answered: int = 0

    @property
    def n(self) -> int:
        return self.n_correct + self.n_incorrect

    @property
    def fp(self) -> int:
        return self.n_incorrect - self.tn

    @property
    def fn(self) -> int:
        return self.n_correct - self.tp

    @property
    def outcomes(self) -> tuple[int, ...]:
        """How often each Outcome occurs, in the order of its values."""
        seen, hit = self.tn - self.step_hits, self.step_hits - self.reason_hits
        return self.fp, seen, hit, self.reason_hits, self.fn, self.tp

    def as_dict(self) -> dict[str, int]:
        """The counts by name, the derived ones included."""
        names = "n n_correct n_incorrect tp tn fp fn step_hits near_hits reason_hits reason_unresolved answered"
        return {name: getattr(self, name) for name in names.split()}


def count(items: Iterable[Graded]) -> Counts:
    """Count a group of items."""
    group = list(items)

    def total(holds: Callable[[Graded], bool]) -> int:
        return sum(map(holds, group))

    return Counts(
        n_correct=total(lambda item: item.gold_correct),
        n_incorrect=total(lambda item: not item.gold_correct),
        tp=total(lambda item: item.gold_correct and item.correct is True),
        tn=total(lambda item: not item.gold_correct and item.correct is False),
        step_hits=total(lambda item: item.step_hit),
        reason_hits=total(lambda item: item.step_hit and item.reason_same is True),
        near_hits=total(lambda item: item.near_hit),
        reason_unresolved=total(lambda item: item.step_hit and item.reason_same is None),
        answered=total(lambda item: item.correct is not None),
    )


def mcc(tp: ArrayLike, tn: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> Array:
    """Matthews correlation of verdicts and gold, -1 to 1; NaN where it is 0/0 (one class only on either side)."""
    tp, tn, fp, fn = (np.asarray(counted, dtype=np.float64) for counted in (tp, tn, fp, fn))
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def harmonic(error_accuracy: ArrayLike, correct_accuracy: ArrayLike) -> Array:
    """ProcessBench's F1: the harmonic mean of the two accuracies, 0 when both are 0."""
    error, correct = np.asarray(error_accuracy, dtype=np.float64), np.asarray(correct_accuracy, dtype=np.float64)
    both = error + correct
    return np.where(both == 0, 0.0, _ratio(2 * error * correct, both))


def mr_score(mcc: ArrayLike, acc_step: ArrayLike, acc_reason: ArrayLike, weights: Sequence[float] = WEIGHTS) -> Array:
    """MR-Ben's score: the weighted sum of MCC (not below 0), ACC_step and ACC_reason."""
    clamped = np.maximum(np.asarray(mcc, dtype=np.float64), 0.0)
    return weights[0] * clamped + weights[1] * np.asarray(acc_step) + weights[2] * np.asarray(acc_reason)


def check_weights(weights: Sequence[float]) -> None:
    """Raise ValueError unless these are three shares that add up to 1."""
    if len(weights) != 3 or not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise ValueError("Three weights from 0 to 1 are needed: of MCC, ACC_step and ACC_reason.")
    if not math.isclose(sum(weights), 1.0, abs_tol=1e-9):
        raise ValueError(f"The weights add up to {sum(weights):g}, not to 1.")


def headline(outcomes: ArrayLike, weights: Sequence[float] = WEIGHTS, *, reasons: bool = True) -> dict[str, Array]:
    """The headline metrics of counts of outcomes (..., 6), each an array (...) of shares of 1.

    NaN is undefined: no item of a class, or reasons that were not compared. mcc is 0 where it is 0/0, as in MR-Ben's
    script.
    """
    missed, seen, hit, explained, _, tp = np.moveaxis(np.asarray(outcomes, dtype=np.float64), -1, 0)
    tn, n_incorrect = seen + hit + explained, missed + seen + hit + explained
    n_correct = np.asarray(outcomes, dtype=np.float64)[..., 4:].sum(axis=-1)
    correlation = np.nan_to_num(mcc(tp, tn, n_incorrect - tn, n_correct - tp), nan=0.0)
    step = _ratio(hit + explained, n_incorrect)
    reason = _ratio(explained, n_incorrect) if reasons else np.full_like(step, np.nan)
    accuracy = _ratio(tp, n_correct)
    return {
        "mr_score": mr_score(correlation, step, reason, weights),
        "mcc": correlation,
        "acc_step": step,
        "acc_reason": reason,
        "f1": harmonic(step, accuracy),
        "error_accuracy": step,
        "correct_accuracy": accuracy,
    }


def metrics(counts: Counts, weights: Sequence[float] = WEIGHTS, *, reasons: bool = True) -> Metrics:
    """All metrics of one group of items, as shares of 1; None is undefined, `undefined` says why."""
    found = {name: float(value) for name, value in headline(counts.outcomes, weights, reasons=reasons).items()}
    found["acc_step_within_one"] = float(_ratio(counts.near_hits, counts.n_incorrect))
    found["reason_given_step"] = float(_ratio(counts.reason_hits, counts.step_hits)) if reasons else np.nan
    found["parse_rate"] = float(_ratio(counts.answered, counts.n))
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def undefined(counts: Counts, *, reasons: bool = True) -> dict[str, str]:
    """Why a metric of these counts has no value of its own, by metric."""
    found = {}
    if np.isnan(mcc(counts.tp, counts.tn, counts.fp, counts.fn)):
        balance = f"{counts.n_correct} correct and {counts.n_incorrect} incorrect solutions"
        found["mcc"] = f"0/0, counted as 0: one class only in the gold labels or in the verdicts ({balance})"
    if not counts.n_incorrect:
        names = ("mr_score", "acc_step", "acc_reason", "acc_step_within_one", "f1", "error_accuracy")
        found.update(dict.fromkeys(names, "no incorrect solution"))
    if not counts.n_correct:
        found.update(dict.fromkeys(("f1", "correct_accuracy"), "no correct solution"))
    if not reasons:
        found.update(dict.fromkeys(("mr_score", "acc_reason", "reason_given_step"), "reasons were not compared"))
    elif not counts.step_hits:
        found["reason_given_step"] = "no step was hit"
    return found


def reason_bounds(counts: Counts) -> tuple[float, float] | None:
    """ACC_reason if all undecided comparisons were different, and if all were the same."""
    if not counts.n_incorrect:
        return None
    return counts.reason_hits / counts.n_incorrect, (counts.reason_hits + counts.reason_unresolved) / counts.n_incorrect


def score(items: Iterable[Graded], weights: Sequence[float] = WEIGHTS, *, reasons: bool = True) -> dict[str, Any]:
    """All three averages and every subject: `pooled`, `macro`, `item_weighted`, `subjects` (by name, sorted)."""
    groups: dict[str, list[Graded]] = defaultdict(list)
    for item in items:
        groups[item.subject].append(item)
    subjects = {name: group_score(groups[name], weights, reasons=reasons) for name in sorted(groups)}
    pooled = group_score([item for group in groups.values() for item in group], weights, reasons=reasons)
    return {"pooled": pooled, **averages(subjects), "subjects": subjects}


def group_score(items: Iterable[Graded], weights: Sequence[float] = WEIGHTS, *, reasons: bool = True) -> dict[str, Any]:
    """Metrics of one group of items, with their counts, the bounds of ACC_reason, and why what is undefined is so."""
    counts = count(items)
    return {
        **metrics(counts, weights, reasons=reasons),
        "reason_bounds": reason_bounds(counts) if reasons else None,
        "counts": counts.as_dict(),
        "undefined": undefined(counts, reasons=reasons),
    }


def averages(subjects: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Means of subject metrics: `macro` unweighted, `item_weighted` by the number of items.

    A subject where a metric is undefined is left out of that mean and named under `without`.
    """
    macro: dict[str, Any] = {}
    weighted: dict[str, Any] = {}
    without: dict[str, list[str]] = {}
    for metric in metrics(Counts(0, 0, 0, 0)):
        defined = {name: found for name, found in subjects.items() if found[metric] is not None}
        sizes = [found["counts"]["n"] for found in defined.values()]
        values = [found[metric] for found in defined.values()]
        macro[metric] = float(np.mean(values)) if values else None
        weighted[metric] = float(np.average(values, weights=sizes)) if values else None
        if len(defined) < len(subjects):
            without[metric] = [name for name in subjects if name not in defined]
    return {"macro": {**macro, "without": without}, "item_weighted": {**weighted, "without": without}}


def _ratio(part: ArrayLike, whole: ArrayLike) -> Array:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    empty: Array = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=empty, where=whole != 0)
    return empty
