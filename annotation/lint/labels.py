"""Odd labels, answers and options of one record."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.answers import final_answer_is_right
from annotation.sources.records import GoldRecord, Oddity, SolutionRecord


def label_oddities(record: SolutionRecord) -> Iterator[Oddity]:
    """Oddities of a record's published label against its final answer, of its reasons, and of its options."""
    if record.gold is not None:
        yield from _answer_against_label(record, record.gold)
        yield from _equal_words(record, record.gold)
    yield from _options(record)


def _answer_against_label(record: SolutionRecord, gold: GoldRecord) -> Iterator[Oddity]:
    right = final_answer_is_right(record)
    if right is False and gold.verdict.correct:
        key = "/".join(record.problem.answer_keys[-1]) if record.problem.answer_keys else ""
        if record.problem.options and key:
            kind = "labelled_correct_but_stated_choice_differs_from_modified_answer"
            message = f"The solution is labelled correct but answers {record.final_answer}; the key is {key}."
        else:
            kind, message = "wrong_answer_but_no_error", "The final answer is wrong, but no step is labelled erroneous."
        yield Oddity(kind, "warning", record.where, "gold", message)
    elif right and not gold.verdict.correct:
        message = "The final answer is right, but a step is labelled erroneous; that can be so."
        yield Oddity("right_answer_but_error", "warning", record.where, "gold", message)


def _equal_words(record: SolutionRecord, gold: GoldRecord) -> Iterator[Oddity]:
    parts = (
        ("two_reasons_identical", [reason for reason, _rectified in gold.reasons], "reasons"),
        ("two_rectified_steps_identical", [rectified for _reason, rectified in gold.reasons], "rectified steps"),
    )
    for kind, texts, name in parts:
        filled = [text.strip() for text in texts if text.strip()]
        if len(set(filled)) < len(filled):
            message = f"Two {name} are the same text: they were hardly written independently."
            yield Oddity(kind, "warning", record.where, "gold", message)


def _options(record: SolutionRecord) -> Iterator[Oddity]:
    for option in record.problem.options:
        if option.text.strip().casefold() == "nan":
            message = f'Option {option.label} reads "{option.text}", as a program writes a missing value.'
            yield Oddity("option_text_nan", "warning", record.where, "options", message)
    labels = {option.label for option in record.problem.options}
    strangers = [answer for key in record.problem.answer_keys[-1:] for answer in key if labels and answer not in labels]
    if strangers:
        message = f"The answer key {strangers[0]!r} is none of the options."
        yield Oddity("answer_key_not_among_options", "warning", record.where, "answer_keys", message)
