"""Compare judges on one release, paired item by item: flips, differences of every metric, ranks, power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from exports.flips import ledger
from exports.joint_resamples import PAIRED_RESAMPLES, Resampled, bounds, resample, two_sided_p
from exports.leaderboard import rank_judges
from exports.paired_tests import ALPHA, POWER, benjamini_hochberg, holm, smallest_difference
from exports.scoring import WEIGHTS, Array, Graded, score

INDEPENDENT = gettext_noop(
    "The tests of flips take items as independent; the intervals of the differences resample whole problems."
)
COMPARER_VERSION = "compare-2"
_DETECTABLE = 1.959964 + 0.841621  # standard errors a difference must have: alpha .05 two-sided, power .80


class NotComparable(ValueError):
    """These judges did not answer the same items, or were not graded in the same way."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge's graded items. `reasons` tells whether, and `reasons_how` by what, its reasons were compared.

    Figures of ACC_reason from different comparers (or corrected and raw ones) are not compared with each other.
    """

    name: str
    items: tuple[Graded, ...]
    reasons: bool = False
    reasons_how: str = ""
    unchecked: bool = False  # a model compared its reasons, and no people checked that


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
    _check(judges)
    names = [judge.name for judge in judges]
    pairs = list(claims) or [(names[0], name) for name in names[1:]]
    unknown = sorted({name for pair in pairs for name in pair} - set(names))
    if unknown:
        raise NotComparable(f"There is no judge called {unknown[0]!r} among {', '.join(names)}.")
    reasons = all(judge.reasons for judge in judges)
    drawn = resample(
        [judge.items for judge in judges], np.random.default_rng(seed), weights, reasons=reasons, resamples=resamples
    )
    scored = {judge.name: score(judge.items, weights, reasons=reasons) for judge in judges}
    claim = "mr_score" if reasons else "f1"
    found = [_pair(judges, names.index(a), names.index(b), scored, drawn, claim, label_noise) for a, b in pairs]
    for pair, adjusted in zip(found, holm([pair["claim"]["p"] for pair in found]), strict=True):
        pair["claim"]["p_holm"] = adjusted
    totals = [scored[name]["macro"][claim] for name in names]
    return {
        "judges": names,
        "leaderboard": {"metric": f"macro {claim}", "judges": rank_judges(names, totals, drawn.macro[claim])},
        "pairs": found,
        "how": _how(weights, seed, resamples, label_noise, reasons=reasons)
        | {"reasons_unchecked": reasons and any(judge.unchecked for judge in judges)},
    }


def _check(judges: Sequence[Judge]) -> None:
    if len(judges) < 2:
        raise NotComparable("Two judges at least are needed.")
    if len({judge.name for judge in judges}) < len(judges):
        raise NotComparable("Two judges have the same name.")
    if not judges[0].items:
        raise NotComparable("The release has no items.")
    gold = [_gold(item) for item in judges[0].items]
    for judge in judges[1:]:
        if [_gold(item) for item in judge.items] != gold:
            raise NotComparable(f"{judge.name} and {judges[0].name} were not graded on the same items.")
    ways = {judge.reasons_how for judge in judges if judge.reasons}
    if all(judge.reasons for judge in judges) and len(ways) > 1:
        raise NotComparable(f"The reasons were compared in different ways: {'; '.join(sorted(ways))}.")


def _gold(item: Graded) -> tuple[object, ...]:
    return item.id, item.subject, item.problem, item.gold_correct, item.gold_step


def _pair(
    judges: Sequence[Judge],
    first: int,
    second: int,
    scored: Mapping[str, Mapping[str, Any]],
    drawn: Resampled,
    claim: str,
    label_noise: float | None,
) -> dict[str, Any]:
    one, other = judges[first], judges[second]
    differences = _differences(scored[one.name], scored[other.name], drawn, first, second)
    headline = differences["macro"][claim]
    flipped = ledger(one.items, other.items, reasons=one.reasons and other.reasons)
    return {
        "first": one.name,
        "second": other.name,
        "claim": {"metric": f"macro {claim}", **headline},
        "flips": flipped,
        "differences": differences,
        "power": _power(flipped, drawn.macro[claim][:, second] - drawn.macro[claim][:, first], claim),
        "notes": _notes(flipped, label_noise),
    }


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


def _power(flipped: Mapping[str, Any], drawn: Array, claim: str) -> dict[str, Any]:
    """What this release can tell apart: by the spread of the paired resamples, and for each kind of flip."""
    defined = drawn[np.isfinite(drawn)]
    spread = float(defined.std()) if bounds(drawn) is not None else math.nan
    least = _DETECTABLE * spread if spread > 0 else None
    kinds = {}
    for kind, found in flipped.items():
        n, counts = found["total"]["n"], found["total"]["counts"]
        discordance = (counts["repaired"] + counts["broken"]) / n if n else 0.0
        kinds[kind] = {"n": n, "discordance": discordance, "smallest": smallest_difference(n, discordance)}
    told = "the judges do not differ enough to tell" if least is None else f"{100 * least:.1f} points or more"
    statement = f"This release separates two judges like these that differ in macro {claim} by {told}."
    return {"alpha": ALPHA, "power": POWER, "smallest": least, "kinds": kinds, "statement": statement}


def _notes(flipped: Mapping[str, Any], label_noise: float | None) -> list[str]:
    notes = [INDEPENDENT]
    difference = flipped["verdict"]["total"]["difference"]
    if label_noise is not None and difference is not None and abs(difference) < label_noise:
        notes.append(
            f"Inside label noise: the verdicts differ by {100 * abs(difference):.1f} points, "
            f"and about {100 * label_noise:.1f} % of the gold labels are wrong."
        )
    return notes


def _how(
    weights: Sequence[float], seed: int, resamples: int, label_noise: float | None, *, reasons: bool
) -> dict[str, Any]:
    return {
        "comparer_version": COMPARER_VERSION,
        "weights": dict(zip(("mcc", "acc_step", "acc_reason"), weights, strict=True)),
        "reasons_compared": reasons,
        "bootstrap": {"seed": seed, "resamples": resamples, "cluster": "problem", "strata": "subject", "paired": True},
        "several_tests": {"claimed pairs": "Holm", "subjects": "Benjamini and Hochberg, exploratory"},
        "label_noise": label_noise,
    }
