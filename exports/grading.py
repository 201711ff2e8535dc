"""Grade a judge's answers against a release: parse, compare reasons, score, and say how it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from annotation.sources.records import SolutionRecord
from exports.answer_lines import Answer
from exports.baselines import baselines
from exports.breakdowns import breakdowns
from exports.ceiling import human_scores, noise_facts
from exports.confidence import confidence_facts
from exports.folder import ReleaseFolder
from exports.grade_facts import answer_facts, cost_of, how_facts, reason_facts
from exports.intervals import intervals
from exports.parsing import Answers
from exports.reasons import NO_REASONS, Progress, ReasonPolicy
from exports.scoring import WEIGHTS, Graded, check_weights, group_score, score
from exports.step_scores import step_facts
from review.comparison import Case, Comparison, case_of

HEADLINE = ("mr_score", "mcc", "acc_step", "acc_reason", "f1", "error_accuracy", "correct_accuracy")
AVERAGES = ("macro", "pooled", "item_weighted", "subjects")


@dataclass(frozen=True, slots=True)
class Row:
    """One item as it was graded. `reason_same` is None where nothing was compared or nothing was decided."""

    id: str
    subject: str
    gold_correct: bool
    gold_first_error: int | None
    status: str
    flags: tuple[str, ...]
    correct: bool | None
    first_error: int | None
    category: str
    reason: str
    rectified: str
    confidence: float | None
    compared: bool
    reason_same: bool | None
    explanation: str
    raw: str

    def as_dict(self) -> dict[str, Any]:
        """The row by name, in the order of the definition."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GradeReport:
    """The report as stored and printed; the rows that make it and what was scored, in the order of the release."""

    report: Mapping[str, Any]
    rows: tuple[Row, ...]
    graded: tuple[Graded, ...] = ()
    cases: Mapping[str, Case] = field(default_factory=dict)  # the reasons that were compared, by item id

    def as_dict(self) -> dict[str, Any]:
        """The report: headline metrics on top (the macro average), then everything that makes them."""
        return dict(self.report)


def grade(
    folder: ReleaseFolder,
    answers: Answers,
    *,
    reasons: ReasonPolicy = NO_REASONS,
    weights: Sequence[float] = WEIGHTS,
    seed: int = 0,
    progress: Progress | None = None,
    label_noise: float | None = None,
    tuned: Mapping[str, Any] | None = None,
) -> GradeReport:
    """Grade answers that were read against the items of this release.

    Only an item whose first error was found at the right step has its reason compared. Unparsed, abstained and missing
    answers are wrong. `progress` gets done and total comparisons; `seed` is that of the bootstrap; `label_noise` is
    the share of gold labels known to be wrong, else what the release says was measured; `tuned` tells on what the
    threshold of step scores was tuned.
    Raises: ValueError for weights that are no shares of 1; what the reason policy raises.
    """
    check_weights(weights)
    graded = [_graded(item, answer) for item, answer in zip(folder.items, answers.answers, strict=True)]
    cases = _cases(folder.items, answers.answers, graded)
    why_not = _why_no_reasons(folder.items, reasons)
    compared = reasons.compare(cases, progress) if reasons.compare and not why_not else {}
    checks = reasons.check(cases, compared, seed) if reasons.check and compared else None
    graded = [replace(item, reason_same=compared[item.id].same) if item.id in compared else item for item in graded]
    final_right = {item.id: _final_right(item) for item in folder.items}
    rows = tuple(map(_row, graded, answers.answers, [compared.get(item.id) for item in graded]))
    report = {
        **_scores(graded, weights, seed, reasons=not why_not),
        "baselines": _baselines(graded, final_right, weights, reasons=not why_not),
        "breakdowns": breakdowns(folder.items, graded, final_right, reasons=not why_not),
        **step_facts(folder.items, answers.step_scores, answers.labelled, answers.threshold, tuned),
        "cost": cost_of(answers),
        "answers": answer_facts(answers, (flag for row in rows for flag in row.flags)),
        "reasons": {
            "mode": reasons.mode,
            **reasons.facts,
            **reason_facts(compared, why_not, reasons.mode),
            "self_checks": checks,
        },
        **noise_facts(graded, folder.manifest, label_noise, weights),
        **human_scores(folder.items, folder.votes),
        **confidence_facts(graded, [answer.confidence for answer in answers.answers], seed),
        "how": how_facts(folder, answers.parser, weights, seed),
    }
    return GradeReport(report, rows, tuple(graded), cases)


