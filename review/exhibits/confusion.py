"""Which steps and which categories annotators take for each other."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from review.exhibits.exhibit import Cell, Column, Exhibit, address, count, percent
from review.exhibits.figures import value_name
from review.label_columns import NO_ERROR
from review.pictures import Heat, heat

MOST_IN_PICTURE, MOST_IN_TABLE = 16, 40


def confusion_exhibits(project: Project, report: Mapping[str, Any]) -> list[Exhibit]:
    """Steps, then categories."""
    return [
        _exhibit(project, "first_error", report["first_error"], _("First erroneous steps that two annotators name")),
        _exhibit(project, "category", report["category"], _("Categories that two annotators give for the same step")),
    ]


def _exhibit(project: Project, question: str, report: Mapping[str, Any], title: str) -> Exhibit:
    values, cells = report["values"], report["cells"]
    total = sum(n for _one, _other, n in cells)
    shown = values if len(values) <= MOST_IN_PICTURE else [*values[: MOST_IN_PICTURE - 1], values[-1]]
    return Exhibit(
        key=f"{question}-confusion".replace("_", "-"),
        title=title,
        columns=[
            Column(_("One says"), ("one",)), Column(_("the other says"), ("other",)),
            Column(_("Pairs of labels"), ("pairs",), "num"), Column(_("Share"), ("share",), "num"),
        ],
        rows=[_row(project, question, cell, total) for cell in cells],
        picture=_picture(question, shown, cells, title) if cells else "",
        legend=_("Pairs of labels; the stronger the colour, the more. On the diagonal both say the same."),
        notes=[_("The picture leaves out steps beyond %s; the file has all.") % value_name(question, str(shown[-2]))]
        if len(shown) < len(values)
        else [],
    )  # fmt: skip


def _row(project: Project, question: str, cell: list[Any], total: int) -> list[Cell]:
    one, other, n = cell
    said = [NO_ERROR if each is None else each for each in (one, other)]
    opened = {"figure": question, "one": said[0], "other": said[1]}
    return [
        Cell(_written(question, one), _name(question, one)),
        Cell(_written(question, other), _name(question, other)),
        count(n, address("items", project, opened)),
        Cell(n / total, percent(n / total)),
    ]


def _picture(question: str, shown: list[Any], cells: list[list[Any]], title: str) -> str:
    most = max(n for _one, _other, n in cells)
    at = {value: place for place, value in enumerate(shown)}
    drawn = {}
    for one, other, n in cells:
        if one in at and other in at:
            drawn[at[one], at[other]] = drawn[at[other], at[one]] = Heat(n / most, str(n))
    names = [_name(question, value) for value in shown]
    return heat(names, names, drawn, title)


def _name(question: str, value: Any) -> str:
    return value_name(question, "no error" if value is None else str(value))


def _written(question: str, value: Any) -> Any:
    """As in the files of units: steps counted from one, no error in words."""
    if value is None:
        return "no error"
    return value + 1 if question == "first_error" else value
