"""One line of an answers file: a verdict in parts, raw text, several ballots, or a score for every step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from annotation.sources.records import StepRecord
from exports.legacy_parsers import Parser
from exports.raw_answers import Reading, judged
from exports.step_names import NO_STEP, StepReference, at_position, find_step
from exports.step_scores import DEFAULT_THRESHOLD, finite, reading_of

_LONGEST_QUOTE = 80
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_WITHOUT_REPLY = ("timed_out", "failed", "refused")
READ = frozenset(
    [
        "id",
        "release",
        "base",
        "status",
        "correct",
        "first_error",
        "first_error_label",
        "category",
        "reason",
        "rectified",
        "confidence",
        "raw",
        "ballots",
        "step_scores",
        "step_labels",
        "tokens",
        "cost",
    ]
)
BESIDE = frozenset(("error", "reply", "ballots_missing", "cut_off"))  # what a run writes for people to read
_LABELS = {"+": 1.0, "-": 0.0, "1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0}


class LineError(ValueError):
    """What is wrong with one line."""


def shown(value: object) -> str:
    """A value as an error quotes it: a megabyte in the wrong field need not be read again."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}... ({len(text)} characters)"


@dataclass(frozen=True, slots=True)
class Usage:
    """What answers cost: tokens of prompts and replies, and money where a price was known."""

    prompt: int
    completion: int
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(self.prompt + other.prompt, self.completion + other.completion, sum(known) if known else None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge says of one item. `line` is the 1-based line of the file, 0 when the item has no answer.

    `ballots` are the texts of several samples, `raw` then the one that won.
    """

    id: str
    reading: Reading
    confidence: float | None = None
    raw: str = ""
    line: int = 0
    ballots: tuple[str, ...] = ()
    step_scores: tuple[float, ...] | None = None
    labelled: bool = False  # they are labels of steps, 1 and 0
    usage: Usage | None = None


def answer_of(
    item_id: str,
    fields: Mapping[str, Any],
    steps: Sequence[StepRecord],
    base: int | None,
    parser: Parser,
    threshold: float,
    number: int,
) -> Answer:
    """What a line says. Raises: LineError."""
    raw, ballots, scores = _text(fields, "raw"), _ballots(fields), _scores(fields)
    declared, labelled = _base(fields, base), scores is not None and fields.get("step_scores") is None
    if fields.get("status") in _WITHOUT_REPLY:
        reading = Reading(fields["status"])
    elif "correct" in fields:
        reading = _from_parts(fields, steps, declared)
    elif ballots:
        reading, winner = parser.elect(ballots, steps, declared)
        raw = ballots[winner or 0]
    elif fields.get("raw") is not None:
        reading = parser.read(raw, steps, declared)
    elif scores is not None:
        reading = reading_of(scores, len(steps), DEFAULT_THRESHOLD if labelled else threshold)
    else:
        raise LineError(
            f"{item_id} needs `correct` (true, false or null), `raw` (the judge's text), `ballots` (several texts), "
            "`step_scores` or `step_labels`."
        )
    return Answer(item_id, reading, _confidence(fields), raw, number, ballots, scores, labelled, _usage(fields))


def _base(fields: Mapping[str, Any], base: int | None) -> int | None:
    stated = fields.get("base")
    if stated is None:
        return base
    if isinstance(stated, bool) or stated not in (0, 1):
        raise LineError(f"base is 0 or 1, not {shown(stated)}.")
    return int(stated)


def _ballots(fields: Mapping[str, Any]) -> tuple[str, ...]:
    found = fields.get("ballots")
    if found is None:
        return ()
    if not isinstance(found, list) or not found:
        raise LineError(f"ballots is a list of texts, not {shown(found)}.")
    return tuple(_text({"ballots": ballot}, "ballots") for ballot in found)


def _scores(fields: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Scores of steps; labels count as 1 (right) and 0 (wrong)."""
    scores, labels = fields.get("step_scores"), fields.get("step_labels")
    if scores is not None:
        found = finite(scores) if isinstance(scores, list) else None
        if found is None:
            raise LineError("step_scores is a list of numbers, one for each step.")
        return found
    if labels is None:
        return None
    named = [_LABELS.get(str(label).lower()) for label in labels] if isinstance(labels, list) else [None]
    if any(label is None for label in named):
        raise LineError("step_labels is a list of true (right) and false (wrong), one for each step.")
    return tuple(label for label in named if label is not None)


def _usage(fields: Mapping[str, Any]) -> Usage | None:
    tokens, cost = fields.get("tokens"), fields.get("cost")
    if tokens is None and cost is None:
        return None
    stated = {"prompt": 0, "completion": 0} if tokens is None else tokens if isinstance(tokens, dict) else {}
    prompt, completion = stated.get("prompt"), stated.get("completion")
    if not _is_count(prompt) or not _is_count(completion) or not _is_price(cost):
        raise LineError(
            'tokens is {"prompt": number, "completion": number}, whole and not negative, and cost a number from 0.'
        )
    return Usage(prompt, completion, cost)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_price(value: Any) -> bool:
    known = None if value is None else finite([value])
    return value is None or (known is not None and known[0] >= 0)


def _from_parts(fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None) -> Reading:
    correct = fields["correct"]
    words = {name: _text(fields, name) for name in ("category", "reason", "rectified")}
    step = _step(fields, steps, base)
    if correct is None:
        return Reading("abstained")
    if not isinstance(correct, bool):
        raise LineError(f"correct is true, false or null, not {shown(correct)}.")
    return judged(correct, step, words)


def _step(fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None) -> StepReference:
    position, label = fields.get("first_error"), fields.get("first_error_label")
    if isinstance(position, bool) or not isinstance(position, int | None):
        raise LineError(f"first_error is a whole number from 0 or null, not {shown(position)}.")
    if isinstance(label, bool) or not isinstance(label, str | int | None):
        raise LineError(f"first_error_label is a text, a whole number or null, not {shown(label)}.")
    placed = NO_STEP if position in (None, -1) else at_position(position, len(steps))
    named = NO_STEP if label is None else find_step(str(label), steps, base)
    if placed.given and named.given and placed.position != named.position:
        raise LineError(f"first_error {shown(position)} and first_error_label {shown(label)} are not the same step.")
    return placed if placed.given else named


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str | None):
        raise LineError(f"{name} is a text, not {shown(value)}.")
    if value and _NO_TEXT.search(value):
        raise LineError(f"{name} holds a NUL or half a character, which nothing can store; take it out.")
    return value or ""


def _confidence(fields: Mapping[str, Any]) -> float | None:
    value = fields.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise LineError(f"confidence is a number from 0 to 1, not {shown(value)}.")
    return float(value)
