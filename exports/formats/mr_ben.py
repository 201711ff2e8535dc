"""MR-Ben files: {question id: [one record a sampled model]}, the exact fields and types of the published files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from annotation.segmentation import numbered, printed_label
from annotation.sources.mr_ben import join_options
from annotation.sources.mr_ben_gold import CORRECTNESS, FIRST_ERROR, NOTHING, REASON, RECTIFIED
from annotation.sources.records import GoldRecord, Oddity, SolutionRecord
from exports.formats.losses import losses, no_gold

KEPT = ("options", "answer_keys", "reference_solution", "labels", "reason", "rectified")
KEPT_OF_CODE = ("labels", "reason", "rectified")


def write(records: Iterable[SolutionRecord], out: TextIO) -> list[Oddity]:
    """Write the records that have a gold label, questions in the order in which they first come."""
    groups: dict[str, list[dict[str, Any]]] = {}
    oddities: list[Oddity] = []
    for record in records:
        if record.gold is None:
            oddities.append(no_gold(record))
            continue
        groups.setdefault(record.problem.external_id, []).append(as_object(record, record.gold))
        oddities += _oddities(record, record.gold)
    json.dump(groups, out, indent=2, ensure_ascii=False, allow_nan=False)
    return oddities


def as_object(record: SolutionRecord, gold: GoldRecord) -> dict[str, Any]:
    """The record as MR-Ben writes it: ten fields for code, thirteen for all else, numbers as texts."""
    problem = record.problem
    made: dict[str, Any] = {
        "Question_UUID": record.provenance.get("Question_UUID", problem.external_id),
        "Subject": problem.subject,
        "Question": problem.question,
    }
    made |= _answer_fields(record)
    made["Sampled_Model"] = record.sampled_from
    made |= _of_code(record, gold) if _is_code(record) else _of_text(record, gold)
    return {**made, **record.provenance.get("further_fields", {})}


def _answer_fields(record: SolutionRecord) -> dict[str, Any]:
    problem = record.problem
    keys = [_written(accepted) for accepted in problem.answer_keys] or [""]
    original, modified = keys[0], keys[-1]
    if _is_code(record):
        return {"Ground_Truth_Answer": problem.extra.get("Ground_Truth_Answer", original)}
    return {
        "Options": problem.extra.get("Options", join_options(problem.options)),
        "Ground_Truth_Analysis": problem.reference_solution,
        "Ground_Truth_Answer": problem.extra.get("Ground_Truth_Answer", original),
        "Ground_Truth_Answer_Modified": problem.extra.get("Ground_Truth_Answer_Modified", modified),
    }


def _written(accepted: tuple[str, ...]) -> str:
    """Several option letters stand without a separator; of several longer answers only the first can be written."""
    return "".join(accepted) if all(len(answer) == 1 for answer in accepted) else accepted[0]


def _is_code(record: SolutionRecord) -> bool:
    return record.problem.text_format == "code"


def _of_code(record: SolutionRecord, gold: GoldRecord) -> dict[str, Any]:
    position, (reason, rectified) = gold.verdict.first_error, _pairs(gold)[0]
    wrong = position is not None
    return {
        "Model_Solution_Steps": record.raw_text,
        CORRECTNESS: "incorrect" if wrong else "correct",
        FIRST_ERROR: NOTHING if position is None else record.steps[position].text,
        REASON: reason if wrong else NOTHING,
        RECTIFIED: rectified if wrong else NOTHING,
    }


def _of_text(record: SolutionRecord, gold: GoldRecord) -> dict[str, Any]:
    lines, label = _lines_and_label(record, gold)
    pairs = _pairs(gold)
    return {
        "Model_Solution_Steps": lines,
        CORRECTNESS: "correct" if gold.verdict.correct else "incorrect",
        FIRST_ERROR: NOTHING if gold.verdict.correct else label,
        REASON: NOTHING if gold.verdict.correct else [reason for reason, _rectified in pairs],
        RECTIFIED: NOTHING if gold.verdict.correct else [rectified for _reason, rectified in pairs],
    }


def _pairs(gold: GoldRecord) -> tuple[tuple[str, str], ...]:
    return gold.reasons or ((gold.verdict.reason, gold.verdict.rectified),)


def _lines_and_label(record: SolutionRecord, gold: GoldRecord) -> tuple[list[str], str]:
    """The text's own lines where a reader of MR-Ben finds the same steps in them, else lines numbered anew."""
    position = gold.verdict.first_error
    if _prints_its_steps(record, position):
        label = "" if position is None else record.steps[position].label
        return record.provenance.get("Model_Solution_Steps") or record.raw_text.split("\n"), label
    return list(_numbered_anew(record)), "" if position is None else str(position + 1)


def _prints_its_steps(record: SolutionRecord, position: int | None) -> bool:
    if record.steps != numbered(record.raw_text) or not any(step.label for step in record.steps):
        return False
    labels = [step.label for step in record.steps]
    return position is None or (labels[position] != "" and labels.index(labels[position]) == position)


def _numbered_anew(record: SolutionRecord) -> Iterator[str]:
    for number, step in enumerate(record.steps, start=1):
        first, *others = step.text.split("\n")
        yield f"Step {number}: {first}"
        # a line that prints a number of its own would be taken for a step
        yield from (f"({line.strip()})" if printed_label(line) else line for line in others)


def _oddities(record: SolutionRecord, gold: GoldRecord) -> Iterator[Oddity]:
    yield from losses(record, kept=KEPT_OF_CODE if _is_code(record) else KEPT)
    if any("".join(accepted) != _written(accepted) for accepted in record.problem.answer_keys):
        message = "Of several accepted answers that are no single letters MR-Ben takes one; the first is written."
        yield Oddity("not_expressible", "warning", record.id, "answer_keys", message)
    if not _is_code(record) and not _prints_its_steps(record, gold.verdict.first_error):
        message = "The steps are numbered anew: MR-Ben finds steps by printed numbers, and these print none that serve."
        yield Oddity("steps_numbered_anew", "warning", record.id, "steps", message)
    if gold.verdict.correct:
        return
    wanted = 1 if _is_code(record) else 2
    if len(_pairs(gold)) != wanted:
        message = f"MR-Ben has {wanted} reason(s) for each error; there are {len(_pairs(gold))} here."
        yield Oddity("other_number_of_reasons", "warning", record.id, "reasons", message)
    if _is_code(record):
        texts = [step.text for step in record.steps]
        text = texts[gold.verdict.first_error or 0]
        if texts.index(text) != gold.verdict.first_error:
            message = "The erroneous line stands earlier in the source too; MR-Ben's readers find the earlier one."
            yield Oddity("line_not_unique", "warning", record.id, "first_error", message)
