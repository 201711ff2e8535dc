"""After how many labels three agree: the layout of ProcessBench's agreement table."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from review.exhibits.exhibit import Cell, Column, Exhibit, address, count, percent
from review.pictures import bars

TAKEN = ("3", "4", "5")


def consensus_exhibits(project: Project, report: Mapping[str, Any]) -> list[Exhibit]:
    """The table, one row a subject, errors and correct solutions beside each other."""
    subjects = report["subjects"]
    title = _("After how many labels three agree")
    drawn = [
        (f"{subject or _('none')}, {name}", [row[kind][n] for n in TAKEN])
        for subject, row in subjects.items()
        for kind, name in (("error", _("error")), ("correct", _("correct")))
        if sum(row[kind].values())
    ]
    return [
        Exhibit(
            key="consensus",
            title=title,
            columns=[Column(_("Subject"), ("subject",)), *_columns()],
            rows=[_row(project, subject, row) for subject, row in subjects.items()],
            picture=bars(drawn, [_("3 of 3"), _("3 of 4"), _("3 of 5")], title) if drawn else "",
            notes=[
                _(
                    "Labels are taken in the order they came in, those asked for after a dispute included, until three "
                    "name the same place; five at most. Shares are of the items of the same kind that found consensus."
                )
            ],
        )
    ]


def _columns() -> list[Column]:
    found = []
    for kind, name in (("error", _("error")), ("correct", _("correct"))):
        found.append(Column(_("Items, %s") % name, (f"{kind} items",), "num"))
        found += [Column(f"3/{n} {name}", (f"{kind} 3/{n}", f"{kind} 3/{n} share"), "num") for n in TAKEN]
    none = Column(_("None in 5"), ("no consensus",), "num")
    return [*found, none, Column(_("Too few labels"), ("too few labels",), "num")]


def _row(project: Project, subject: str, row: Mapping[str, Any]) -> list[Cell]:
    def opened(which: str) -> str:
        return address("items", project, {"by": "subject", "part": subject, "consensus": which})

    cells = [Cell(subject, subject or _("none"))]
    for kind in ("error", "correct"):
        total = sum(row[kind].values())
        cells.append(count(total, opened(kind)))
        for n in TAKEN:
            share = row[kind][n] / total if total else None
            taken = count(row[kind][n], opened(f"{kind}-{n}"))
            cells.append(Cell((row[kind][n], share), percent(share), taken.text, taken.href))
    return [*cells, count(row["none"], opened("none")), count(row["waiting"], opened("waiting"))]
