"""Cutting a solution's text into steps, each with its exact place in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation.sources.records import StepKind, StepRecord

Steps = tuple[StepRecord, ...]

STEP_LINE = re.compile(
    r"""[ \t]*(?:\#{1,6}[ \t]*|[-+*][ \t]+|>[ \t]*)?     # heading, bullet or quotation mark
    (?P<opened>[*_]{1,3})?(?:Step|步骤)[ \t]*\#?[ \t]*
    (?:(?P<number>[0-9]{1,6}(?:[.–-][0-9]{1,4}){0,3}[a-z]?)|(?P<letter>[a-z])(?=[*_]*[ \t]*[:：]))
    (?P<closed>[*_]{1,3})?[ \t]*(?:[:：.)–—-]|$)
    (?P<closed_late>[*_]{1,3})?""",
    re.VERBOSE | re.IGNORECASE,
)
LIST_LINE = re.compile(
    r"""(?P<before>[ \t]*)(?P<opened>[*_]{1,3})?(?P<bracket>\(?)(?P<number>[0-9]{1,3})(?P<after>\)|[.．](?!\d)|、)
    (?P<closed>[*_]{1,3})?[ \t]*(?=\S)""",
    re.VERBOSE,
)
ANSWER_LINE = re.compile(
    r"[ \t]*[*_]{0,3}(?:Solution|(?:Final )?Answer|答案)[*_]{0,3}[ \t]*[:：][*_]{0,3}[ \t]*[^\s*_]", re.IGNORECASE
)
HASHES_LINE = re.compile(r"[ \t]*####[ \t]*[^\s#]")
FENCE = re.compile(r"^[ \t]*(?P<fence>```|~~~)", re.MULTILINE)
DISPLAY = re.compile(
    r"(?<!\\)(?P<bracket>\\[\[\]])|(?P<dollars>\$\$)|\\(?P<side>begin|end)\{(?P<name>[a-zA-Z]{1,20}\*?)\}"
    r"|^[ \t]*(?P<fence>```|~~~)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A step begins here: the line it begins on, and where its own text begins behind what is printed before it."""

    line: int
    text: int
    label: str = ""
    kind: StepKind = "step"


def numbered(raw_text: str) -> Steps:
    """Steps that print "Step 2:"; other lines belong to the step above, lines before the first to an unlabelled one."""
    rows = _rows(raw_text, FENCE)
    return _between(raw_text, rows, [cut for start, line in rows if (cut := _step_cut(start, line))])


def listed(raw_text: str) -> Steps:
    """Steps that print "1." or "2)", as long as the numbers count up from one in one form; else as `numbered`."""
    rows = _rows(raw_text, DISPLAY)
    cuts: list[_Cut] = []
    form = None
    for start, line in rows:
        match = LIST_LINE.match(line)
        if (
            match
            and int(match["number"]) == len(cuts) + 1
            and form in (None, match.group("before", "bracket", "after"))
        ):
            form = match.group("before", "bracket", "after")
            cuts.append(_Cut(start, start + _own_text(match), label=match["number"]))
    return _between(raw_text, rows, cuts)


def _between(raw_text: str, rows: Sequence[tuple[int, str]], cuts: list[_Cut]) -> Steps:
    behind = cuts[-1].line if cuts else -1
    cuts += [_Cut(start, start, kind="answer") for start in _answers(rows) if start > behind]
    if not cuts or raw_text[: cuts[0].line].strip():
        cuts.insert(0, _Cut(0, 0))
    ends = [cut.line for cut in cuts[1:]] + [len(raw_text)]
    steps = tuple(_step(raw_text, cut, end) for cut, end in zip(cuts, ends, strict=True))
    return steps if raw_text.strip() else ()


def paragraphs(raw_text: str) -> Steps:
    """Steps between blank lines; a blank line inside displayed mathematics or a code fence does not count."""
    closed = _regions(raw_text, DISPLAY)
    blocks: list[tuple[int, int]] = []
    fresh = True
    for start, line in _lines(raw_text):
        if not line.strip():
            fresh = fresh or not _inside(closed, start)
            continue
        end = start + len(line)
        if fresh:
            blocks.append((start, end))
        else:
            blocks[-1] = (blocks[-1][0], end)
        fresh = False
    return _blocks(raw_text, blocks)


def lines(raw_text: str) -> Steps:
    """One step a line; blank lines are no steps."""
    return _blocks(raw_text, [(start, start + len(line)) for start, line in _lines(raw_text) if line.strip()])


def code_lines(raw_text: str) -> Steps:
    """One step a line of source text, its indentation kept, labelled with its line number; blank lines are no steps."""
    return tuple(
        StepRecord(text=text, start=start, end=start + len(text), label=str(number), kind="code")
        for number, (start, line) in enumerate(_lines(raw_text), start=1)
        if (text := line.removesuffix("\r")).strip()
    )


