"""What of a record a foreign format has no place for."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotation.sources.records import Oddity, SolutionRecord


def no_gold(record: SolutionRecord) -> Oddity:
    """The record is left out: the format has no place for a solution without a gold label."""
    return Oddity("no_gold_label", "blocking", record.id, "gold", "This solution has no gold label and is left out.")


def losses(record: SolutionRecord, *, kept: Collection[str]) -> Iterator[Oddity]:
    """One oddity for each part of the record that is filled and not among those the format keeps."""
    for name, filled in _parts(record).items():
        if filled and name not in kept:
            message = f"The format has no place for {name}."
            yield Oddity("not_expressible", "warning", record.id, name, message)


def _parts(record: SolutionRecord) -> dict[str, bool]:
    problem, gold = record.problem, record.gold
    return {
        "options": bool(problem.options),
        "answer_keys": bool(problem.answer_keys),
        "older answer_keys": len(problem.answer_keys) > 2,
        "reference_solution": bool(problem.reference_solution),
        "level": bool(problem.level),
        "labels": bool(record.labels),
        "placement": gold is not None and gold.verdict.placement == "before",
        "category": gold is not None and bool(gold.verdict.category),
        "reason": gold is not None and bool(gold.verdict.reason or gold.reasons),
        "rectified": gold is not None and bool(gold.verdict.rectified or any(pair[1] for pair in gold.reasons)),
    }
