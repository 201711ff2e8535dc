"""MR-Ben files: {question id: [one record a sampled model]}, or a plain list of such records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotation import segmentation
from annotation.sources.fields import SHORT, Fields, chosen_format, open_record, shown
from annotation.sources.files import JsonObject, SourceError, check_format, decode, parse, stem
from annotation.sources.mr_ben_gold import LABEL_KEYS, gold_of, labels_of, unplaced_label
from annotation.sources.records import BadRecord, Option, ProblemRecord, SolutionRecord, TextFormat

PROBLEM_KEYS = (
    "Question_UUID", "Subject", "Question", "Options",
    "Ground_Truth_Analysis", "Ground_Truth_Answer", "Ground_Truth_Answer_Modified",
)  # fmt: skip
KNOWN = frozenset((*PROBLEM_KEYS, "Sampled_Model", "Model_Solution_Steps", *LABEL_KEYS))
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
OPTION = re.compile(r"^([A-J]): ", re.MULTILINE)
CHOICE_WORD = r"Choice[\s\\_]*"
FURTHER = (
    rf"(?:\s*[,/]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?:{CHOICE_WORD})?[A-J]\b(?=\s*(?:[,/.;)]|$|and|or|are|both))"
)
STATED = re.compile(rf"Solution\W*{CHOICE_WORD}([A-J])\b((?:{FURTHER})*)", re.MULTILINE)


def read(data: bytes, name: str, *, text_format: str | None = None) -> Iterator[SolutionRecord | BadRecord]:
    """The solutions of one file; steps are found by their printed numbers. Raises: SourceError."""
    chosen_format(text_format, "latex")
    source, seen = f"mr-ben/{stem(name)}", Counter[tuple[str, str]]()
    for key, number, value in _walk(parse(decode(data, name), name), name):
        model = value.get("Sampled_Model") if isinstance(value, dict) else None
        place = f"{key or 'record'} #{number}" + (f" {model}" if isinstance(model, str) else "")
        fields = open_record(ascii(place)[1:-1] if not place.isprintable() else place, value)
        yield fields if isinstance(fields, BadRecord) else _solution(fields, source, key, text_format, seen)


def _walk(value: Any, name: str) -> Iterator[tuple[str, int, Any]]:
    """(question id or "", number in its list from 1, record); a key without a list gives what stands there."""
    if isinstance(value, dict):
        if isinstance(value, JsonObject) and value.repeated:
            raise SourceError(f"{name}: the key {shown(value.repeated[0])} stands twice; one of the two would be lost.")
        groups = [(key, group if isinstance(group, list) else [group]) for key, group in value.items()]
    elif isinstance(value, list):
        groups = [("", value)]
    else:
        raise SourceError(f"{name}: mr-ben takes a JSON object of lists or a list of records, not {shown(value)}.")
    if not any(group for _key, group in groups):
        raise SourceError(f"{name}: this file holds no records.")
    check_format(next(record for _key, group in groups for record in group), name, "mr-ben")
    if isinstance(value, dict) and not any(isinstance(record, dict) for _key, group in groups for record in group):
        raise SourceError(f"{name}: this is one JSON object, but no value in it is a list of records.")
    yield from ((key, number, record) for key, group in groups for number, record in enumerate(group, start=1))


def _solution(
    fields: Fields, source: str, key: str, text_format: str | None, seen: Counter[tuple[str, str]]
) -> SolutionRecord | BadRecord:
    is_code = isinstance(fields.values.get("Model_Solution_Steps"), str)
    chosen = chosen_format(text_format, "code" if is_code else "latex")
    problem = _problem(fields, source, key, chosen)
    model = fields.text("Sampled_Model", needed=True, longest=SHORT)
    raw_text = _raw_text(fields)
    steps = segmentation.code_lines(raw_text) if chosen == "code" else segmentation.numbered(raw_text)
    if not steps and not fields.blocked:
        fields.odd("no_steps", "blocking", "Model_Solution_Steps", "This solution has no steps.")
    provenance = _provenance(fields, key, raw_text)
    seen[problem.external_id, model] += 1
    if fields.blocked:
        return fields.bad()
    gold = gold_of(fields, raw_text, steps)
    if unplaced := unplaced_label(fields):
        provenance["unplaced_label"] = unplaced
    return SolutionRecord(
        problem=problem,
        sampled_from=model,
        raw_text=raw_text,
        steps=steps,
        where=fields.where,
        ordinal=seen[problem.external_id, model] - 1,
        final_answer=None if chosen == "code" else stated_choice(raw_text),
        provenance=provenance,
        gold=gold,
        labels=labels_of(gold, single=chosen == "code"),
        oddities=tuple(fields.oddities),
    )


def stated_choice(raw_text: str) -> str | None:
    """The option letters that the last "Solution: Choice_X" names ("B", or "B/D" for several); None without one."""
    found = list(STATED.finditer(raw_text))
    if not found:
        return None
    letters = [found[-1][1], *re.findall(r"(?<![A-Za-z])[A-J]\b", found[-1][2])]
    return "/".join(dict.fromkeys(letters))


def _problem(fields: Fields, source: str, key: str, text_format: TextFormat) -> ProblemRecord:
    own_id = fields.text("Question_UUID", longest=SHORT)
    external_id = key if UUID.fullmatch(key) or not own_id else own_id
    if not external_id.strip() or len(external_id) > SHORT:
        fields.odd("missing_field", "blocking", "Question_UUID", f"An id of 1 to {SHORT} characters is needed.")
    options, given_options = split_options(fields.text("Options")), fields.text("Options")
    answer_keys, extra = _answer_keys(fields, options)
    if join_options(options) != given_options:
        extra["Options"] = given_options
        if not options:
            fields.odd("options_not_split", "warning", "Options", f"No options found in {shown(given_options)}.")
    return ProblemRecord(
        source=source,
        external_id=external_id,
        question=fields.text("Question", needed=True),
        subject=fields.text("Subject", longest=SHORT // 2),
        options=options,
        answer_keys=answer_keys,
        reference_solution=fields.text("Ground_Truth_Analysis"),
        text_format=text_format,
        extra=extra,
    )


def split_options(text: str) -> tuple[Option, ...]:
    """The options of "A: … \\nB: … "; none when the text does not begin with one."""
    parts = OPTION.split(text)
    if parts[0].strip():
        return ()
    return tuple(Option(label, body.strip()) for label, body in zip(parts[1::2], parts[2::2], strict=True))


def join_options(options: tuple[Option, ...]) -> str:
    """The options as MR-Ben writes them, a blank before every line end."""
    return "\n".join(f"{option.label}: {option.text} " for option in options)


def _answer_keys(fields: Fields, options: tuple[Option, ...]) -> tuple[tuple[tuple[str, ...], ...], dict[str, Any]]:
    original, modified = fields.text("Ground_Truth_Answer"), fields.text("Ground_Truth_Answer_Modified")
    labels = {option.label for option in options}
    if len(modified) > 1 and set(modified) <= labels:
        message = f"The key {modified} names several options; each of them is accepted."
        fields.odd("modified_answer_has_several_letters", "warning", "Ground_Truth_Answer_Modified", message)
    keys = tuple(
        tuple(dict.fromkeys(answer)) if set(answer) <= labels else (answer,)
        for answer in dict.fromkeys((original, modified))
        if answer.strip()
    )
    written = ("".join(keys[0]), "".join(keys[-1])) if keys else ("", "")
    names = ("Ground_Truth_Answer", "Ground_Truth_Answer_Modified")
    stated = {name: fields.values.get(name) for name in names}
    lost = {n: stated[n] for n, answer in zip(names, written, strict=True) if stated[n] not in (None, answer)}
    return keys, lost


def _raw_text(fields: Fields) -> str:
    if isinstance(fields.values.get("Model_Solution_Steps"), str):
        return fields.text("Model_Solution_Steps")
    if fields.values.get("Model_Solution_Steps") is None:
        fields.text("Model_Solution_Steps", needed=True)
        return ""
    return "\n".join(fields.texts("Model_Solution_Steps") or [])


def _provenance(fields: Fields, key: str, raw_text: str) -> dict[str, Any]:
    provenance: dict[str, Any] = {}
    own_id, entries = fields.values.get("Question_UUID"), fields.values.get("Model_Solution_Steps")
    if UUID.fullmatch(key) and own_id not in (None, key):
        provenance["Question_UUID"] = own_id
        message = f"The record says {shown(own_id)}; the key it stands under is its question."
        fields.odd("record_uuid_differs_from_dict_key", "warning", "Question_UUID", message)
    if isinstance(entries, list) and entries != raw_text.split("\n"):
        provenance["Model_Solution_Steps"] = entries
    further = {name: value for name, value in fields.values.items() if name not in KNOWN}
    if further:
        fields.odd("unknown_field", "warning", ", ".join(further), "Fields that MR-Ben's files do not have; kept.")
        provenance["further_fields"] = further
    return provenance
