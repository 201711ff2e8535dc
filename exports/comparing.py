"""Compare judges on one release, paired item by item: flips, differences of every metric, ranks, power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from exports.compared_judges import (
    Judge,
    NotComparable,
    Standing,
    check_comparable,
    checks_of,
    standing,
    ways,
    word_for,
)
from exports.corrections import corrected, corrected_resamples
from exports.differences import unsigned_points
from exports.double_sampling import Confusion
from exports.flips import ledger
from exports.joint_resamples import PAIRED_RESAMPLES, Resampled, bounds, resample, two_sided_p
from exports.leaderboard import rank_judges
from exports.paired_tests import ALPHA, POWER, benjamini_hochberg, holm, smallest_difference
from exports.scoring import SCORER_VERSION, WEIGHTS, Array, score

FLIPS_ARE_RAW = gettext_noop(
    "Flips of reasons are the model's own verdicts; people's checks correct the scores, not single items."
)
INDEPENDENT = gettext_noop(
    "The tests of flips take items as independent; the intervals of the differences resample whole problems."
)
COMPARER_VERSION = "compare-4"
_DETECTABLE = 1.959964 + 0.841621  # standard errors a difference must have: alpha .05 two-sided, power .80


def compare(
    judges: Sequence[Judge],
    *,
    claims: Sequence[tuple[str, str]] = (),
    weights: Sequence[float] = WEIGHTS,
    seed: int = 0,
    resamples: int = PAIRED_RESAMPLES,
    label_noise: float | None = None,
) -> dict[str, Any]:
    """Leaderboard of two or more judges, and each claimed pair (first, second) in detail.

    Without `claims` each judge is compared with the first one. `label_noise` is the share of gold labels that are
    wrong, where it was measured. Shares are of 1; differences are second minus first.
    Raises: NotComparable.
    """
    check_comparable(judges)
    names = [judge.name for judge in judges]
    pairs = list(claims) or [(names[0], name) for name in names[1:]]
    unknown = sorted({name for pair in pairs for name in pair} - set(names))
    if unknown:
        raise NotComparable(f"There is no judge called {unknown[0]!r} among {', '.join(names)}.")
    if any(first == second for first, second in pairs):
        raise NotComparable("A claim names two different judges.")
    reasons = standing(judges)
    scored, drawn, raw = _scored(judges, reasons, weights, np.random.default_rng(seed), resamples)
    claim, word = "f1" if reasons == "not compared" else "mr_score", word_for(reasons)
    found = [_pair(judges, names.index(a), names.index(b), scored, drawn, claim, word, label_noise) for a, b in pairs]
    for pair, adjusted in zip(found, holm([pair["claim"]["p"] for pair in found]), strict=True):
        pair["claim"]["p_holm"] = adjusted
    totals = [scored[name]["macro"][claim] for name in names]
    board = rank_judges(names, totals, _spread(drawn, claim), raw)
    return {
        "judges": names,
        "leaderboard": {"metric": f"macro {claim}", "word": word, "judges": board},
        "pairs": found,
        "how": _how(weights, seed, resamples, label_noise, reasons)
        | {"reasons_by": ways(judges), "checks": checks_of(judges)},
    }


def _scored(
    judges: Sequence[Judge], reasons: Standing, weights: Sequence[float], rng: np.random.Generator, resamples: int
) -> tuple[dict[str, Mapping[str, Any]], Resampled, list[float | None]]:
    """What is compared: scores by judge and their resamples, corrected if all can be; and then the raw MR-Scores."""
    counted = reasons != "not compared"
    drawn = resample([judge.items for judge in judges], rng, weights, reasons=counted, resamples=resamples)
    scored: dict[str, Mapping[str, Any]] = {
        judge.name: score(judge.items, weights, reasons=counted) for judge in judges
    }
    if reasons != "corrected":
        return scored, drawn, [None] * len(judges)
    raw = [scored[judge.name]["macro"]["mr_score"] for judge in judges]
    checks = {judge.name: judge.checked for judge in judges if judge.checked}
    scored = {name: _corrected(scored[name], checked, weights[2]) for name, checked in checks.items()}
    return scored, corrected_resamples(drawn, list(checks.values()), rng, weights[2]), raw


def _spread(drawn: Resampled, claim: str) -> Array:
    """The claim's resamples; undefined where no subject has a second problem, since checks vary less than problems."""
    values = drawn.macro[claim]
    return values if any(drawn.several.values()) else np.full_like(values, np.nan)


def _corrected(scored: Mapping[str, Any], checked: Confusion, weight: float) -> dict[str, Any]:
    """The figures that are compared, with ACC_reason and MR-Score corrected."""

    def group(found: Mapping[str, Any]) -> dict[str, Any]:
        return {**found, **corrected(found, checked, weight)}

    subjects = {name: group(found) for name, found in scored["subjects"].items()}
    return {"macro": group(scored["macro"]), "pooled": group(scored["pooled"]), "subjects": subjects}


