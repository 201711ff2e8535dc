"""What a judge's free text says of a solution: JSON, headed fields, a boxed step, or a short verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from annotation.control_words import first_turn
from annotation.sources.records import StepRecord
from exports.headed_form import fields_of
from exports.step_names import NO_STEP, StepReference, at_position, find_step, is_bare_step
from exports.verdict_words import read_correct
from review.fencing import unquoted

Status = Literal["parsed", "partial", "unparsed", "refused", "timed_out", "failed", "abstained", "missing"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood; `first_error` is 0-based.

    `partial` is a verdict "incorrect" without a usable step; `timed_out` and `failed` are calls without a reply.
    """

    status: Status
    correct: bool | None = None
    first_error: int | None = None
    category: str = ""
    reason: str = ""
    rectified: str = ""
    flags: tuple[str, ...] = ()


def judged(correct: bool, step: StepReference, words: Mapping[str, str], flags: tuple[str, ...] = ()) -> Reading:
    """A verdict with its step; where the two contradict each other the verdict wins and a flag says so."""
    if correct:
        return Reading("parsed", True, flags=(*flags, "contradiction") if step.given else flags)
    flags += step.flags if step.given else ("step_missing",)
    return Reading("partial" if step.position is None else "parsed", False, step.position, **words, flags=flags)


def read_raw(text: str, steps: Sequence[StepRecord], base: int | None = None) -> Reading:
    """Read a judge's reply about a solution with these steps; `base` as in `find_step`."""
    answer, unfinished = _without_thinking(first_turn(text))
    if not answer:
        return Reading("unparsed", flags=("thinking_unfinished",) if unfinished else ("empty",))
    for words, read in _attempts(answer):
        reading = read(words, steps, base)
        if reading is not None:
            return reading
    return Reading("refused" if _REFUSAL.match(answer.replace("\u2019", "'")) else "unparsed")


_Reader = Callable[[str, Sequence[StepRecord], int | None], Reading | None]


def _attempts(answer: str) -> Iterator[tuple[str, _Reader]]:
    """What to read, and how: the model's own words, and where it quotes without an end only what has a name there."""
    own, perhaps = unquoted(answer), unquoted(answer, to_the_end=False)
    yield from ((own, _from_json), (own, _from_headings))
    if not _FORM.search(own):  # a model that repeats the form has not filled it in, whatever stands in a box
        yield own, _from_box
    if own == answer:  # beside quotes a scrap is no verdict
        yield own, _from_short
    yield from ((perhaps, _from_json), (perhaps, _from_headings))


_FORM = re.compile(r"correctness\W{1,8}correct or incorrect\b", re.IGNORECASE)
_THINKING_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"(?:i'm |i am |we are )?(?:sorry|afraid)\b|i apologi[sz]e|as an ai\b|"
    r"i(?: can't| cannot| won't| am unable to|'m unable to) (?:help|assist|comply|provide|fulfil|do|engage|answer)",
    re.IGNORECASE,
)


def _without_thinking(text: str) -> tuple[str, bool]:
    """The answer after the thinking, and whether the thinking never ended. Some templates omit the opening tag."""
    answer, thinking = "", False
    pieces = _THINKING_TAG.split(text)
    for piece, closing in zip(pieces[::2], [None, *pieces[1::2]], strict=True):
        if closing == "/" and not thinking:
            answer = ""
        thinking = closing == ""
        answer += "" if thinking else piece
    return answer.strip(), thinking


_FENCED = re.compile(r"```\w*[ \t]*\n(.*?)```", re.DOTALL)
_OBJECT_START = re.compile(r'\{(?=\s*")')
_MOST_TRIED = 20  # from either end
_KEYS = {
    "correct": ("correct", "solution_correctness", "correctness", "solution_correct", "is_correct", "verdict"),
    "label": ("first_error_label", "first_error_step", "first_error_line", "error_step", "step", "first_error"),
    "reason": ("reason", "error_reason", "explanation"),
    "rectified": ("rectified", "rectified_step", "corrected_step"),
    "category": ("category", "error_type"),
}


def _from_json(text: str, steps: Sequence[StepRecord], base: int | None) -> Reading | None:
    for found in _objects(text):
        fields = {str(key).strip().lower().replace(" ", "_"): value for key, value in found.items()}
        named = [fields[key] for key in _KEYS["correct"] if key in fields]
        if not named:
            continue
        correct = named[0] if isinstance(named[0], bool) else read_correct(str(named[0]))
        if named[0] is None or correct == "abstained":
            return Reading("abstained")
        if isinstance(correct, bool):
            words = {name: _words(str(_pick(fields, name) or "")) for name in ("category", "reason", "rectified")}
            return judged(correct, _json_step(fields, steps, base), words)
    return None


