"""Answer only when sure: the error rate against the share of items answered, most confident first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exports.scoring import Array

COVERAGES = (0.5, 0.8, 0.9)
RISK = 0.05
_MOST_POINTS = 200


def risks(confidence: ArrayLike, right: ArrayLike) -> Array:
    """Error rate among the k most confident answers, for k = 1 to n (Geifman and El-Yaniv 2017).

    Among equal confidences the order is unknown: errors grow evenly there, the mean over all orders.
    """
    stated, wrong = np.asarray(confidence, dtype=np.float64), 1 - np.asarray(right, dtype=np.float64)
    _, inverse, often = np.unique(-stated, return_inverse=True, return_counts=True)
    share = np.bincount(inverse, weights=wrong, minlength=len(often)) / often
    found: Array = np.cumsum(np.repeat(share, often)) / np.arange(1, len(stated) + 1)
    return found


def aurc(confidence: ArrayLike, right: ArrayLike) -> tuple[float, float]:
    """(AURC, E-AURC): the mean risk, and what of it an ideal order of the same answers would avoid. At least one."""
    hits = np.asarray(right, dtype=np.float64)
    area = float(risks(confidence, hits).mean())
    return area, area - float(risks(hits, hits).mean())


def risk_coverage(confidence: Sequence[float], right: Sequence[bool], n_items: int) -> dict[str, Any]:
    """Risk and coverage of the answers with a confidence, at least one, out of `n_items` of the release.

    `risk_at` gives None for a coverage that is not reached: items without an answer end the curve early.
    """
    curve = risks(confidence, right)
    area, excess = aurc(confidence, right)
    below = np.flatnonzero(curve <= RISK)
    return {
        "n": len(curve),
        "n_items": n_items,
        "maximum_coverage": len(curve) / n_items,
        "aurc": area,
        "e_aurc": excess,
        "risk_at": {f"{coverage:g}": _at(curve, coverage, n_items) for coverage in COVERAGES},
        "coverage_at": {f"{RISK:g}": (int(below[-1]) + 1) / n_items if len(below) else 0.0},
        "curve": _points(curve, n_items),
    }


def _at(curve: Array, coverage: float, n_items: int) -> float | None:
    number = int(np.ceil(coverage * n_items - 1e-9))
    return float(curve[max(number, 1) - 1]) if number <= len(curve) else None


def _points(curve: Array, n_items: int) -> list[list[float]]:
    """At most 200 points (coverage, risk) for a plot."""
    places = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), _MOST_POINTS)).astype(np.int64))
    return [[(int(place) + 1) / n_items, float(curve[place])] for place in places]
