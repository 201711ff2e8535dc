"""ProcessBench files: a JSON array (or lines) of solutions in steps with the position of the first wrong one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from annotation import segmentation
from annotation.sources.fields import SHORT, Fields, chosen_format, open_record, shown
from annotation.sources.files import each_record, stem
from annotation.sources.records import BadRecord, GoldRecord, ProblemRecord, SolutionRecord, StepRecord, TextFormat
from annotation.verdicts import Verdict

KNOWN = frozenset({"id", "generator", "problem", "steps", "final_answer_correct", "label"})


def read(data: bytes, name: str, *, text_format: str | None = None) -> Iterator[SolutionRecord | BadRecord]:
    """The solutions of one file; `label` is 0-based, -1 for none. Raises: SourceError."""
    file_stem = stem(name)
    chosen = chosen_format(text_format, "latex+markdown")
    seen: Counter[tuple[str, str]] = Counter()
    ids: set[str] = set()
    for place, value in each_record(data, name, "processbench"):
        fields = open_record(place, value)
        if isinstance(fields, BadRecord):
            yield fields
            continue
        _name_place(fields, ids)
        yield _solution(fields, file_stem, chosen, seen)


def _name_place(fields: Fields, ids: set[str]) -> None:
    """Call the record by its own id, as people do; one that repeats an id keeps its place in the file."""
    record_id = fields.values.get("id")
    if not isinstance(record_id, str) or not record_id.strip():
        return
    if record_id in ids:
        fields.odd("repeated_record_id", "warning", "id", f"The id {shown(record_id)} stands in this file before.")
    else:
        fields.where = shown(record_id)[1:-1]
    ids.add(record_id)


def problem_id(problem: str) -> str:
    """One id for one problem text: a file repeats the text for each of its solutions."""
    return "p-" + hashlib.sha256(problem.encode()).hexdigest()[:16]


def _solution(
    fields: Fields, file_stem: str, text_format: TextFormat, seen: Counter[tuple[str, str]]
) -> SolutionRecord | BadRecord:
    record_id = fields.text("id", longest=SHORT)
    question = fields.text("problem", needed=True)
    model = fields.text("generator", needed=True, longest=SHORT)
    texts = fields.texts("steps") or []
    if not any(text.strip() for text in texts) and not fields.blocked:
        fields.odd("no_steps", "blocking", "steps", "This solution has no steps.")
    provenance = _provenance(fields, record_id)
    if fields.blocked:
        return fields.bad()
    raw_text, steps = segmentation.given(texts)
    external_id = problem_id(question)
    seen[external_id, model] += 1
    return SolutionRecord(
        problem=ProblemRecord(
            source=f"processbench/{file_stem}",
            external_id=external_id,
            question=question,
            subject=file_stem,
            text_format=text_format,
        ),
        sampled_from=model,
        raw_text=raw_text,
        steps=steps,
        where=fields.where,
        ordinal=seen[external_id, model] - 1,
        provenance=provenance,
        gold=_gold(fields, steps),
        oddities=tuple(fields.oddities),
    )


def _provenance(fields: Fields, record_id: str) -> dict[str, object]:
    provenance: dict[str, object] = {"id": record_id} if record_id else {}
    answer_is_right = fields.values.get("final_answer_correct")
    if isinstance(answer_is_right, bool):
        provenance["final_answer_correct"] = answer_is_right
    elif answer_is_right is not None:
        fields.wrong_type("final_answer_correct", "true or false")
    further = {key: value for key, value in fields.values.items() if key not in KNOWN}
    if further:
        fields.odd("unknown_field", "warning", ", ".join(further), "Fields that ProcessBench does not have; kept.")
        provenance["further_fields"] = further
    return provenance


def _gold(fields: Fields, steps: tuple[StepRecord, ...]) -> GoldRecord | None:
    if fields.values.get("label") is None:
        return None
    label = fields.whole_number("label", in_field="gold")
    if label is None:
        return None
    if not -1 <= label < len(steps):
        message = f"label {shown(label)} names no step; the last is {len(steps) - 1} (counted from 0)."
        fields.odd("first_error_out_of_range", "blocking", "gold", message)
        return None
    return GoldRecord(Verdict(correct=label == -1, first_error=None if label == -1 else label))
