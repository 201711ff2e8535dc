"""Bootstrap samples that several judges share: whole problems are drawn again, within subjects."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exports.scoring import WEIGHTS, Array, Graded, Outcome, headline
from review.pattern_weights import pattern_weights

PAIRED_RESAMPLES = 10_000
MAXIMUM_UNDEFINED = 0.05
_KINDS = len(Outcome)

Values = dict[str, Array]  # metric -> (resamples, judges)


@dataclass(frozen=True, slots=True)
class Resampled:
    """Headline metrics of every judge in every shared resample; nan where undefined. `several`: more than a problem."""

    macro: Values
    pooled: Values
    subjects: Mapping[str, Values]
    several: Mapping[str, bool]


def resample(
    judges: Sequence[Sequence[Graded]],
    rng: np.random.Generator,
    weights: Sequence[float] = WEIGHTS,
    *,
    reasons: bool = True,
    resamples: int = PAIRED_RESAMPLES,
) -> Resampled:
    """Draw problems with replacement within subjects, the same draws for all judges (same items in the same order).

    Problems on which each judge did alike are one pattern, and it is patterns that are drawn: exact, and cheaper.
    """
    outcomes = np.array([[item.outcome for item in items] for items in judges], dtype=np.int64)
    places: dict[str, list[int]] = {}
    for place, item in enumerate(judges[0]):
        places.setdefault(item.subject, []).append(place)
    counted, several = {}, {}
    for subject in sorted(places):
        here = np.array(places[subject])
        problems = _numbered([judges[0][place].problem for place in here])
        several[subject] = bool(problems.max() > 0)
        counted[subject] = _drawn(_by_problem(outcomes[:, here], problems), rng, resamples)
    subjects = {name: headline(counts, weights, reasons=reasons) for name, counts in counted.items()}
    pooled = headline(sum(counted.values(), np.zeros(())), weights, reasons=reasons)
    return Resampled(_means(list(subjects.values())), pooled, subjects, several)


def _numbered(names: Sequence[str]) -> NDArray[np.int64]:
    return np.unique(np.array(names, dtype=object), return_inverse=True)[1].astype(np.int64)


def _by_problem(outcomes: NDArray[np.int64], problems: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts of outcomes (problems, judges * 6); headline metrics need nothing else of a problem."""
    judges = len(outcomes)
    counted = np.zeros((problems.max() + 1, judges * _KINDS), dtype=np.int64)
    for judge in range(judges):
        np.add.at(counted, (problems, judge * _KINDS + outcomes[judge]), 1)
    return counted


def _drawn(counted: NDArray[np.int64], rng: np.random.Generator, resamples: int) -> Array:
    """Counts of outcomes (resamples, judges, 6)."""
    patterns, often = np.unique(counted, axis=0, return_counts=True)
    draws = [weights @ patterns for weights in pattern_weights(often, rng, resamples)]
    return np.concatenate(draws).reshape(resamples, -1, _KINDS)


def _means(subjects: Sequence[Values]) -> Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing is NaN, which is what is meant
        return {metric: np.nanmean([found[metric] for found in subjects], axis=0) for metric in subjects[0]}


def bounds(values: Array, level: float = 0.95) -> tuple[float, float] | None:
    """Percentile interval; None when more than 5 % of the values are undefined."""
    defined = values[np.isfinite(values)]
    if not len(values) or 1 - len(defined) / len(values) > MAXIMUM_UNDEFINED:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def two_sided_p(differences: Array) -> float | None:
    """2 min(share <= 0, share >= 0) with one resample added on either side; None when undefined too often."""
    defined = differences[np.isfinite(differences)]
    if bounds(differences) is None:
        return None
    least = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (least + 1) / (len(defined) + 1))
