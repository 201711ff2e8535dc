"""Bootstrap intervals of a judge's scores: whole problems are drawn again, since their solutions hang together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from exports.joint_resamples import Values, bounds, resample
from exports.scoring import WEIGHTS, Graded

RESAMPLES = 2000
LEVEL = 0.95

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
    drawn = resample([items], rng, weights, reasons=reasons, resamples=resamples)
    several = any(drawn.several.values())
    return {
        "macro": _bounds(drawn.macro, several=several),
        "pooled": _bounds(drawn.pooled, several=several),
        "subjects": {name: _bounds(found, several=drawn.several[name]) for name, found in drawn.subjects.items()},
    }


def _bounds(values: Values, *, several: bool) -> dict[str, Interval]:
    return {metric: bounds(drawn[:, 0], LEVEL) if several else None for metric, drawn in values.items()}
