"""Does a judge know when it is right? Calibration of its stated confidence, in bins that hold equally many answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exports.scoring import Array
from review.pattern_weights import pattern_weights

BINS, LEAST_IN_BIN = 10, 50
RESAMPLES = 2000
SIMULATIONS = 500


def wilson(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share; n is at least 1."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, root = hits + z * z / 2, z * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return max(0.0, (middle - root) / (n + z * z)), min(1.0, (middle + root) / (n + z * z))


def equal_mass_bins(confidence: ArrayLike, bins: int | None = None) -> NDArray[np.int64]:
    """A bin number from 0 for each answer: answers in order of confidence, about equally many to a bin, ties together.

    Without `bins` there are 10, or fewer so that each holds 50 answers if there are that many. Large blocks of ties
    make fewer bins.
    """
    stated = np.asarray(confidence, dtype=np.float64)
    wanted = bins or max(1, min(BINS, len(stated) // LEAST_IN_BIN))
    _, inverse, often = np.unique(stated, return_inverse=True, return_counts=True)
    middle = np.cumsum(often) - often / 2  # a block of ties goes where its middle falls
    numbers = np.minimum((middle * wanted / max(len(stated), 1)).astype(np.int64), wanted - 1)
    packed = np.unique(numbers, return_inverse=True)[1][inverse]
    return packed if bins else _filled(np.bincount(packed))[packed]


def _filled(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """A new number for each bin: neighbours are put together until they hold 50, what is left at the end goes back."""
    numbers, number, held = np.zeros(len(sizes), dtype=np.int64), 0, 0
    for place, size in enumerate(sizes):
        numbers[place] = number
        held += int(size)
        if held >= LEAST_IN_BIN:
            number, held = number + 1, 0
    return np.minimum(numbers, max(number - 1, 0)) if held else numbers


def bin_errors(confidence: ArrayLike, right: ArrayLike, bins: NDArray[np.int64]) -> tuple[float, float]:
    """(RMS calibration error, ECE): root mean square and mean of |share right - mean confidence|, weighted by bin size.

    Every bin counts, the most confident one too. nan without answers.
    """
    stated, hits = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if not len(stated):
        return math.nan, math.nan
    off = np.bincount(bins, weights=hits - stated)
    sizes = np.bincount(bins)
    return float(np.sqrt((off**2 / sizes).sum() / len(stated))), float(np.abs(off).sum() / len(stated))


def brier(confidence: ArrayLike, right: ArrayLike) -> float:
    """Mean squared distance between stated confidence and 1 (right) or 0 (wrong); 0 is best. nan without answers."""
    off = np.asarray(confidence, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    return float((off**2).mean()) if len(off) else math.nan


def under_perfect_calibration(confidence: Array, bins: NDArray[np.int64], rng: np.random.Generator) -> dict[str, float]:
    """RMS error and ECE that a perfectly calibrated judge would show on average with these confidences.

    Binned errors are above 0 by chance alone; each right or wrong is drawn with the stated probability.
    """
    sizes = np.bincount(bins)
    order = np.argsort(bins, kind="stable")
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    rms, ece = [], []
    for _ in range(SIMULATIONS):
        off = np.add.reduceat(((rng.random(len(confidence)) < confidence) - confidence)[order], starts)
        rms.append(math.sqrt((off**2 / sizes).sum() / len(confidence)))
        ece.append(np.abs(off).sum() / len(confidence))
    return {"rms": float(np.mean(rms)), "ece": float(np.mean(ece))}


def reliability(confidence: Array, right: Array, bins: NDArray[np.int64]) -> list[dict[str, Any]]:
    """One point for each bin: answers, mean confidence, share right with its Wilson interval, range of confidence."""
    points = []
    for number in range(int(bins.max()) + 1):
        here = bins == number
        n, hits = int(here.sum()), int(right[here].sum())
        low, high = wilson(hits, n)
        points.append(
            {
                "n": n,
                "right": hits,
                "confidence": float(confidence[here].mean()),
                "share": hits / n,
                "interval": [low, high],
                "range": [float(confidence[here].min()), float(confidence[here].max())],
            }
        )
    return points


def calibration(
    confidence: Sequence[float], right: Sequence[bool], problems: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """Calibration of verdicts that came with a confidence (probability that the verdict is right); at least one.

    Intervals resample whole problems with the bins kept.
    """
    stated, hits = np.array(confidence, dtype=np.float64), np.array(right, dtype=np.float64)
    rng = np.random.default_rng(seed)
    bins = equal_mass_bins(stated)
    rms, ece = bin_errors(stated, hits, bins)
    return {
        "n": len(stated),
        "mean_confidence": float(stated.mean()),
        "share_right": float(hits.mean()),
        "rms": rms,
        "ece": ece,
        "brier": brier(stated, hits),
        "intervals": _intervals(stated, hits, bins, problems, rng),
        "expected_if_calibrated": under_perfect_calibration(stated, bins, rng),
        "bins": reliability(stated, hits, bins),
    }


def _intervals(
    stated: Array, hits: Array, bins: NDArray[np.int64], problems: Sequence[str], rng: np.random.Generator
) -> dict[str, list[float] | None]:
    """Percentile intervals over resampled problems; None with a single problem."""
    groups = np.unique(np.array(problems, dtype=object), return_inverse=True)[1]
    n_groups, n_bins = int(groups.max()) + 1, int(bins.max()) + 1
    if n_groups < 2:
        return {"rms": None, "ece": None, "brier": None}
    terms = np.zeros((len(stated), 2 * n_bins + 1))
    places = np.arange(len(stated))
    terms[places, bins], terms[places, n_bins + bins], terms[:, -1] = hits - stated, 1.0, (hits - stated) ** 2
    sums = np.zeros((n_groups, terms.shape[1]))
    np.add.at(sums, groups, terms)
    ones = np.ones(n_groups, dtype=np.int64)
    drawn = np.concatenate([weights @ sums for weights in pattern_weights(ones, rng, RESAMPLES)])
    off, sizes = drawn[:, :n_bins], drawn[:, n_bins : 2 * n_bins]
    n = sizes.sum(axis=1)
    squares = np.divide(off**2, sizes, out=np.zeros_like(off), where=sizes > 0)
    found = {"rms": np.sqrt(squares.sum(axis=1) / n), "ece": np.abs(off).sum(axis=1) / n, "brier": drawn[:, -1] / n}
    return {name: [float(edge) for edge in np.quantile(values, [0.025, 0.975])] for name, values in found.items()}
