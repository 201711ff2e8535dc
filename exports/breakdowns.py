"""Where a judge is good and where not: by place of the error, length, sampler, level, and right answers gone wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.sources.records import SolutionRecord
from exports.scoring import Graded, count, metrics

_SHOWN = ("acc_step", "acc_step_within_one", "acc_reason", "error_accuracy", "correct_accuracy", "f1", "mcc")
_LENGTHS = ((3, "1-3"), (6, "4-6"), (10, "7-10"), (15, "11-15"))
_PLACES = ((0, "1"), (1, "2"), (2, "3"), (4, "4-5"), (9, "6-10"))

Key = Callable[[SolutionRecord], str | None]


def breakdowns(
    items: Sequence[SolutionRecord],
    graded: Sequence[Graded],
    final_right: Mapping[str, bool | None],
    *,
    reasons: bool,
) -> dict[str, Any]:
    """Groups of items by name, each a list of rows: value, n, counts and metrics (exact and within one step).

    Steps count from 1 in the values. `right_answer_wrong_process` are incorrect solutions with a right final answer;
    groups that hold everything (one sampler, no level) are left out. MCC is None in a group of one class only.
    """
    keys: dict[str, Key] = {
        "first_error": lambda item: _place(item.gold.verdict.first_error if item.gold else None),
        "number_of_steps": lambda item: _bucket(len(item.steps), _LENGTHS, "16 or more"),
        "sampled_from": lambda item: item.sampled_from,
        "level": lambda item: item.problem.level or None,
        "right_answer_wrong_process": lambda item: _process(item, final_right.get(item.id)),
    }
    found = {name: _rows(items, graded, key, reasons=reasons) for name, key in keys.items()}
    return {name: rows for name, rows in found.items() if len(rows) > 1 or (rows and name.startswith("right"))}


def _rows(
    items: Sequence[SolutionRecord], graded: Sequence[Graded], key: Key, *, reasons: bool
) -> list[dict[str, Any]]:
    groups: dict[str, list[Graded]] = defaultdict(list)
    for item, outcome in zip(items, graded, strict=True):
        value = key(item)
        if value is not None:
            groups[value].append(outcome)
    return [{"value": value, **_row(groups[value], reasons=reasons)} for value in sorted(groups, key=_natural)]


def _row(group: Sequence[Graded], *, reasons: bool) -> dict[str, Any]:
    counts = count(group)
    found = metrics(counts, reasons=reasons)
    if not (counts.n_correct and counts.n_incorrect):  # such a group is so by its making: 0 would blame the judge
        found["mcc"] = None
    return {"n": counts.n, "counts": counts.as_dict(), **{name: found[name] for name in _SHOWN}}


def _natural(value: str) -> tuple[int, str]:
    number = re.match(r"\d+", value)
    return (int(number[0]), "") if number else (10**9, value)


def _bucket(number: int, edges: Sequence[tuple[int, str]], beyond: str) -> str:
    return next((name for edge, name in edges if number <= edge), beyond)


def _place(first_error: int | None) -> str | None:
    return None if first_error is None else _bucket(first_error, _PLACES, "11 or later")


def _process(item: SolutionRecord, final_right: bool | None) -> str | None:
    wrong = item.gold is not None and not item.gold.verdict.correct
    if not wrong or final_right is None:
        return None
    return "right answer, wrong process" if final_right else "wrong answer"
