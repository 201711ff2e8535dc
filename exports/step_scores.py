"""Judges that score every step: the first step at or below a threshold is the first error."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.sources.records import SolutionRecord
from exports.raw_answers import Reading
from exports.scoring import Array, harmonic

DEFAULT_THRESHOLD = 0.5
DEV = "dev"
_DEV_SHARE = 5  # one problem in so many, where the release names no split


@dataclass(frozen=True, slots=True)
class Scored:
    """One item: the gold label and a score for every step; where `labelled`, 1 (right) or 0 (wrong)."""

    gold_first_error: int | None
    scores: tuple[float, ...]
    labelled: bool = False

    def at(self, threshold: float) -> float:
        """The threshold that counts here."""
        return DEFAULT_THRESHOLD if self.labelled else threshold


def reading_of(scores: Sequence[float], n_steps: int, threshold: float) -> Reading:
    """What scores say: a step is wrong when its score is not above the threshold. Wrong lengths say nothing."""
    if len(scores) != n_steps:
        return Reading("unparsed", flags=("wrong_number_of_scores",))
    first = first_at_or_below(scores, threshold)
    return Reading("parsed", first is None, first)


def first_at_or_below(scores: Sequence[float], threshold: float) -> int | None:
    """Position of the first step whose score is not above the threshold; None when all are."""
    return next((position for position, score in enumerate(scores) if score <= threshold), None)


def in_dev(item: SolutionRecord, named: bool) -> bool:
    """Whether an item belongs to the dev split: by its problem's `split`, else by a hash of the problem."""
    if named:
        return item.problem.extra.get("split") == DEV
    key = f"{DEV}\x1f{item.problem.source}\x1f{item.problem.external_id}"
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % _DEV_SHARE == 0


def split_off_dev(items: Sequence[SolutionRecord]) -> tuple[list[SolutionRecord], list[SolutionRecord], str]:
    """(dev, rest, how it was split): whole problems, never solutions of one on both sides.

    Raises: ValueError when a side is empty.
    """
    named = any(item.problem.extra.get("split") for item in items)
    dev = [item for item in items if in_dev(item, named)]
    rest = [item for item in items if not in_dev(item, named)]
    if not dev or not rest:
        raise ValueError(f"The split {DEV!r} holds {len(dev)} of {len(items)} items; both sides need some.")
    told = "problems whose extra.split is dev" if named else "one problem in five, by a hash of its source and id"
    return dev, rest, told


def scored(
    items: Iterable[SolutionRecord], scores: Mapping[str, tuple[float, ...]], labelled: Collection[str] = ()
) -> list[Scored]:
    """The items that have a score for every step; `labelled` are the ids of those with labels."""
    return [
        Scored(item.gold.verdict.first_error, scores[item.id], item.id in labelled)
        for item in items
        if item.gold is not None and len(scores.get(item.id, ())) == len(item.steps)
    ]


def tune(items: Iterable[Scored]) -> float:
    """The threshold with the highest ProcessBench F1 on these items; the middle one of equally good ones.

    Candidates lie between all neighbouring scores. Raises: ValueError without items.
    """
    group = list(items)
    values = np.unique([score for item in group if not item.labelled for score in item.scores])
    if not len(values):
        raise ValueError("No item of the dev split has scores for its steps.")
    edges = np.concatenate([[values[0] - 1.0], values[:-1] / 2 + values[1:] / 2, [values[-1]]])
    found = _f1(group, edges)
    best = np.flatnonzero(found >= found.max() - 1e-12)
    return float(edges[best[len(best) // 2]])


def _f1(items: Sequence[Scored], thresholds: Array) -> Array:
    """F1 at each of the ascending thresholds; with one class only, what is left: the accuracy on it."""
    wrong = [item for item in items if item.gold_first_error is not None]
    right = [item for item in items if item.gold_first_error is None]
    shares = [_hits(group, thresholds) / len(group) for group in (wrong, right) if group]
    return harmonic(*shares) if len(shares) == 2 else shares[0]


def _hits(items: Sequence[Scored], thresholds: Array) -> Array:
    """Items whose first step not above each threshold is the gold one: each item's thresholds are one stretch."""
    change = np.zeros(len(thresholds) + 1)
    for item in items:
        gold = item.gold_first_error
        if item.labelled:
            change[0] += first_at_or_below(item.scores, DEFAULT_THRESHOLD) == gold
            continue
        low = -np.inf if gold is None else item.scores[gold]
        first, beyond = np.searchsorted(thresholds, [low, min(item.scores[:gold], default=np.inf)])
        if first < beyond:
            change[first] += 1
            change[beyond] -= 1
    return np.cumsum(change)[:-1]


def prm_score(items: Iterable[Scored], threshold: float) -> dict[str, Any]:
    """PRMScore over all labelled steps: the mean of the F1 of right steps and the F1 of wrong ones (PRMBench).

    Labelled are all steps up to the first error; what comes after it has no gold label. None is undefined.
    """
    tp = fn = fp = tn = 0
    for item in items:
        gold = item.gold_first_error
        for position, score in enumerate(item.scores[: None if gold is None else gold + 1]):
            right, said = position != gold, score > item.at(threshold)
            tp, fn = tp + (right and said), fn + (right and not said)
            fp, tn = fp + (not right and said), tn + (not right and not said)
    positive, negative = _f_measure(tp, fp, fn), _f_measure(tn, fn, fp)
    both = None if positive is None or negative is None else (positive + negative) / 2
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    return {"prm_score": both, "f1_right_steps": positive, "f1_wrong_steps": negative, "counts": counts}


def _f_measure(hits: int, false_alarms: int, misses: int) -> float | None:
    return 2 * hits / (2 * hits + false_alarms + misses) if hits + misses else None


def step_facts(
    items: Sequence[SolutionRecord],
    scores: Mapping[str, tuple[float, ...]],
    labelled: Collection[str],
    threshold: float,
    tuned: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """`step_scores` of the grade report: PRMScore, the threshold and where it comes from; None without scores."""
    if not scores:
        return {"step_scores": None}
    known = scored(items, scores, labelled)
    origin = {"tuned": dict(tuned) if tuned else None, "rule": "a step is wrong when its score is not above it"}
    about = "steps up to the first error; later steps have no gold label"
    return {
        "step_scores": {
            "threshold": threshold,
            **origin,
            "n_items": len(known),
            "steps_counted": about,
            **prm_score(known, threshold),
        }
    }


def finite(values: Sequence[Any]) -> tuple[float, ...] | None:
    """The scores as numbers; None when one is none."""
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return None
    try:
        numbers = tuple(float(value) for value in values)
    except OverflowError:  # a whole number of hundreds of digits, which JSON allows
        return None
    return numbers if all(math.isfinite(number) for number in numbers) else None