def _pair(
    judges: Sequence[Judge],
    first: int,
    second: int,
    scored: Mapping[str, Mapping[str, Any]],
    drawn: Resampled,
    claim: str,
    word: str,
    label_noise: float | None,
) -> dict[str, Any]:
    one, other = judges[first], judges[second]
    differences = _differences(scored[one.name], scored[other.name], drawn, first, second)
    headline = differences["macro"][claim]
    flipped = _flipped(one, other)
    verdicts = flipped["verdict"]["total"]["difference"]
    spread = _spread(drawn, claim)
    inside = label_noise is not None and verdicts is not None and abs(verdicts) < label_noise
    return {
        "first": one.name,
        "second": other.name,
        "claim": {"metric": f"macro {claim}", **headline},
        "flips": flipped,
        "differences": differences,
        "power": _power(flipped, spread[:, second] - spread[:, first], claim, word),
        "inside_label_noise": inside,
        "notes": _notes(verdicts, label_noise if inside else None, by_model=one.by_model and "reason" in flipped),
    }


def _flipped(one: Judge, other: Judge) -> dict[str, Any]:
    """The ledger; flips of reasons only where the same comparer judged both, with the `word` that belongs to them."""
    alike = one.reasons and other.reasons and one.reasons_how == other.reasons_how
    found = ledger(one.items, other.items, reasons=alike, by_model=one.by_model)
    if alike:
        found["reason"]["word"] = {"unchecked": "unchecked", "corrected": "raw"}.get(standing([one, other]), "")
    return found


def _differences(
    one: Mapping[str, Any], other: Mapping[str, Any], drawn: Resampled, first: int, second: int
) -> dict[str, Any]:
    """Every headline metric for macro, pooled and each subject; `q` adjusts over subjects (exploratory)."""

    def group(a: Mapping[str, Any], b: Mapping[str, Any], values: Mapping[str, Array], *, several: bool) -> Any:
        return {
            metric: _difference(a[metric], b[metric], found[:, second] - found[:, first] if several else None)
            for metric, found in values.items()
        }

    several = any(drawn.several.values())
    subjects = {
        name: group(one["subjects"][name], other["subjects"][name], values, several=drawn.several[name])
        for name, values in drawn.subjects.items()
    }
    for metric in drawn.macro:
        adjusted = benjamini_hochberg([found[metric]["p"] for found in subjects.values()])
        for found, q in zip(subjects.values(), adjusted, strict=True):
            found[metric]["q"] = q
    return {
        "macro": group(one["macro"], other["macro"], drawn.macro, several=several),
        "pooled": group(one["pooled"], other["pooled"], drawn.pooled, several=several),
        "subjects": subjects,
    }


def _difference(first: float | None, second: float | None, drawn: Array | None) -> dict[str, Any]:
    known = first is not None and second is not None
    return {
        "first": first,
        "second": second,
        "difference": second - first if first is not None and second is not None else None,
        "interval": bounds(drawn) if known and drawn is not None else None,
        "p": two_sided_p(drawn) if known and drawn is not None else None,
    }


def _power(flipped: Mapping[str, Any], drawn: Array, claim: str, word: str) -> dict[str, Any]:
    """What this release can tell apart: by the spread of the paired resamples, and for each kind of flip."""
    defined = drawn[np.isfinite(drawn)]
    spread = float(defined.std()) if bounds(drawn) is not None else math.nan
    least = _DETECTABLE * spread if spread > 0 else None
    kinds = {}
    for kind, found in flipped.items():
        n, counts = found["total"]["n"], found["total"]["counts"]
        discordance = (counts["repaired"] + counts["broken"]) / n if n else 0.0
        kinds[kind] = {"n": n, "discordance": discordance, "smallest": smallest_difference(n, discordance)}
    named = f"macro {claim} ({word})" if word else f"macro {claim}"
    statement = f"What difference in {named} this release can separate cannot be told from these judges."
    if least is not None:
        statement = (
            f"This release separates two judges like these that differ in {named} by "
            f"{unsigned_points(least)} points or more."
        )
    return {"alpha": ALPHA, "power": POWER, "smallest": least, "kinds": kinds, "statement": statement}


def _notes(verdicts: float | None, label_noise: float | None, *, by_model: bool) -> list[str]:
    notes = [INDEPENDENT, FLIPS_ARE_RAW] if by_model else [INDEPENDENT]
    if label_noise is not None and verdicts is not None:
        notes.append(
            f"Inside label noise: the verdicts differ by {unsigned_points(verdicts)} points, "
            f"and about {100 * label_noise:.1f} % of the gold labels are wrong."
        )
    return notes


def _how(
    weights: Sequence[float], seed: int, resamples: int, label_noise: float | None, reasons: Standing
) -> dict[str, Any]:
    return {
        "comparer_version": COMPARER_VERSION,
        "scorer_version": SCORER_VERSION,
        "weights": dict(zip(("mcc", "acc_step", "acc_reason"), weights, strict=True)),
        "reasons_standing": reasons,
        "bootstrap": {"seed": seed, "resamples": resamples, "cluster": "problem", "strata": "subject", "paired": True},
        "several_tests": {"claimed pairs": "Holm", "subjects": "Benjamini and Hochberg, exploratory"},
        "label_noise": label_noise,
    }
