"""Stepmark's own lines: one JSON object a line, also the form of a release's items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotation.sources.fields import SHORT, TEXT_FORMATS, Fields, chosen_format, open_record, shown
from annotation.sources.files import each_record, stem
from annotation.sources.records import BadRecord, Option, ProblemRecord, SolutionRecord, TextFormat, item_id
from annotation.sources.stepmark_steps import text_and_steps
from annotation.sources.stepmark_verdicts import gold_of, labels_of

KNOWN = frozenset(
    {
        "id", "source", "external_id", "subject", "level", "question", "options", "answer_keys", "answer_key",
        "reference_solution", "text_format", "extra", "sampled_from",
        "ordinal", "raw_text", "final_answer", "provenance", "steps", "gold", "labels",
    }
)  # fmt: skip
MOST_ORDINAL = 32767


@dataclass
class _File:
    source: str
    text_format: str | None
    seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def read(data: bytes, name: str, *, text_format: str | None = None) -> Iterator[SolutionRecord | BadRecord]:
    """The solutions of one file; a line without `source` gets the file's name. Raises: SourceError."""
    chosen_format(text_format, "plain")
    file = _File(stem(name), text_format)
    for place, value in each_record(data, name, "stepmark"):
        fields = open_record(place, value)
        yield fields if isinstance(fields, BadRecord) else _solution(fields, file)


def _solution(fields: Fields, file: _File) -> SolutionRecord | BadRecord:
    problem = _problem(fields, file)
    model = fields.text("sampled_from", needed=True, longest=SHORT)
    raw_text, steps = text_and_steps(fields, problem.text_format)
    final_answer = fields.text("final_answer") if fields.values.get("final_answer") is not None else None
    ordinal = _ordinal(fields, file, (problem.source, problem.external_id, model))
    provenance = fields.mapping("provenance")
    _note_unknown(fields)
    if fields.blocked:
        return fields.bad()
    _check_id(fields, item_id(problem.source, problem.external_id, model, ordinal))
    gold, labels = gold_of(fields, len(steps)), labels_of(fields, len(steps))
    return SolutionRecord(
        problem=problem,
        sampled_from=model,
        raw_text=raw_text,
        steps=steps,
        where=fields.where,
        ordinal=ordinal,
        final_answer=final_answer,
        provenance=provenance,
        gold=gold,
        labels=labels,
        oddities=tuple(fields.oddities),
    )


def _note_unknown(fields: Fields) -> None:
    unknown = [key for key in fields.values if key not in KNOWN]
    if unknown:
        message = "A Stepmark line has no such field; it is left out."
        fields.odd("unknown_field", "warning", ", ".join(unknown), message)


def _check_id(fields: Fields, made: str) -> None:
    stated = fields.values.get("id")
    if stated is not None and stated != made:
        message = f"The line says {shown(stated)}; its source, external id, model and ordinal make {made}."
        fields.odd("id_differs", "warning", "id", message)


def _ordinal(fields: Fields, file: _File, key: tuple[str, str, str]) -> int:
    """The ordinal given, else how many of this problem and model came before in the file."""
    file.seen[key] += 1
    if fields.values.get("ordinal") is None:
        return file.seen[key] - 1
    ordinal = fields.whole_number("ordinal")
    if ordinal is not None and not 0 <= ordinal <= MOST_ORDINAL:
        fields.odd("wrong_type", "blocking", "ordinal", f"ordinal is from 0 to {MOST_ORDINAL}, not {shown(ordinal)}.")
    return ordinal or 0


def _problem(fields: Fields, file: _File) -> ProblemRecord:
    return ProblemRecord(
        source=fields.text("source", longest=SHORT) or file.source,
        external_id=fields.text("external_id", needed=True, longest=SHORT),
        question=fields.text("question", needed=True),
        subject=fields.text("subject", longest=SHORT // 2),
        level=fields.text("level", longest=SHORT // 2),
        options=_options(fields),
        answer_keys=_answer_keys(fields),
        reference_solution=fields.text("reference_solution"),
        text_format=_format(fields, file),
        extra=fields.mapping("extra"),
    )


def _format(fields: Fields, file: _File) -> TextFormat:
    if file.text_format is not None:
        return chosen_format(file.text_format, "plain")
    stated = fields.text("text_format") or "plain"
    if stated not in TEXT_FORMATS:
        message = f"text_format is one of {', '.join(TEXT_FORMATS)}, not {shown(stated)}."
        fields.odd("unknown_text_format", "blocking", "text_format", message)
        return "plain"
    return chosen_format(stated, "plain")


def _options(fields: Fields) -> tuple[Option, ...]:
    entries = fields.values.get("options") or []
    if not isinstance(entries, list) or not all(_is_option(entry) for entry in entries):
        fields.wrong_type("options", 'a list of {"label": text, "text": text}')
        return ()
    return tuple(Option(entry["label"], entry["text"]) for entry in entries)


def _is_option(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(part), str) for part in ("label", "text"))


def _answer_keys(fields: Fields) -> tuple[tuple[str, ...], ...]:
    versions, short = fields.values.get("answer_keys"), fields.values.get("answer_key")
    if versions is not None and short is not None:
        fields.odd("two_answer_keys", "blocking", "answer_key", "Give answer_key or answer_keys, not both.")
    if short is not None:
        versions = [short if isinstance(short, list) else [short]]
    name = "answer_keys" if short is None else "answer_key"
    if versions is None:
        return ()
    if not isinstance(versions, list) or not all(_is_key(version) for version in versions):
        fields.wrong_type(name, "a list of lists of texts" if short is None else "a text or a list of texts")
        return ()
    return tuple(tuple(version) for version in versions)


def _is_key(version: Any) -> bool:
    return isinstance(version, list) and bool(version) and all(isinstance(entry, str) for entry in version)
