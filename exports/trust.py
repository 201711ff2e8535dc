"""A grade report corrected by people's checks of the model's verdicts on reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from exports import double_sampling
from exports.corrections import corrected, corrected_resamples
from exports.double_sampling import CannotCorrect, Confusion
from exports.grading import GradeReport
from exports.human_checks import Checks, check_origin, drawn_from, verdicts
from exports.joint_resamples import Values, bounds, resample
from exports.scoring import Graded


def with_checks(report: GradeReport, checks: Checks) -> GradeReport:
    """The report with what people's checks say of the model's verdicts, and corrected ACC_reason and MR-Score.

    Everything is under reasons.trust; the raw figures stay where they were.
    Raises: CannotCorrect when the sample is too small or not of this judge, model and prompt.
    """
    facts = report.as_dict()
    if facts["reasons"]["mode"] != "llm" or facts["reasons"]["why_null"]:
        raise CannotCorrect("No model compared the reasons of this grading, so there is nothing to check.")
    weights = tuple(facts["how"]["weights"].values())
    seed = facts["how"]["bootstrap"]["seed"]
    trust = {"status": "checked", **_trust(report.graded, facts, checks, drawn_from(facts), weights, seed)}
    return replace(report, report={**facts, "reasons": {**facts["reasons"], "trust": trust}})


def _confusion(checks: Checks, told: Mapping[str, bool], origin: Mapping[str, str]) -> Confusion:
    """The checked verdicts. Raises: CannotCorrect when the sample is not of this grading."""
    check_origin(checks, origin)
    strange = [item for item in checks.same if item not in told]
    if strange:
        raise CannotCorrect(f"{strange[0]} was checked by people, but its reason was not compared in this grading.")
    cells = [(told[item], human) for item, human in checks.same.items()]
    return Confusion(*(cells.count(cell) for cell in ((True, True), (False, True), (True, False), (False, False))))


def _trust(
    graded: Sequence[Graded],
    scored: Mapping[str, Any],
    checks: Checks,
    origin: Mapping[str, str],
    weights: Sequence[float],
    seed: int,
) -> dict[str, Any]:
    """Agreement with people, the corrected share of right reasons, and corrected ACC_reason and MR-Score.

    `scored` has the raw metrics under macro, pooled, item_weighted and subjects. PPV and NPV are those of the whole
    sample; how often each verdict occurs is each group's own. Raises: CannotCorrect.
    """
    told = verdicts(graded)
    checked = _confusion(checks, told, origin)
    n_same, n_all = sum(told.values()), len(told)
    checked.check(n_same, n_all)
    rng = np.random.default_rng(seed)
    theta = double_sampling.corrected_rate(checked, n_same, n_all)
    return {
        "agreement": double_sampling.agreement(checked, n_same, n_all, rng, plain=checks.plain),
        "between_people": checks.between_people,
        "right_given_step": {"estimate": theta.estimate, "interval": theta.interval, "raw": n_same / n_all},
        "ppi": _ppi(checks, checked, n_same, n_all),
        "corrected": _corrected(graded, scored, checked, weights, rng),
    }


def _ppi(checks: Checks, checked: Confusion, n_same: int, n_all: int) -> dict[str, Any] | None:
    if not checks.plain or n_all - checked.n < 2:
        return None
    rate = double_sampling.ppi_rate(checked, n_same, n_all)
    return {"estimate": rate.estimate, "interval": rate.interval}


def _corrected(
    graded: Sequence[Graded],
    scored: Mapping[str, Any],
    checked: Confusion,
    weights: Sequence[float],
    rng: np.random.Generator,
) -> dict[str, Any]:
    drawn = corrected_resamples(resample([graded], rng, weights), [checked], rng, weights[2])

    def group(found: Mapping[str, Any], values: Values | None) -> dict[str, Any]:
        points = corrected(found, checked, weights[2])
        return {**points, "intervals": {name: bounds(values[name][:, 0]) if values else None for name in points}}

    several = any(drawn.several.values())
    return {
        "macro": group(scored["macro"], drawn.macro if several else None),
        "pooled": group(scored["pooled"], drawn.pooled if several else None),
        "item_weighted": group(scored["item_weighted"], None),
        "subjects": {
            name: group(scored["subjects"][name], values if drawn.several[name] else None)
            for name, values in drawn.subjects.items()
        },
    }