def given(texts: Sequence[str], raw_text: str | None = None) -> tuple[str, Steps]:
    """The texts as steps, unchanged, and the raw text they lie in (joined by blank lines when none is given).

    Raises: ValueError when a step does not stand in the raw text behind the one before it.
    """
    whole = "\n\n".join(texts) if raw_text is None else raw_text
    steps, position = [], 0
    for number, text in enumerate(texts, start=1):
        # joined texts are found by counting: an earlier blank or repeated text must not be taken for this one
        start = whole.find(text, position) if raw_text is not None else position
        if start < 0:
            raise ValueError(f"Step {number} of the list does not stand in the raw text behind the step before it.")
        steps.append(StepRecord(text=text, start=start, end=start + len(text)))
        position = start + len(text) + (2 if raw_text is None else 0)
    return whole, tuple(steps)


SEGMENTATIONS: dict[str, Callable[[str], Steps]] = {
    "numbered": numbered,
    "listed": listed,
    "paragraphs": paragraphs,
    "lines": lines,
    "code": code_lines,
}


def segment(raw_text: str, text_format: str) -> Steps:
    """The cut that suits the text: code by lines, else by printed step numbers, else by paragraphs.

    A numbered list is the steps only where nothing but an introduction and an answer stands outside of it: many a
    solution lists what it is going to do and then does it.
    """
    if text_format == "code":
        return code_lines(raw_text)
    steps = numbered(raw_text)
    if any(step.label for step in steps):
        return steps
    blocks, entries = paragraphs(raw_text), listed(raw_text)
    inside = sum(bool(LIST_LINE.match(block.text)) or block.kind == "answer" for block in blocks[1:]) + 1
    return entries if sum(bool(step.label) for step in entries) > 1 and inside == len(blocks) else blocks


def printed_label(line: str) -> str:
    """The label that a line prints when it begins a step ("2" for "Step 2: …"), else an empty text."""
    match = STEP_LINE.match(line)
    return (match["number"] or match["letter"]) if match else ""


def _rows(raw_text: str, closed_by: re.Pattern[str]) -> list[tuple[int, str]]:
    """The lines outside of what these marks enclose, and where they begin."""
    closed = _regions(raw_text, closed_by)
    return [(start, line) for start, line in _lines(raw_text) if not _inside(closed, start)]


def _lines(raw_text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in raw_text.split("\n"):
        yield start, line
        start += len(line) + 1


def _step_cut(start: int, line: str) -> _Cut | None:
    match = STEP_LINE.match(line)
    if not match:
        return None
    return _Cut(start, start + _own_text(match), label=match["number"] or match["letter"])


def _own_text(match: re.Match[str]) -> int:
    """Where the text behind a printed number begins. "**Step 2: Check**" stays whole: its stars would be left over."""
    groups = match.groupdict()
    return 0 if groups["opened"] and not (groups["closed"] or groups.get("closed_late")) else match.end()


def _answers(rows: Sequence[tuple[int, str]]) -> list[int]:
    filled = [(start, line) for start, line in rows if line.strip()]
    found = [start for start, line in filled if ANSWER_LINE.match(line)]
    start, line = filled[-1] if filled else (0, "")
    if HASHES_LINE.match(line) and "\n" not in line and not printed_label(line):
        found.append(start)
    return found


def _blocks(raw_text: str, blocks: Sequence[tuple[int, int]]) -> Steps:
    answers = set(_answers([(start, raw_text[start:end]) for start, end in blocks])[-1:])
    return tuple(
        _step(
            raw_text, _Cut(start, start, kind="answer" if start in answers and start == blocks[-1][0] else "step"), end
        )
        for start, end in blocks
    )


def _step(raw_text: str, cut: _Cut, end: int) -> StepRecord:
    body = raw_text[cut.text : end]
    text = body.strip()
    start = cut.text + (len(body) - len(body.lstrip()) if text else 0)
    return StepRecord(text=text, start=start, end=start + len(text), label=cut.label, kind=cut.kind)


def _regions(raw_text: str, marks: re.Pattern[str]) -> list[tuple[int, int]]:
    """Closed fences and displays, outermost only. One pass: an opener counts only when its closer still follows."""
    found = [(mark.start(), *_mark(mark)) for mark in marks.finditer(raw_text)]
    last = {key: start for start, key, side in found if side != "open"}
    regions, opened = [], None
    for start, key, side in found:
        if opened is None:
            opened = (start, key) if side != "close" and last.get(key, -1) > start else None
        elif key == opened[1] and side != "open":
            regions.append((opened[0], start))
            opened = None
    return regions


def _mark(mark: re.Match[str]) -> tuple[str, str]:
    groups = mark.groupdict()
    if groups.get("bracket"):
        return "bracket", "open" if groups["bracket"] == r"\[" else "close"
    if groups.get("name"):
        return groups["name"], "open" if groups["side"] == "begin" else "close"
    return groups.get("dollars") or groups["fence"], "either"


def _inside(regions: Sequence[tuple[int, int]], position: int) -> bool:
    at = bisect_right(regions, (position, -1)) - 1
    return at >= 0 and regions[at][0] < position < regions[at][1]