def _json_step(fields: Mapping[str, Any], steps: Sequence[StepRecord], base: int | None) -> StepReference:
    """A number under `first_error` is a 0-based position, as in an answer line; every other name takes a label."""
    position = fields.get("first_error")
    if isinstance(position, int) and not isinstance(position, bool):
        return NO_STEP if position == -1 else at_position(position, len(steps))
    label = _pick(fields, "label")
    return NO_STEP if label is None or isinstance(label, bool) else find_step(str(label), steps, base)


def _pick(fields: Mapping[str, Any], name: str) -> Any:
    return next((fields[key] for key in _KEYS[name] if fields.get(key) is not None), None)


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """JSON objects in the text, the last first, fenced ones before others; what is inside one is a part of it."""
    for block in reversed(_FENCED.findall(text)):
        yield from filter(None, [_object_at(block.strip())[0]])
    starts = [match.start() for match in _OBJECT_START.finditer(text)]
    found, end = [], 0
    for start in starts if len(starts) <= 2 * _MOST_TRIED else starts[:_MOST_TRIED] + starts[-_MOST_TRIED:]:
        if start >= end:
            one, length = _object_at(text[start:])
            end = start + length
            found += [one] if one else []
    yield from reversed(found)


def _object_at(text: str) -> tuple[Mapping[str, Any] | None, int]:
    """The object that a text begins with, and its length; one that is cut off reaches to the end."""
    cut = 0
    for source in (text, re.sub(r'\\(?!["\\/bfnrtu])', r"\\\\", text)):  # LaTeX written unescaped
        try:
            found, length = json.JSONDecoder(strict=False).raw_decode(source)
        except json.JSONDecodeError as error:
            if error.pos >= len(source.rstrip()) or error.msg.startswith("Unterminated string"):
                cut = len(text)
        except (ValueError, RecursionError):
            continue
        else:
            return (found, length) if isinstance(found, dict) else (None, 0)
    return None, cut


def _from_headings(text: str, steps: Sequence[StepRecord], base: int | None) -> Reading | None:
    """The headed form; a repeated heading counts with its last readable value, a flag tells when they differ."""
    fields = fields_of(text)
    verdicts = [verdict for value in fields["correct"] if (verdict := read_correct(_first_line(value))) is not None]
    if not verdicts:
        return None
    if verdicts[-1] == "abstained":
        return Reading("abstained")
    named = [step for value in fields["step"] if (step := find_step(_first_line(value), steps, base)).given]
    named = [step for step in named if "step_unclear" not in step.flags] or named  # "Step x" of a repeated template
    differ = len(set(verdicts)) > 1 or len({step.position for step in named}) > 1
    words = {name: _words(fields[name][-1]) for name in ("reason", "rectified") if fields[name]}
    return judged(verdicts[-1], named[-1] if named else NO_STEP, words, ("repeated_heading",) if differ else ())


def _first_line(value: str) -> str:
    return next((line for line in value.splitlines() if line.strip() and not line.strip().startswith("```")), "")


def _words(value: str) -> str:
    return "" if re.fullmatch(r"[*_]*(?:n/?a|none|null)[*_.]*", value.strip(), re.IGNORECASE) else value.strip()


def _from_box(text: str, steps: Sequence[StepRecord], base: int | None) -> Reading | None:
    r"""The last \boxed{...} that names a step; -1 and "no error" mean a correct solution, as in ProcessBench."""
    readings = [reading for content in _boxes(text) if (reading := _from_short(content, steps, base)) is not None]
    return readings[-1] if readings else None


def _boxes(text: str) -> Iterator[str]:
    r"""The contents of every \boxed{...}, with nested braces."""
    for match in list(re.finditer(r"\\boxed\s*\{", text))[-20:]:
        depth = 1
        for end in range(match.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                yield text[match.end() : end]
                break


_LONGEST_SHORT = 200  # characters; beyond that a text is prose, in which a stray word must not decide
_BROKEN_OBJECT = re.compile(r"""[{\[]+\s*(?:["']|\w+\s*:)""")  # of which the name of a field is no verdict
_ANYWHERE = re.compile(r"\b(?:step|paragraph|line)s?[\s_#]*\d.*", re.IGNORECASE)


def _from_short(text: str, steps: Sequence[StepRecord], base: int | None) -> Reading | None:
    """A text that is nothing but a verdict, a step, or a sentence with both."""
    text = text.strip()
    if not text or len(text) > _LONGEST_SHORT or "\n" in text or _BROKEN_OBJECT.match(text):
        return None
    correct = read_correct(text)
    if correct == "abstained":
        return Reading("abstained")
    if correct is not None:
        named = _ANYWHERE.search(text)
        return judged(correct, find_step(named[0], steps, base) if named and not correct else NO_STEP, {})
    if not is_bare_step(text):
        return None
    step = find_step(text, steps, base)
    return judged(not step.given, step, {})  # a lone -1 is the sentinel of a correct solution
