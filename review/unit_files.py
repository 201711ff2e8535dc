"""The units behind an agreement figure, row by row from the database: enough to compute it elsewhere."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Max, QuerySet

from annotation.models import Annotation, Project, Solution, StepLabel, User
from review.label_rows import ROWS_AT_ONCE, first_pass
from review.models import ReasonPair
from review.slices import label_scope, solutions_in
from review.working import NO_VALUE, Row, unit_header, unit_row

SOLUTION = "assignment__solution__"
STEP_SOLUTION = f"annotation__{SOLUTION}"
REASON_HEADER = ["item", "problem", "step", "first", "second", "lead same", "hint same", "hint was shown"]


def unit_rows(project: Project, question: str, by: str = "", part: str = "") -> Iterator[Row]:
    """The units of a question, header first; steps are counted from one, 1 and 0 are yes and no.

    `places` is the number of values a unit could have had; a unit's problem is what intervals resample.
    """
    if question == "reason":
        yield from _reason_rows(project)
        return
    if question == "every_step":
        yield from _step_rows(project, by, part)
        return
    names = _names(project)
    # The steps are counted once, and not per label: `places` comes from a query of its own.
    yield unit_header(["item", "problem", "step", "places"], names.values())
    for (item, problem, step, places), given in _units(project, question, by, part):
        yield unit_row([item, problem, step, places], given, names)


def _names(project: Project) -> dict[int, str]:
    """Who gave blind first labels here, by id."""
    people = first_pass(project).order_by().values("assignment__annotator").distinct()
    return dict(User.objects.filter(pk__in=people).order_by("pk").values_list("pk", "username"))


def _labels(project: Project, by: str, part: str) -> "QuerySet[Annotation]":
    labels = first_pass(project).filter(label_scope(by, part))
    if by:
        inside = solutions_in(Solution.objects.filter(problem__project=project), by, part)
        labels = labels.filter(assignment__solution__in=inside.order_by().values("pk"))
    return labels


def _units(project: Project, question: str, by: str, part: str) -> Iterator[tuple[tuple[Any, ...], dict[int, Any]]]:
    labels = _labels(project, by, part)
    if question in ("given_both_incorrect", "category"):
        labels = labels.filter(correct=False)
    if question == "category":
        labels = labels.exclude(category="")
    steps = dict(
        Solution.objects.filter(problem__project=project).order_by().values_list("pk").annotate(Max("steps__position"))
    )  # fmt: skip
    rows = labels.order_by("assignment__solution_id", "assignment__annotator_id").values_list(
        "assignment__solution_id", f"{SOLUTION}item_id", f"{SOLUTION}problem_id", "assignment__annotator_id", "correct",
        "first_error", "category",
    )  # fmt: skip
    n_categories = labels.order_by().values("category").distinct().count() if question == "category" else 0
    for pk, of_item in groupby(rows.iterator(chunk_size=ROWS_AT_ONCE), key=itemgetter(0)):
        places = {"correctness": 2, "category": n_categories}.get(question, (steps[pk] or 0) + 2)
        yield from _item_units(question, list(of_item), places)


def _item_units(
    question: str, rows: list[tuple[Any, ...]], places: int
) -> Iterator[tuple[tuple[Any, ...], dict[int, Any]]]:
    units: dict[Any, dict[int, Any]] = {}
    for _pk, _item, _problem, annotator, correct, first_error, category in rows:
        step = None if first_error is None else first_error + 1
        unit, value = {"correctness": ("", correct), "category": (step, category)}.get(question, ("", step))
        units.setdefault(unit, {})[annotator] = value
    _pk, item, problem = rows[0][:3]
    for unit, given in units.items():
        yield (item, problem, unit, places), given


def _step_rows(project: Project, by: str, part: str) -> Iterator[Row]:
    names = _names(project)
    yield unit_header(["item", "problem", "step"], names.values())
    rows = StepLabel.objects.filter(annotation__in=_labels(project, by, part).order_by().values("pk"))
    found = rows.order_by(f"{STEP_SOLUTION}pk", "position", "annotation__assignment__annotator_id").values_list(
        f"{STEP_SOLUTION}item_id", f"{STEP_SOLUTION}problem_id", "position", "annotation__assignment__annotator_id",
        "value",
    )  # fmt: skip
    for (item, problem, step), labels in groupby(found.iterator(chunk_size=ROWS_AT_ONCE), key=itemgetter(0, 1, 2)):
        yield unit_row([item, problem, step + 1], {who: value for *_unit, who, value in labels}, names)


def _reason_rows(project: Project) -> Iterator[Row]:
    yield REASON_HEADER
    pairs = ReasonPair.objects.filter(first__assignment__solution__problem__project=project).order_by("pk")
    rows = pairs.exclude(lead_same=None, hint_same=None).values_list(
        f"first__{SOLUTION}item_id", f"first__{SOLUTION}problem_id", "first__first_error",
        "first__assignment__annotator__username", "second__assignment__annotator__username",
        "lead_same", "hint_same", "hint_was_shown",
    )  # fmt: skip
    for item, problem, step, first, second, *said in rows.iterator(chunk_size=ROWS_AT_ONCE):
        step_name = NO_VALUE if step is None else step + 1
        yield [item, problem, step_name, first, second, *("" if each is None else int(each) for each in said)]