def _graded(item: SolutionRecord, answer: Answer) -> Graded:
    if item.gold is None:
        raise ValueError(f"{item.id} has no gold label.")
    return Graded(
        id=item.id,
        subject=item.problem.subject,
        problem=f"{item.problem.source}\x1f{item.problem.external_id}",
        gold_correct=item.gold.verdict.correct,
        gold_step=item.gold.verdict.first_error,
        correct=answer.reading.correct,
        step=answer.reading.first_error,
    )


def _cases(items: Sequence[SolutionRecord], answers: Sequence[Answer], graded: Sequence[Graded]) -> dict[str, Case]:
    return {
        item.id: case_of(item, answer.reading.reason, answer.reading.rectified)
        for item, answer, outcome in zip(items, answers, graded, strict=True)
        if outcome.step_hit
    }


def _why_no_reasons(items: Sequence[SolutionRecord], reasons: ReasonPolicy) -> str:
    """Why ACC_reason has no value in this grading; empty when it has one."""
    if reasons.compare is None:
        return gettext_noop("Reasons were not compared.")
    wrong = [item.gold for item in items if item.gold and not item.gold.verdict.correct]
    if not any(gold.verdict.reason.strip() or gold.reasons for gold in wrong):
        return gettext_noop("The gold labels of this release have no reasons.")
    return ""


def _row(item: Graded, answer: Answer, comparison: Comparison | None) -> Row:
    reading = answer.reading
    undecided = comparison is not None and comparison.same is None
    return Row(
        id=item.id,
        subject=item.subject,
        gold_correct=item.gold_correct,
        gold_first_error=item.gold_step,
        status=reading.status,
        flags=(*reading.flags, "reason_unresolved") if undecided else reading.flags,
        correct=reading.correct,
        first_error=reading.first_error,
        category=reading.category,
        reason=reading.reason,
        rectified=reading.rectified,
        confidence=answer.confidence,
        compared=comparison is not None,
        reason_same=comparison.same if comparison else None,
        explanation=comparison.explanation if comparison else "",
        raw=answer.raw,
    )


def _scores(graded: Sequence[Graded], weights: Sequence[float], seed: int, *, reasons: bool) -> dict[str, Any]:
    scored = score(graded, weights, reasons=reasons)
    answered = [item for item in graded if item.correct is not None]
    pooled = scored["pooled"]
    return {
        **{name: scored["macro"][name] for name in HEADLINE},
        "headline": "macro: the unweighted mean over subjects",
        "counts": pooled["counts"],
        "parse_rate": pooled["parse_rate"],
        "reason_bounds": pooled["reason_bounds"],
        **{name: scored[name] for name in AVERAGES},
        "answered_only": {**group_score(answered, weights, reasons=reasons), "coverage": pooled["parse_rate"]},
        "intervals": intervals(graded, np.random.default_rng(seed), weights, reasons=reasons),
    }


def _baselines(
    graded: Sequence[Graded], final_right: Mapping[str, bool | None], weights: Sequence[float], *, reasons: bool
) -> list[dict[str, Any]]:
    found = []
    for baseline in baselines(graded, final_right):
        scored = score(baseline.items, weights, reasons=reasons)
        told = {"name": baseline.name, "description": baseline.description, "steps": dict(baseline.steps)}
        found.append({**told, **{name: scored[name] for name in AVERAGES}})
    return found


def _final_right(item: SolutionRecord) -> bool | None:
    """Whether the final answer is in the answer key in force, else what the source says of it; None when unknown."""
    if item.final_answer is None or not item.problem.answer_keys:
        told = item.provenance.get("final_answer_correct")
        return told if isinstance(told, bool) else None
    return item.final_answer.strip().casefold() in {key.strip().casefold() for key in item.problem.answer_keys[-1]}
