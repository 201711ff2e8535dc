"""What agreement can be cut by: how labels fall into parts, and which solutions make a part."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Project, Solution, Step
from review.counting import Counts
from review.label_columns import LabelColumns, Mask
from review.label_rows import ROWS_AT_ONCE, first_pass, item_column

MOST_PARTS = 60
BANDS = {"1–3": (1, 3), "4–6": (4, 6), "7–10": (7, 10), "11–15": (11, 15), "16+": (16, None)}


@dataclass(frozen=True)
class Dimension:
    """`field` is a field of the solution, empty where the part follows from something else; `told` explains it."""

    name: Promise
    field: str = ""
    told: Promise | str = ""


DIMENSIONS = {
    "subject": Dimension(_("Subject"), "problem__subject"),
    "level": Dimension(_("Level"), "problem__level"),
    "sampler": Dimension(_("Sampled from"), "sampled_from"),
    "steps": Dimension(_("Number of steps")),
    "guideline": Dimension(
        _("Guideline version"),
        told=_("Labels under different versions of the guideline are not compared with each other."),
    ),
    "week": Dimension(_("Week"), told=_("An item belongs to the week of its last blind label.")),
    "batch": Dimension(_("Batch"), "problem__source", _("The file or source an item was imported from.")),
}


@dataclass(frozen=True)
class Parts:
    """How labels fall into parts: `values` in order, each label's part (-1: none); `left_out` counts parts not kept."""

    values: tuple[str, ...]
    part: Counts
    left_out: int = 0

    def __iter__(self) -> Iterator[tuple[str, Mask]]:
        """Each part's value and its labels."""
        for number, value in enumerate(self.values):
            yield value, self.part == number


def parts_of(project: Project, dimension: str, labels: LabelColumns, versions: Counts) -> Parts:
    """Cut labels; `versions` is each label's guideline version. Above 60 parts only the largest are kept."""
    if dimension == "guideline":
        values, part = _coded(np.array([str(version or "") for version in versions.tolist()], dtype=object))
        return _largest(values, part)
    values, of_item = _coded(_of_items(project, dimension, labels))
    return _largest(values, of_item[labels.item])


def solutions_in(solutions: "QuerySet[Solution]", dimension: str, value: str) -> "QuerySet[Any]":
    """Those of some solutions that belong to a part. Nothing belongs to a part that cannot be."""
    if dimension == "steps":
        return _in_band(solutions, value)
    if dimension == "week":
        return _in_week(solutions, value)
    field = DIMENSIONS[dimension].field if dimension in DIMENSIONS else ""
    return solutions.filter(**{field: value}) if field else solutions


def label_scope(dimension: str, value: str, prefix: str = "") -> Q:
    """Which of a solution's labels belong to a part: all of them, but for guideline versions."""
    if dimension != "guideline":
        return Q()
    if not value.isdecimal():
        return Q(**{f"{prefix}guideline": None})
    return Q(**{f"{prefix}guideline__version": int(value[:9])})


def week_of(day: date) -> str:
    """The ISO week of a day, like 2026-W05."""
    year, week, _day = day.isocalendar()
    return f"{year}-W{week:02}"


def _of_items(project: Project, dimension: str, labels: LabelColumns) -> npt.NDArray[Any]:
    """The part of each item, as text."""
    if dimension == "steps":
        return np.array([_band(n) for n in labels.n_steps.tolist()], dtype=object)
    if dimension == "week":
        last = first_pass(project).order_by().values_list("assignment__solution_id").annotate(last=Max("created_at"))
        weeks = {pk: week_of(timezone.localdate(at)) for pk, at in last.iterator(chunk_size=ROWS_AT_ONCE)}
        return np.array([weeks.get(pk, "") for pk in labels.items.tolist()], dtype=object)
    return item_column(project, labels.items, DIMENSIONS[dimension].field)


def _coded(found: npt.NDArray[Any]) -> tuple[list[str], Counts]:
    values = sorted(set(found.tolist()), key=_place_in_line)
    code = {value: n for n, value in enumerate(values)}
    return values, np.array([code[value] for value in found.tolist()], dtype=np.int64)


def _place_in_line(value: str) -> tuple[int, bool, str]:
    """Bands as they stand, words before numbers, numbers by size."""
    band = list(BANDS).index(value) if value in BANDS else -1
    return band, value.isdecimal(), value.zfill(12) if value.isdecimal() else value


def _largest(values: list[str], part: Counts) -> Parts:
    sizes = np.bincount(part, minlength=len(values))
    kept = np.sort(np.argsort(-sizes, kind="stable")[:MOST_PARTS])
    number = np.full(len(values), -1)
    number[kept] = np.arange(len(kept))
    shown = tuple(values[at] for at in kept.tolist())
    return Parts(shown, number[part] if len(part) else part, len(values) - len(kept))


def _band(n_steps: int) -> str:
    return next((name for name, (low, high) in BANDS.items() if low <= n_steps <= (high or n_steps)), "")


def _in_band(solutions: "QuerySet[Solution]", value: str) -> "QuerySet[Any]":
    if value not in BANDS:
        return solutions.none()
    (low, high), steps = BANDS[value], Step.objects.filter(solution=OuterRef("pk"))
    found = solutions.filter(Exists(steps.filter(position=low - 1)))
    return found.filter(~Exists(steps.filter(position=high))) if high else found


def _in_week(solutions: "QuerySet[Solution]", value: str) -> "QuerySet[Any]":
    try:
        monday = date.fromisoformat(f"{value}-1")
    except ValueError:
        return solutions.none()
    midnight, zone = datetime.min.time(), timezone.get_current_timezone()
    start, end = (datetime.combine(day, midnight, zone) for day in (monday, monday + timedelta(days=7)))
    labels = Annotation.objects.first_pass().filter(assignment__solution=OuterRef("pk"))
    return solutions.filter(
        Exists(labels.filter(created_at__gte=start, created_at__lt=end)), ~Exists(labels.filter(created_at__gte=end))
    )
