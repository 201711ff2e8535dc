"""The raw text and the steps of a Stepmark line: given with places, given as texts, or still to be cut."""

from __future__ import annotations

from typing import Any, get_args

from annotation import segmentation
from annotation.sources.fields import Fields
from annotation.sources.records import StepKind, StepRecord

STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)
LONGEST_LABEL = 40


def text_and_steps(fields: Fields, text_format: str) -> tuple[str, segmentation.Steps]:
    """The raw text and its steps; an empty text and no steps when the record is blocked."""
    raw_text = fields.text("raw_text")
    stated = fields.values.get("steps")
    if stated is None:
        steps = segmentation.segment(raw_text, text_format)
        if not steps and not fields.blocked:
            fields.odd("no_steps", "blocking", "raw_text", "This solution has neither text nor steps.")
        return raw_text, steps
    if not isinstance(stated, list) or not stated:
        fields.wrong_type("steps", "a list of steps, not empty")
        return raw_text, ()
    has_text = fields.values.get("raw_text") is not None
    if all(isinstance(step, str) for step in stated):
        return _found(fields, stated, raw_text if has_text else None)
    if all(_is_step(step) for step in stated):
        return _placed(fields, stated, raw_text if has_text else None)
    fields.wrong_type("steps", "a list of texts, or of objects with text, label, kind, start and end")
    return raw_text, ()


def _is_step(step: Any) -> bool:
    return (
        isinstance(step, dict)
        and isinstance(step.get("text"), str)
        and isinstance(step.get("label") or "", str)
        and len(step.get("label") or "") <= LONGEST_LABEL
        and (step.get("kind") or "step") in STEP_KINDS
        and all(type(step.get(side)) in (int, type(None)) for side in ("start", "end"))
    )


def _found(fields: Fields, texts: list[str], raw_text: str | None) -> tuple[str, segmentation.Steps]:
    if not any(text.strip() for text in texts):
        fields.odd("no_steps", "blocking", "steps", "Every step of this solution is blank.")
        return "", ()
    try:
        return segmentation.given(texts, raw_text)
    except ValueError as error:
        fields.odd("step_not_in_raw_text", "blocking", "steps", str(error))
        return "", ()


def _placed(fields: Fields, stated: list[dict[str, Any]], raw_text: str | None) -> tuple[str, segmentation.Steps]:
    with_places = [step for step in stated if step.get("start") is not None and step.get("end") is not None]
    if raw_text is None or not with_places:
        whole, bare = _found(fields, [step["text"] for step in stated], raw_text)
        places = [(step.start, step.end) for step in bare]
    elif len(with_places) < len(stated):
        fields.odd("step_without_place", "blocking", "steps", "Give start and end for every step or for none.")
        return raw_text, ()
    else:
        whole, places = raw_text, [(step["start"], step["end"]) for step in stated]
        _check_places(fields, stated, raw_text)
    return whole, tuple(
        StepRecord(step["text"], start, end, label=step.get("label") or "", kind=step.get("kind") or "step")
        for step, (start, end) in zip(stated, places, strict=bool(places))
    )


def _check_places(fields: Fields, stated: list[dict[str, Any]], raw_text: str) -> None:
    before = 0
    for number, step in enumerate(stated, start=1):
        start, end = step["start"], step["end"]
        if not before <= start <= end <= len(raw_text) or raw_text[start:end] != step["text"]:
            message = f"Step {number} of the list is not what raw_text has from {start} to {end}, in order."
            fields.odd("step_not_in_raw_text", "blocking", "steps", message)
            return
        before = end
