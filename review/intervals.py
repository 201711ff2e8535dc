"""Bootstrap intervals of agreement coefficients: clusters of units resampled by distinct patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sentences import gettext_noop
from review.counting import Counts, Floats, distinct_rows
from review.pattern_weights import pattern_weights
from review.unit_sums import UnitSums

MINIMUM_RARER = 10
MAXIMUM_UNDEFINED = 0.05


class NoInterval(StrEnum):
    """Why a figure has no interval."""

    NO_VALUE = gettext_noop("The figure itself is not defined.")
    TOO_FEW = gettext_noop("Too few: fewer than 10 items hold a value other than the most common one.")
    ONE_CLUSTER = gettext_noop("All items belong to one problem, so there is nothing to resample.")
    # xgettext:no-python-format
    UNDEFINED_RESAMPLES = gettext_noop("In more than 5 % of the resamples the figure is not defined.")
    NOT_YET = gettext_noop("The interval is still being computed.")


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
    statistics: Sequence[UnitSums],
    clusters: npt.ArrayLike,
    rng: np.random.Generator,
    resamples: int,
    pattern_of: Counts | None = None,
) -> list[Floats]:
    """Each statistic in `resamples` bootstrap samples of whole clusters, nan where undefined.

    `clusters` holds one whole number per unit. `pattern_of` tells which row of the statistics' terms is each unit's;
    without it every unit has a row of its own. Clusters of the same patterns are drawn together, from the multinomial
    distribution of their frequencies: exact, at a cost that follows the patterns and not the units.
    The statistics share each sample, so figures of one call can be compared resample by resample.
    """
    terms = np.hstack([statistic.terms for statistic in statistics])
    if pattern_of is None:
        first, pattern_of = distinct_rows(_sortable(terms))
        terms = terms[first]
    if not len(pattern_of):
        return [np.full(resamples, np.nan) for _ in statistics]
    members, frequencies = _distinct_clusters(np.asarray(clusters), pattern_of, len(terms))
    edges = np.cumsum([statistic.terms.shape[1] for statistic in statistics])[:-1]
    drawn: list[list[Floats]] = [[] for _ in statistics]
    for weights in pattern_weights(frequencies, rng, resamples):
        sums = (members @ weights.T).T @ terms
        for values, statistic, part in zip(drawn, statistics, np.split(sums, edges, axis=1), strict=True):
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
    pattern_of: Counts | None = None,
) -> list[Interval]:
    """An interval for each statistic of one count matrix (units x values), or the reason why there is none.

    `pattern_of` is that of `resample`.

    None is given with fewer than 10 units beside the most common value, with a single cluster, where the figure itself
    is undefined, where more than 5 % of the resamples are undefined, and without resamples.
    """
    reason = _no_interval(counts, np.asarray(clusters)) or (None if resamples else NoInterval.NOT_YET)
    times = None if pattern_of is None else np.bincount(pattern_of, minlength=1)
    if reason:
        return [Interval(None, None, level, 0, 0.0, str(reason)) for _ in statistics]
    return [
        percentile_interval(values, level=level)
        if np.isfinite(statistic.estimate(times))
        else Interval(None, None, level, 0, 0.0, str(NoInterval.NO_VALUE))
        for statistic, values in zip(
            statistics, resample(statistics, clusters, rng, resamples, pattern_of), strict=True
        )
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


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, 0 to 1 (Wilson 1927), computed by statsmodels; n is at least 1."""
    proportion = import_module("statsmodels.stats.proportion")  # takes seconds to load
    low, high = proportion.proportion_confint(hits, n, method="wilson")
    return float(low), float(high)


def _sortable(terms: Floats) -> Counts:
    """Rows of numbers whose equality is that of the terms."""
    # Sums of the same numbers in another order differ in the last bits; adding zero turns -0.0 into 0.0.
    return (np.round(terms, 9) + 0.0).view(np.int64).view(np.uint64)


def _distinct_clusters(clusters: Counts, pattern_of: Counts, n_patterns: int) -> tuple[Any, Counts]:
    """How often each distinct cluster holds each pattern (patterns x clusters), and how often it occurs itself."""
    _, cluster = np.unique(clusters, return_inverse=True)
    # A cluster's key is the sum of its patterns' random numbers: its order follows contents, and of a million clusters
    # two different ones share a key with a chance of 1 in 10 million.
    numbers = np.random.default_rng(0).integers(2**63, size=n_patterns, dtype=np.uint64)
    keys = np.zeros(int(cluster.max()) + 1, dtype=np.uint64)
    np.add.at(keys, cluster, numbers[pattern_of])
    _, first, frequencies = np.unique(keys, return_index=True, return_counts=True)
    column = np.full(len(keys), -1)
    column[first] = np.arange(len(first))
    kept = column[cluster] >= 0
    cells = (np.ones(int(kept.sum())), (pattern_of[kept], column[cluster][kept]))
    sparse = import_module("scipy.sparse")  # takes half a second to load
    return sparse.csr_array(cells, shape=(n_patterns, len(first))), frequencies
