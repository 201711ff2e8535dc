"""Odd steps: blank, headings, remnants of prompts, unbalanced mathematics, odd numbering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from annotation.sources.records import Oddity, SolutionRecord, StepRecord

INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
ELLIPSIS = re.compile(r"(?:[.…\s]|\\l?dots|\\cdots)+")
HEADING = re.compile(r"\#{1,6}[ \t]+[^\n]+|\*\*[^*\n]+\*\*:?")
TEMPLATE = re.compile(
    r"(?:\[(?:Math Problem|Problem|Question|Solution|Answer|Response)\]|</?(?:paragraph|step)_?\d*>)", re.I
)
LEADING_NUMBER = re.compile(r"[0-9]+")
PAIRS = (
    (re.compile(r"(?<!\\)\\\("), re.compile(r"(?<!\\)\\\)")),
    (re.compile(r"(?<!\\)\\\["), re.compile(r"(?<!\\)\\\]")),
)
DOLLAR = re.compile(r"(?<!\\)\$")
MONEY = re.compile(r"(?<![\\$])\$ ?[0-9][0-9.,]*(?=[\s.,;:!?)/*+=-]|$)", re.MULTILINE)


def step_oddities(record: SolutionRecord) -> Iterator[Oddity]:
    """Oddities of a record's steps, one for each step and kind."""
    first_error = record.gold.verdict.first_error if record.gold else None
    for position, step in enumerate(record.steps):
        for kind, message in _of_step(record, step):
            yield _odd(record, kind, position, message)
        if position == first_error and step.kind != "code" and is_heading(step.text):
            yield _odd(record, "first_error_on_heading", position, "the first error is placed on a mere heading")
    yield from _numbering(record)
    yield from _repeats(record)


def is_heading(text: str) -> bool:
    """Whether a step is a Markdown heading or one bold line and nothing else."""
    return HEADING.fullmatch(text.strip()) is not None


def _of_step(record: SolutionRecord, step: StepRecord) -> Iterator[tuple[str, str]]:
    text = step.text.translate(INVISIBLE).strip()
    if not text:
        yield "empty_step", "it holds no text"
    elif ELLIPSIS.fullmatch(text):
        yield "ellipsis_step", "it holds only an ellipsis"
    elif step.kind == "code":
        return
    elif is_heading(text):
        yield "heading_only_step", "it is a mere heading"
    elif TEMPLATE.fullmatch(text):
        yield "template_leak", "it looks like a part of the prompt"
    elif text == record.problem.question.strip():
        yield "question_as_step", "it only repeats the question"
    if not _balanced(text, record.problem.text_format.startswith("latex")):
        yield "unbalanced_delimiters", "it opens mathematics that it does not close, or closes what it did not open"


def _balanced(text: str, dollars: bool) -> bool:
    sides_match = all(len(opening.findall(text)) == len(closing.findall(text)) for opening, closing in PAIRS)
    counts = dollars and not MONEY.search(text)
    return sides_match and not (counts and len(DOLLAR.findall(text)) % 2)


def _numbering(record: SolutionRecord) -> Iterator[Oddity]:
    labels = [step.label for step in record.steps if step.label and step.kind == "step"]
    numbers = [int(match[0]) for label in labels if (match := LEADING_NUMBER.match(label))]
    if numbers and numbers != list(range(1, len(numbers) + 1)):
        listed = ", ".join(labels[:20]) + ("…" if len(labels) > 20 else "")
        message = f"The printed step numbers do not run from 1 to {len(numbers)}: {listed}."
        yield Oddity("step_labels_not_1_to_n", "warning", record.where, "steps", message)
    letters = [label for label in labels if not LEADING_NUMBER.match(label)]
    if letters:
        message = f'A step is printed without a number: "Step {letters[0]}".'
        yield Oddity("step_label_not_a_number", "warning", record.where, "steps", message)


def _repeats(record: SolutionRecord) -> Iterator[Oddity]:
    times = Counter(step.text.strip() for step in record.steps if step.kind == "step" and step.text.strip())
    for text, count in times.items():
        if count > 1:
            message = f"The same step stands {count} times in this solution: {text[:60]!r}."
            yield Oddity("repeated_step", "warning", record.where, "steps", message)


def _odd(record: SolutionRecord, kind: str, position: int, message: str) -> Oddity:
    label = record.steps[position].label
    name = f"Step {label}" if label else f"The step at place {position + 1}"
    return Oddity(kind, "warning", record.where, "steps", f"{name}: {message}.")
