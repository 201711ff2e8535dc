"""Judges to be compared: their graded items, and how far their figures of reasons can be held side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from exports.double_sampling import Confusion
from exports.scoring import Graded

Standing = Literal["not compared", "people", "unchecked", "corrected"]


class NotComparable(ValueError):
    """These judges were not graded on the same items."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge's graded items. `reasons` tells whether, and `reasons_how` by what, its reasons were compared.

    `checked` are people's checks of the model that compared them. Figures of ACC_reason from different comparers, or
    corrected and raw ones, are not compared with each other.
    """

    name: str
    items: tuple[Graded, ...]
    reasons: bool = False
    reasons_how: str = "people"
    by_model: bool = False
    checked: Confusion | None = None


def judge_of(name: str, report: Mapping[str, Any], items: Sequence[Graded]) -> Judge:
    """A judge from the report of its grading, which holds what people's checks say, and its items.

    Where it found no step there is no verdict to check.
    """
    reasons = report["reasons"]
    by_model = reasons["mode"] == "llm"
    told = f"{reasons.get('model')}, prompt {reasons.get('prompt_version')}" if by_model else "people"
    cells = reasons.get("trust", {}).get("agreement", {}).get("confusion")
    checked = Confusion(**cells) if cells else None if reasons["compared"] else Confusion(0, 0, 0, 0)
    return Judge(name, tuple(items), not reasons["why_null"], told, by_model, checked if by_model else None)


def standing(judges: Sequence[Judge]) -> Standing:
    """What all figures of reasons in a comparison are: corrected only where every judge can be."""
    if not all(judge.reasons for judge in judges) or len(ways(judges)) > 1:
        return "not compared"
    if not any(judge.by_model for judge in judges):
        return "people"
    return "corrected" if all(judge.checked for judge in judges) else "unchecked"


def ways(judges: Sequence[Judge]) -> list[str]:
    """By what the reasons of those judges were compared that have any; figures of several ways are not comparable."""
    return sorted({judge.reasons_how for judge in judges if judge.reasons})


def word_for(found: Standing) -> str:
    """The word that stands beside a figure of reasons; empty when none is needed."""
    return found if found in ("unchecked", "corrected") else ""


def checks_of(judges: Sequence[Judge]) -> dict[str, dict[str, int] | None]:
    """People's checks by judge, as a report holds them."""
    return {judge.name: asdict(judge.checked) if judge.checked else None for judge in judges}


def check_comparable(judges: Sequence[Judge]) -> None:
    """Raise NotComparable unless these are two judges or more on the same items."""
    if len(judges) < 2:
        raise NotComparable("Two judges at least are needed.")
    if len({judge.name for judge in judges}) < len(judges):
        raise NotComparable("Two judges have the same name.")
    if not judges[0].items:
        raise NotComparable("The release has no items.")
    gold = [_gold(item) for item in judges[0].items]
    for judge in judges[1:]:
        if [_gold(item) for item in judge.items] != gold:
            raise NotComparable(f"{judge.name} and {judges[0].name} were not graded on the same items.")


def _gold(item: Graded) -> tuple[object, ...]:
    return item.id, item.subject, item.problem, item.gold_correct, item.gold_step
