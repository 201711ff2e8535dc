"""ProcessBench files: a JSON array of solutions in steps, label 0-based, -1 for none."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from annotation.answers import final_answer_is_right
from annotation.sources.records import GoldRecord, Oddity, SolutionRecord
from exports.formats.losses import losses, no_gold


def write(records: Iterable[SolutionRecord], out: TextIO) -> list[Oddity]:
    """Write the records that have a gold label; what stands after the first error is unlabelled in this format."""
    objects, oddities = [], []
    for record in records:
        if record.gold is None:
            oddities.append(no_gold(record))
            continue
        objects.append(as_object(record, record.gold))
        oddities += losses(record, kept=("labels",))
        if objects[-1]["final_answer_correct"] is None:
            message = "Whether the final answer is right is not known; null is written."
            oddities.append(Oddity("final_answer_unknown", "warning", record.id, "final_answer_correct", message))
    json.dump(objects, out, indent=2, ensure_ascii=False, allow_nan=False)
    return oddities


def as_object(record: SolutionRecord, gold: GoldRecord) -> dict[str, Any]:
    """The record as ProcessBench writes it."""
    first_error = gold.verdict.first_error
    return {
        "id": record.provenance.get("id") or record.id,
        "generator": record.sampled_from,
        "problem": record.problem.question,
        "steps": [step.text for step in record.steps],
        "final_answer_correct": final_answer_is_right(record),
        "label": -1 if first_error is None else first_error,
        **record.provenance.get("further_fields", {}),
    }
