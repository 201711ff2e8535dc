"""Judges in order of a metric, with how sure that order is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from exports.joint_resamples import bounds
from exports.scoring import Array


def rank_judges(
    names: Sequence[str], scores: Sequence[float | None], values: Array, raw: Sequence[float | None] | None = None
) -> list[dict[str, Any]]:
    """Judges from best to worst with the interval of the score and of the rank (1 is best).

    `values` (resamples, judges) are the metric in shared resamples. `first` is the share of resamples in which a judge
    is first; judges that are equal there share it, and have their mean rank. Without a score there is no rank.
    `raw` are the scores before a correction.
    """
    known = np.isfinite(values).all(axis=1)
    ranks = _ranks(values[known]) if known.mean() >= 0.95 else None
    rows = []
    for judge, (name, score, before) in enumerate(zip(names, scores, raw or [None] * len(names), strict=True)):
        row: dict[str, Any] = {"judge": name, "score": score, "raw": before}
        row |= dict.fromkeys(("interval", "rank_interval", "first"))
        if score is not None and ranks is not None:
            around = bounds(values[:, judge])
            low, high = np.quantile(ranks[:, judge], [0.025, 0.975])
            row |= {"interval": around, "rank_interval": (float(low), float(high)), "first": _first(ranks, judge)}
        rows.append(row)
    order = sorted(rows, key=lambda row: (row["score"] is None, -(row["score"] or 0.0)))
    for row in order:
        better = sum(other["score"] is not None and other["score"] > (row["score"] or 0.0) for other in rows)
        row["rank"] = None if row["score"] is None else 1 + better
    return order


def _ranks(values: Array) -> Array:
    """Ranks (resamples, judges), the best 1, equals their mean."""
    higher = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    ranks: Array = 1 + higher + (equal - 1) / 2
    return ranks


def _first(ranks: Array, judge: int) -> float:
    best = ranks.min(axis=1, keepdims=True)
    firsts = ranks == best
    return float((firsts[:, judge] / firsts.sum(axis=1)).mean())
