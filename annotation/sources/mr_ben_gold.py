"""The published label of an MR-Ben record: where its step stands, and its two reasons."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Any

from annotation import segmentation
from annotation.sources.fields import Fields, shown
from annotation.sources.records import GoldRecord, LabelRecord
from annotation.verdicts import Verdict

CORRECTNESS = "Model_Solution_Correctness"
FIRST_ERROR = "Model_Solution_First_Error_Step"
REASON = "Model_Solution_Error_Reason"
RECTIFIED = "Model_Solution_Rectified_First_Error_Step"
LABEL_KEYS = (CORRECTNESS, FIRST_ERROR, REASON, RECTIFIED)
NOTHING = "N/A"


def gold_of(fields: Fields, raw_text: str, steps: segmentation.Steps) -> GoldRecord | None:
    """The published label; None when there is none or it cannot be placed (then an oddity of "gold" says why)."""
    if all(fields.values.get(key) is None for key in LABEL_KEYS):
        return None
    correctness = fields.values.get(CORRECTNESS)
    if correctness == "correct":
        return _correct(fields)
    if correctness != "incorrect":
        message = f"{CORRECTNESS} is correct or incorrect, not {shown(correctness)}."
        fields.odd("unknown_correctness", "blocking", "gold", message)
        return None
    first_error, pairs = _position(fields, raw_text, steps), _pairs(fields)
    if first_error is None or pairs is None:
        return None
    reason, rectified = pairs[0] if pairs else ("", "")
    verdict = Verdict(correct=False, first_error=first_error, reason=reason, rectified=rectified)
    return GoldRecord(verdict, tuple(pairs))


def unplaced_label(fields: Fields) -> dict[str, Any]:
    """What the file says of a label that could not be placed, for the lead who has to look at it; {} when placed."""
    if not any(odd.field == "gold" and odd.severity == "blocking" for odd in fields.oddities):
        return {}
    reasons, rectified = (
        [text for text in _listed(fields, key) if isinstance(text, str)] for key in (REASON, RECTIFIED)
    )
    return {
        "correctness": fields.values.get(CORRECTNESS),
        "first_error": fields.values.get(FIRST_ERROR),
        "reasons": [list(pair) for pair in zip_longest(reasons, rectified, fillvalue="")],
    }


def labels_of(gold: GoldRecord | None, *, single: bool) -> tuple[LabelRecord, ...]:
    """The label as its published annotators' labels: the place is theirs in common, the words each one's own.

    Code has one published reason, hence one annotator.
    """
    if gold is None:
        return ()
    if gold.verdict.correct:
        verdicts = [gold.verdict] * (1 if single else 2)
    else:
        place = gold.verdict.first_error
        verdicts = [Verdict(False, place, reason=reason, rectified=rectified) for reason, rectified in gold.reasons]
    return tuple(LabelRecord(f"published-{n}", verdict) for n, verdict in enumerate(verdicts, start=1))


def _correct(fields: Fields) -> GoldRecord | None:
    given = [key for key in LABEL_KEYS[1:] if fields.values.get(key) not in (NOTHING, "", None, [])]
    if given:
        message = f"The solution is labelled correct, but {given[0]} is {shown(fields.values[given[0]])}."
        fields.odd("correct_with_error_given", "blocking", "gold", message)
        return None
    return GoldRecord(Verdict(correct=True))


def _position(fields: Fields, raw_text: str, steps: segmentation.Steps) -> int | None:
    stated = fields.values.get(FIRST_ERROR)
    if type(stated) is int:
        fields.odd("text_as_int", "warning", FIRST_ERROR, f"{FIRST_ERROR} is the number {stated}; taken as a text.")
        stated = str(stated)
    if not isinstance(stated, str):
        fields.odd("wrong_type", "blocking", "gold", f"{FIRST_ERROR} is a text, not {shown(stated)}.")
        return None
    if stated.strip() == NOTHING:
        message = "The solution is labelled incorrect without a step."
        fields.odd("incorrect_without_step", "blocking", "gold", message)
        return None
    if any(step.kind == "code" for step in steps):
        return _line_position(fields, stated, raw_text, steps)
    return _label_position(fields, stated.strip(), raw_text, steps)


def _line_position(fields: Fields, line: str, raw_text: str, steps: segmentation.Steps) -> int | None:
    times = raw_text.split("\n").count(line)
    if not line:
        message = "The solution is labelled incorrect, and the line of the error is empty."
        fields.odd("coding_incorrect_with_empty_first_error_line", "blocking", "gold", message)
    elif times > 1:
        message = f"The line of the error stands {times} times in the source; the first one is taken."
        fields.odd("coding_error_line_text_not_unique", "warning", FIRST_ERROR, message)
    found = [position for position, step in enumerate(steps) if step.text == line]
    if line and not line.strip():
        fields.odd("coding_error_line_blank", "blocking", "gold", "The line of the error holds only blanks.")
    elif line and not found:
        message = f"The line of the error, {shown(line)}, is no line of the source."
        fields.odd("coding_error_line_not_in_source", "blocking", "gold", message)
    return found[0] if found else None


def _label_position(fields: Fields, label: str, raw_text: str, steps: segmentation.Steps) -> int | None:
    _compare_with_list_index(fields, label, raw_text)
    times = Counter(step.label for step in steps)
    if not label or not times[label]:
        printed = ", ".join(step.label for step in steps if step.label) or "none"
        message = f"The label names step {shown(label)}; the printed steps are {printed}."
        fields.odd("gold_step_not_among_step_labels", "blocking", "gold", message)
        return None
    if times[label] > 1:
        message = f'"Step {label}" is printed {times[label]} times; the first one is taken.'
        fields.odd("gold_step_label_repeated", "warning", FIRST_ERROR, message)
    return next(position for position, step in enumerate(steps) if step.label == label)


def _compare_with_list_index(fields: Fields, label: str, raw_text: str) -> None:
    entries = raw_text.split("\n")
    at_index = entries[int(label) - 1] if label.isdecimal() and 0 < int(label) <= len(entries) else ""
    if segmentation.printed_label(at_index) != label:
        message = f"Entry {shown(label)} of Model_Solution_Steps is not that step: the label is the printed number."
        fields.odd("list_index_of_gold_step_is_not_that_step", "warning", FIRST_ERROR, message)


def _pairs(fields: Fields) -> list[tuple[str, str]] | None:
    reasons, rectified = _texts(fields, REASON), _texts(fields, RECTIFIED)
    if reasons is None or rectified is None:
        return None
    if not reasons:
        fields.odd(
            "incorrect_without_reason", "warning", REASON, "The solution is labelled incorrect without a reason."
        )
    if len(reasons) != len(rectified):
        message = f"There are {len(reasons)} reasons and {len(rectified)} rectified steps."
        fields.odd("reasons_and_rectified_steps_differ_in_number", "warning", RECTIFIED, message)
    label = fields.values.get(FIRST_ERROR)
    others = {segmentation.printed_label(text) for text in rectified} - {"", str(label).strip()}
    if others and isinstance(fields.values.get(REASON), list):
        message = f"A rectified step says step {sorted(others)[0]}, the label says step {label}."
        fields.odd("rectified_step_label_differs_from_gold", "warning", RECTIFIED, message)
    return list(zip_longest(reasons, rectified, fillvalue=""))


def _texts(fields: Fields, key: str) -> list[str] | None:
    entries = _listed(fields, key)
    if all(isinstance(entry, str) for entry in entries):
        return entries
    message = f"{key} is a text or a list of texts, not {shown(fields.values.get(key))}."
    fields.odd("wrong_type", "blocking", "gold", message)
    return None


def _listed(fields: Fields, key: str) -> list[Any]:
    value = fields.values.get(key)
    if value in (None, NOTHING):
        return []
    return list(value) if isinstance(value, list) else [value]
