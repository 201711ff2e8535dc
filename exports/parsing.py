"""Read a judge's answers: JSON lines with a verdict in parts or in raw text, matched strictly to the items."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.sources.records import SolutionRecord, StepRecord
from exports.raw_answers import STATUSES, Reading, Status, judged, read_raw
from exports.step_names import NO_STEP, StepReference, at_position, find_step

PARSER_VERSION = "answers-1"
MOST_SHOWN = 20
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


class AnswerError(ValueError):
    """The answers do not fit the release; `problems` are all of them, the message shows the first 20."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - MOST_SHOWN
        shown = [*problems[:MOST_SHOWN], *([f"... and {more} more."] if more > 0 else [])]
        super().__init__("\n".join([f"{len(problems)} problem(s) in the answers:", *shown]))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge says of one item. `line` is the 1-based line of the file, 0 when the item has no answer."""

    id: str
    reading: Reading
    confidence: float | None = None
    raw: str = ""
    line: int = 0


MISSING = Reading("missing")


@dataclass(frozen=True, slots=True)
class Answers:
    """One answer for every item of the release, in its order, answered or not."""

    answers: tuple[Answer, ...]
    duplicates: int
    sha256: str

    def with_status(self, *statuses: Status) -> list[str]:
        """Ids of the answers with one of these statuses."""
        return [answer.id for answer in self.answers if answer.reading.status in statuses]

    @property
    def statuses(self) -> dict[str, int]:
        """How many answers have each status, all statuses named."""
        counts = Counter(answer.reading.status for answer in self.answers)
        return {status: counts[status] for status in STATUSES}

    @property
    def flags(self) -> dict[str, int]:
        """How many answers carry each flag."""
        return dict(sorted(Counter(flag for answer in self.answers for flag in answer.reading.flags).items()))


class _LineError(ValueError):
    """What is wrong with one line."""


def read_answers(
    lines: Iterable[bytes], items: Sequence[SolutionRecord], *, base: int | None = None, release_hash: str = ""
) -> Answers:
    """Read the lines of an answers file against the items of a release.

    `base` (0 or 1) declares from where numbers in `first_error_label` and `raw` count; without it they are printed
    labels, else position + 1. A line may name the `release` it answers; it then has to be this one.
    Raises: AnswerError for unknown ids, conflicting duplicates and lines that cannot be read.
    """
    reader = _Reader({item.id: item.steps for item in items}, base, release_hash)
    digest = hashlib.sha256()
    for number, line in enumerate(lines, start=1):
        digest.update(line)
        text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if text.strip():
            reader.take(number, text)
    if not reader.found and not reader.problems:
        reader.problems.append("The file holds no answers.")
    if reader.problems:
        raise AnswerError(reader.problems)
    answers = tuple(reader.found.get(item.id) or Answer(item.id, MISSING) for item in items)
    return Answers(answers, reader.duplicates, digest.hexdigest())


@dataclass
class _Reader:
    known: Mapping[str, Sequence[StepRecord]]
    base: int | None
    release_hash: str
    found: dict[str, Answer] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)  # what each item's answer said, to tell duplicates apart
    problems: list[str] = field(default_factory=list)
    duplicates: int = 0

    def take(self, number: int, line: bytes) -> None:
        """Take one line in: a new answer, a duplicate, or a problem."""
        try:
            fields = _object(line)
            item_id = _known_id(fields, self.known, self.release_hash)
            said = json.dumps(fields, sort_keys=True)
            if item_id not in self.told:
                self.found[item_id] = _answer(item_id, fields, self.known[item_id], self.base, number)
                self.told[item_id] = said
            elif self.told[item_id] == said:
                self.duplicates += 1
                self.found[item_id] = _flagged(self.found[item_id], "duplicate_identical")
            else:
                raise _LineError(f"{item_id} was answered differently on line {self.found[item_id].line}.")
        except _LineError as error:
            self.problems.append(f"Line {number}: {error}")


def _flagged(answer: Answer, flag: str) -> Answer:
    if flag in answer.reading.flags:
        return answer
    return replace(answer, reading=replace(answer.reading, flags=(*answer.reading.flags, flag)))


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _LineError("this is not UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise _LineError(f"this is not JSON ({error}). One object a line is expected.") from None
    if not isinstance(fields, dict):
        raise _LineError("one JSON object a line is expected.")
    return fields


def _known_id(fields: Mapping[str, Any], known: Mapping[str, Any], release_hash: str) -> str:
    item_id, release = fields.get("id"), fields.get("release")
    if not isinstance(item_id, str) or not item_id:
        raise _LineError("the id is missing or no text.")
    if release_hash and release is not None and release != release_hash:
        raise _LineError(f"{item_id} answers release {str(release)[:12]}, not this one ({release_hash[:12]}).")
    if item_id not in known:
        raise _LineError(f"{item_id!r} is not in this release.")
    return item_id


def _answer(
    item_id: str, fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None, number: int
) -> Answer:
    raw = _text(fields, "raw")
    if "correct" in fields:
        reading = _from_parts(fields, steps, base)
    elif fields.get("raw") is not None:
        reading = read_raw(raw, steps, base)
    else:
        raise _LineError(f"{item_id} needs `correct` (true, false or null) or `raw` (the judge's text).")
    return Answer(item_id, reading, _confidence(fields), raw, number)


def _from_parts(fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None) -> Reading:
    correct = fields["correct"]
    words = {name: _text(fields, name) for name in ("category", "reason", "rectified")}
    step = _step(fields, steps, base)
    if correct is None:
        return Reading("abstained")
    if not isinstance(correct, bool):
        raise _LineError(f"correct is true, false or null, not {correct!r}.")
    return judged(correct, step, words)


def _step(fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None) -> StepReference:
    position, label = fields.get("first_error"), fields.get("first_error_label")
    if isinstance(position, bool) or not isinstance(position, int | None):
        raise _LineError(f"first_error is a whole number from 0 or null, not {position!r}.")
    if isinstance(label, bool) or not isinstance(label, str | int | None):
        raise _LineError(f"first_error_label is a text, a whole number or null, not {label!r}.")
    placed = NO_STEP if position in (None, -1) else at_position(position, len(steps))
    named = NO_STEP if label is None else find_step(str(label), steps, base)
    if placed.given and named.given and placed.position != named.position:
        raise _LineError(f"first_error {position} and first_error_label {label!r} are not the same step.")
    return placed if placed.given else named


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str | None):
        raise _LineError(f"{name} is a text, not {value!r}.")
    if value and _NO_TEXT.search(value):
        raise _LineError(f"{name} holds a NUL or half a character, which nothing can store; take it out.")
    return value or ""


def _confidence(fields: Mapping[str, Any]) -> float | None:
    value = fields.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or not 0 <= value <= 1:
        raise _LineError(f"confidence is a number from 0 to 1, not {value!r}.")
    return float(value)
