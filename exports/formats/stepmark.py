"""Stepmark's own lines: everything a record holds, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TextIO

from annotation.sources.records import GoldRecord, LabelRecord, Oddity, SolutionRecord


def write(records: Iterable[SolutionRecord], out: TextIO) -> list[Oddity]:
    """Write one line a record, labels included; nothing is lost."""
    for record in records:
        out.write(line(record) + "\n")
    return []


def line(record: SolutionRecord, *, labels: bool = True) -> str:
    """The JSON line of a record, without its line end; a release leaves the labels out."""
    return json.dumps(as_object(record, labels=labels), ensure_ascii=False, allow_nan=False)


def as_object(record: SolutionRecord, *, labels: bool = True) -> dict[str, Any]:
    """The record as a JSON object, keys in the order of the format."""
    problem = record.problem
    made: dict[str, Any] = {
        "id": record.id,
        "source": problem.source,
        "external_id": problem.external_id,
        "subject": problem.subject,
        "level": problem.level,
        "question": problem.question,
        "options": [{"label": option.label, "text": option.text} for option in problem.options],
        "answer_keys": [list(accepted) for accepted in problem.answer_keys],
        "reference_solution": problem.reference_solution,
        "text_format": problem.text_format,
        "extra": dict(problem.extra),
        "sampled_from": record.sampled_from,
        "ordinal": record.ordinal,
        "raw_text": record.raw_text,
        "final_answer": record.final_answer,
        "provenance": dict(record.provenance),
        "steps": [
            {"label": step.label, "kind": step.kind, "text": step.text, "start": step.start, "end": step.end}
            for step in record.steps
        ],
        "gold": _gold(record.gold),
    }
    return made | ({"labels": [_label(label) for label in record.labels]} if labels else {})


def _gold(gold: GoldRecord | None) -> dict[str, Any] | None:
    if gold is None:
        return None
    return {**asdict(gold.verdict), "reasons": [list(pair) for pair in gold.reasons], "basis": gold.basis}


def _label(label: LabelRecord) -> dict[str, Any]:
    made = {"annotator": label.annotator, **asdict(label.verdict)}
    return made | ({"active_seconds": label.active_seconds} if label.active_seconds else {})
