"""Bootstrap intervals of agreement coefficients: clusters of units resampled by distinct patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from review.counting import Counts, Floats
from review.unit_sums import UnitSums

MINIMUM_RARER = 10
MAXIMUM_UNDEFINED = 0.05
CELLS_AT_ONCE = 2_000_000


class NoInterval(StrEnum):
    """Why a figure has no interval."""

    NO_VALUE = "The figure itself is not defined."
    TOO_FEW = "Too few: fewer than 10 items hold a value other than the most common one."
    ONE_CLUSTER = "All items belong to one problem, so there is nothing to resample."
    UNDEFINED_RESAMPLES = "In more than 5 % of the resamples the figure is not defined."


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval; `low` and `high` are None exactly when `missing` says why.

    `undefined_share` is the share of resamples in which the figure is undefined; they are left out of the percentiles.
    """

    low: float | None
    high: float | None
    level: float
    resamples: int
    undefined_share: float
    missing: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The parts by name; every part is a JSON value."""
        return asdict(self)


def resample(
    statistics: Sequence[UnitSums], clusters: npt.ArrayLike, rng: np.random.Generator, resamples: int
) -> list[Floats]:
    """Each statistic in `resamples` bootstrap samples of whole clusters, nan where undefined.

    `clusters` holds one whole number per unit. Clusters with equal sums are one pattern, and pattern frequencies are
    drawn from their multinomial distribution: exact, at a cost that follows the patterns and not the units.
    The statistics share each sample, so figures of one call can be compared resample by resample.
    """
    sums = cluster_sums(np.hstack([statistic.terms for statistic in statistics]), np.asarray(clusters))
    if not len(sums):
        return [np.full(resamples, np.nan) for _ in statistics]
    patterns, frequencies = _distinct(sums)
    edges = np.cumsum([statistic.terms.shape[1] for statistic in statistics])[:-1]
    drawn: list[list[Floats]] = [[] for _ in statistics]
    for weights in pattern_weights(frequencies, rng, resamples):
        for values, statistic, part in zip(drawn, statistics, np.split(weights @ patterns, edges, axis=1), strict=True):
            values.append(statistic.value(part))
    return [np.concatenate(values) for values in drawn]


def percentile_interval(values: Floats, *, level: float = 0.95) -> Interval:
    """The central `level` of the resampled values; none when more than 5 % of them are undefined."""
    defined = values[np.isfinite(values)]
    share = (len(values) - len(defined)) / len(values)
    if share > MAXIMUM_UNDEFINED:
        return Interval(None, None, level, len(values), share, str(NoInterval.UNDEFINED_RESAMPLES))
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, len(values), share)


def intervals(
    statistics: Sequence[UnitSums],
    counts: Counts,
    clusters: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    resamples: int = 10_000,
    level: float = 0.95,
) -> list[Interval]:
    """An interval for each statistic of one count matrix (units x values), or the reason why there is none.

    None is given with fewer than 10 units beside the most common value, with a single cluster, where the figure itself
    is undefined, and where more than 5 % of the resamples are undefined.
    """
    reason = _no_interval(counts, np.asarray(clusters))
    if reason:
        return [Interval(None, None, level, 0, 0.0, str(reason)) for _ in statistics]
    return [
        percentile_interval(values, level=level)
        if np.isfinite(statistic.estimate())
        else Interval(None, None, level, 0, 0.0, str(NoInterval.NO_VALUE))
        for statistic, values in zip(statistics, resample(statistics, clusters, rng, resamples), strict=True)
    ]


def units_beside_the_most_common(counts: Counts) -> int:
    """Units with two or more labels that hold a value other than the most common one; of two values: the rarer one."""
    paired = counts[counts.sum(axis=1) >= 2]
    if not paired.size:
        return 0
    return int((paired[:, paired.sum(axis=0).argmax()] < paired.sum(axis=1)).sum())


def jackknife_error(statistic: UnitSums, clusters: npt.ArrayLike) -> float:
    """Standard error by leaving out one cluster at a time; nan with one cluster, or when a leave-out is undefined."""
    sums = cluster_sums(statistic.terms, np.asarray(clusters))
    if len(sums) < 2:
        return float("nan")
    left = statistic.value(sums.sum(axis=0) - sums)
    return float(np.sqrt((len(sums) - 1) * left.var()))


def cluster_sums(terms: Floats, clusters: Counts) -> Floats:
    """Sum of the unit terms in each cluster, clusters x K."""
    order = np.argsort(clusters, kind="stable")
    starts = np.unique(clusters[order], return_index=True)[1]
    return np.add.reduceat(terms[order], starts, axis=0) if len(starts) else terms


def _no_interval(counts: Counts, clusters: Counts) -> NoInterval | None:
    if units_beside_the_most_common(counts) < MINIMUM_RARER:
        return NoInterval.TOO_FEW
    if len(np.unique(clusters[counts.sum(axis=1) >= 2])) < 2:
        return NoInterval.ONE_CLUSTER
    return None


def _distinct(sums: Floats) -> tuple[Floats, Counts]:
    """Distinct rows and how often each occurs; the order depends on the rows alone."""
    # Sums of the same numbers in another order differ in the last bits; adding zero turns -0.0 into 0.0.
    keys = np.ascontiguousarray(np.round(sums, 9) + 0.0)
    rows = keys.view(np.dtype((np.void, keys.dtype.itemsize * keys.shape[1]))).ravel()
    _, first, frequencies = np.unique(rows, return_index=True, return_counts=True)
    return sums[first], frequencies


def pattern_weights(frequencies: Counts, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """How often each pattern occurs in each resample, in blocks of resamples x patterns."""
    n_patterns, total = len(frequencies), int(frequencies.sum())
    # One multinomial draw costs a binomial draw per pattern: with few repeats, drawing clusters one by one is faster.
    by_pattern = n_patterns * 10 <= total
    block = max(1, CELLS_AT_ONCE // (n_patterns if by_pattern else total))
    members = np.repeat(np.arange(n_patterns), frequencies)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if by_pattern:
            yield rng.multinomial(total, frequencies / total, size=size).astype(np.float64)
            continue
        cells = members[rng.integers(total, size=(size, total))] + n_patterns * np.arange(size)[:, None]
        counted = np.bincount(cells.ravel(), minlength=size * n_patterns)
        yield counted.reshape(size, n_patterns).astype(np.float64)
