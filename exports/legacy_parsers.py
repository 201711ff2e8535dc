"""Readings as the public scripts of two benchmarks make them, faults included, so that published numbers can be met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.sources.records import StepRecord
from exports.raw_answers import Reading, read_raw
from exports.step_names import at_position, find_step
from exports.voting import TIE_RULE, vote

Read = Callable[[str, Sequence[StepRecord], int | None], Reading]


@dataclass(frozen=True, slots=True)
class Parser:
    """How raw replies are read, and how several ballots become one: (reading, which ballot)."""

    name: str
    read: Read
    tie_rule: str
    elect: Callable[[Sequence[str], Sequence[StepRecord], int | None], tuple[Reading, int | None]]


_HEADINGS = ("Solution Analysis", "Solution Correctness", "First Error Step", "Error Reason")
_STEP_LIMIT = 30


def read_mr_ben(text: str, steps: Sequence[StepRecord], base: int | None = None) -> Reading:
    """MR-Ben's script: a missing heading empties all later fields, words without a colon count as headings.

    Correctness must be the bare word; a step must be "Step n" and nothing else ("3" and "Step 3: ..." are no step).
    """
    fields, rest = dict.fromkeys(_HEADINGS, ""), text
    for previous, heading in zip(("", *_HEADINGS), (*_HEADINGS, ""), strict=True):
        if not heading:
            fields[previous] = rest
            break
        pieces = re.split(rf"(?:\*\*)?{heading}(?:\*\*)?:?(?:\*\*)?", rest)
        if previous:
            fields[previous] = pieces[0]
        if len(pieces) < 2:
            break
        rest = pieces[1]
    said = re.sub(r"[^a-z]", "", fields["Solution Correctness"].lower())
    if said not in ("correct", "incorrect"):
        return Reading("unparsed")
    if said == "correct":
        return Reading("parsed", True)
    position = _mr_ben_step(fields["First Error Step"], steps, base)
    reason = fields["Error Reason"].strip()
    return Reading("parsed" if position is not None else "partial", False, position, reason=reason)


def _mr_ben_step(text: str, steps: Sequence[StepRecord], base: int | None) -> int | None:
    if any(step.kind == "code" for step in steps):
        return find_step(text, steps, base).position
    bare = re.fullmatch(r"step (\d+)", " ".join(re.sub(r"[^\w\s]", "", text.lower()).split()))
    if bare is None or int(bare[1]) >= _STEP_LIMIT:
        return None
    return find_step(bare[1], steps, base).position


def _boxed(text: str) -> str | None:
    r"""The content of the last \boxed{...} up to the first closing brace, as ProcessBench's script takes it."""
    closed = text[: text.rfind("}") + 1]  # what is never closed would be searched to the end again and again
    found = re.findall(r"\\boxed\{([^}]*)\}", closed)
    return found[-1].strip() if found else None


def _from_boxed(content: str | None, steps: Sequence[StepRecord]) -> Reading:
    try:
        index = int(content or "")  # "1_0" is 10, full-width digits count, "2.0" and a long minus do not
    except ValueError:
        return Reading("unparsed")
    if index == -1:
        return Reading("parsed", True)
    step = at_position(index, len(steps))
    return Reading("partial" if step.position is None else "parsed", False, step.position, flags=step.flags)


def read_processbench(text: str, steps: Sequence[StepRecord], base: int | None = None) -> Reading:
    """ProcessBench's script: a whole number in the last box is a position from 0, -1 no error; all else is nothing."""
    del base
    return _from_boxed(_boxed(text), steps)


def _elect_processbench(
    ballots: Sequence[str], steps: Sequence[StepRecord], base: int | None
) -> tuple[Reading, int | None]:
    """Votes are counted on texts before they are read, so "2" and "02" differ; no box is no vote; ties: first seen."""
    del base
    boxes = [_boxed(ballot) for ballot in ballots]
    counted = Counter(box for box in boxes if box is not None)
    if not counted:
        return Reading("unparsed"), None
    winner = counted.most_common(1)[0][0]
    return _from_boxed(winner, steps), boxes.index(winner)


def _electing(read: Read) -> Callable[[Sequence[str], Sequence[StepRecord], int | None], tuple[Reading, int | None]]:
    return lambda ballots, steps, base: vote([read(ballot, steps, base) for ballot in ballots])


PARSERS: Mapping[str, Parser] = {
    parser.name: parser
    for parser in (
        Parser("stepmark", read_raw, TIE_RULE, _electing(read_raw)),
        Parser("mr-ben-official", read_mr_ben, TIE_RULE, _electing(read_mr_ben)),
        Parser("processbench-official", read_processbench, "the text given first", _elect_processbench),
    )
}
