"""What the confidence of a judge is worth, as a part of the grade report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from exports.calibration import calibration
from exports.risk_coverage import risk_coverage
from exports.scoring import Graded


def confidence_facts(graded: Sequence[Graded], confidence: Sequence[float | None], seed: int) -> dict[str, Any]:
    """`calibration` and `risk_coverage` of the verdicts, or None for both and `why_no_confidence`.

    Confidence is the stated probability that the verdict is right; it is never made up for those that state none.
    """
    stated = [
        (item, sure)
        for item, sure in zip(graded, confidence, strict=True)
        if sure is not None and item.correct is not None
    ]
    if not stated:
        why = gettext_noop("No answer with a verdict states a confidence.")
        return {"calibration": None, "risk_coverage": None, "why_no_confidence": why}
    sure = [value for _, value in stated]
    right = [item.correct is item.gold_correct for item, _ in stated]
    found = calibration(sure, right, [item.problem for item, _ in stated], seed)
    found["by_subject"] = _by_subject([item.subject for item, _ in stated], sure, right)
    return {"calibration": found, "risk_coverage": risk_coverage(sure, right, len(graded)), "why_no_confidence": ""}


def _by_subject(subjects: Sequence[str], sure: Sequence[float], right: Sequence[bool]) -> dict[str, Any]:
    """Calibration of subject means: a judge can be calibrated by subject and not by item, or the other way round.

    `rms` is the root mean square over subjects of share right minus mean confidence, weighted by answers.
    """
    names, inverse = np.unique(np.array(subjects, dtype=object), return_inverse=True)
    sizes = np.bincount(inverse)
    mean = np.bincount(inverse, weights=np.array(sure)) / sizes
    share = np.bincount(inverse, weights=np.array(right, dtype=np.float64)) / sizes
    return {
        "rms": float(np.sqrt(np.average((share - mean) ** 2, weights=sizes))),
        "subjects": {
            str(name): {"n": int(sizes[place]), "confidence": float(mean[place]), "share": float(share[place])}
            for place, name in enumerate(names)
        },
    }
