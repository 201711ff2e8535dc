"""Whether the final answer of a solution is an accepted one."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal, InvalidOperation

from annotation.sources.records import SolutionRecord


def final_answer_is_right(record: SolutionRecord) -> bool | None:
    """What the file says of it, else whether it is in the newest answer key; None when that cannot be told."""
    stated = record.provenance.get("final_answer_correct")
    if isinstance(stated, bool):
        return stated
    if not record.final_answer or not record.problem.answer_keys:
        return None
    labels = {option.label for option in record.problem.options}
    return is_accepted(record.final_answer, record.problem.answer_keys[-1], labels)


def is_accepted(answer: str, accepted: Collection[str], option_labels: Collection[str] = ()) -> bool | None:
    """Whether an answer is one of the accepted ones.

    With options every option named ("A/C") has to be accepted. Without, equal texts or numbers are right, different
    numbers wrong, and of different texts nothing is known (None): "1/2" and "0.5" are the same answer.
    """
    if option_labels:
        named = set(answer.split("/"))
        return named <= set(accepted) if named <= set(option_labels) else None
    given, wanted = _plain(answer), [_plain(text) for text in accepted]
    if given in wanted:
        return True
    numbers = [_number(text) for text in wanted]
    number = _number(given)
    if number is None or None in numbers:
        return None
    return number in numbers


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().strip("$").rstrip(".").strip()


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
