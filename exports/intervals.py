"""Bootstrap intervals of a judge's scores: whole problems are drawn again, since their solutions hang together."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exports.scoring import WEIGHTS, Array, Graded, Outcome, headline

RESAMPLES = 2000
LEVEL = 0.95
_CHUNK = 200  # resamples at a time: a subject may have as many patterns as problems

Interval = tuple[float, float] | None


def intervals(
    items: Sequence[Graded],
    rng: np.random.Generator,
    weights: Sequence[float] = WEIGHTS,
    *,
    reasons: bool = True,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """95 % percentile intervals of the headline metrics, for `macro`, `pooled` and each of `subjects`.

    Problems are resampled within subjects. None where a metric is undefined, or a subject has a single problem.
    """
    groups: dict[str, list[Graded]] = defaultdict(list)
    for item in items:
        groups[item.subject].append(item)
    drawn = {name: _resampled(groups[name], rng, resamples) for name in sorted(groups)}
    values = {name: headline(outcomes, weights, reasons=reasons) for name, outcomes in drawn.items()}
    pooled = headline(sum(drawn.values(), np.zeros((resamples, len(Outcome)))), weights, reasons=reasons)
    several = {name: len({item.problem for item in group}) > 1 for name, group in groups.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing is NaN, which is what is meant
        macro = {metric: np.nanmean([found[metric] for found in values.values()], axis=0) for metric in pooled}
    return {
        "macro": _bounds(macro) if any(several.values()) else dict.fromkeys(macro),
        "pooled": _bounds(pooled) if any(several.values()) else dict.fromkeys(pooled),
        "subjects": {name: _bounds(found) if several[name] else dict.fromkeys(found) for name, found in values.items()},
    }


def _resampled(group: Sequence[Graded], rng: np.random.Generator, resamples: int) -> Array:
    """Counts of outcomes (resamples, 6). Problems with equal counts are one pattern: drawing patterns is exact."""
    rows = {problem: row for row, problem in enumerate(sorted({item.problem for item in group}))}
    counted: NDArray[np.int64] = np.zeros((len(rows), len(Outcome)), dtype=np.int64)
    for item in group:
        counted[rows[item.problem], item.outcome] += 1
    patterns, often = np.unique(counted, axis=0, return_counts=True)
    shares = often / often.sum()
    sizes = [min(_CHUNK, resamples - start) for start in range(0, resamples, _CHUNK)]
    draws = [rng.multinomial(len(rows), shares, size=size).astype(np.float64) @ patterns for size in sizes]
    return np.concatenate(draws)


def _bounds(values: dict[str, Array]) -> dict[str, Interval]:
    tail = (1 - LEVEL) / 2
    found: dict[str, Interval] = {}
    for metric, drawn in values.items():
        defined = drawn[~np.isnan(drawn)]
        low, high = np.quantile(defined, [tail, 1 - tail]) if defined.size else (np.nan, np.nan)
        found[metric] = None if np.isnan(low) else (float(low), float(high))
    return found
