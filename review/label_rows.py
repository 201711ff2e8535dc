"""Stored blind first labels as columns of numbers, and what each item and label can be told apart by."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import batched
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import BigIntegerField, Case, F, Max, QuerySet, Sum, When
from django.db.models.functions import Cast, Coalesce

from annotation.models import AfterError, Annotation, Project, Solution, Step, StepLabel, StepValue
from review.counting import Counts
from review.disagreements import place
from review.every_step import StepLabels
from review.label_columns import LabelColumns
from review.models import ReasonPair
from review.reason_agreement import NOT_SAID, ReasonPairs

ROWS_AT_ONCE = 20_000
STEPS_A_ROW, BITS, DIGIT_OF_NEUTRAL = 20, 3, 2  # a step's value plus two is its digit, none is zero


def first_pass(project: Project) -> "QuerySet[Annotation]":
    """The blind first labels of a campaign."""
    return Annotation.objects.first_pass().filter(assignment__solution__problem__project=project)


def label_columns(project: Project) -> tuple[LabelColumns, Counts, Counts]:
    """Blind first labels (item: solution, cluster: problem); with each label's guideline version (0: none) and pk."""
    labels = first_pass(project).order_by()
    names = ["", *sorted(set(labels.exclude(category="").values_list("category", flat=True).distinct()))]
    # Numbers alone, made by the database: turning 300,000 rows into them one by one would take as long as reading them.
    rows = labels.annotate(
        place=place(""),
        code=Case(*(When(category=name, then=code) for code, name in enumerate(names[1:], start=1)), default=0),
        version=Coalesce("guideline__version", 0),
    ).values_list("assignment__solution_id", "assignment__annotator_id", "place", "code", "version", "pk")
    table = numbers(rows.iterator(chunk_size=ROWS_AT_ONCE), 6)
    table = table[:, np.lexsort([table[1], table[0]])]
    items, item = np.unique(table[0], return_inverse=True)
    people, annotator = np.unique(table[1], return_inverse=True)
    problems, n_steps = _item_facts(project, items)
    columns = LabelColumns(
        items, problems, n_steps, tuple(people.tolist()), tuple(names), item, annotator, table[2], table[3]
    )
    return columns, table[4], table[5]


def in_order(project: Project) -> Iterator[tuple[int, str, int | None]]:
    """Every annotator's first label, those asked for after a dispute included: solution, subject, first error."""
    rows = Annotation.objects.filter(revision=1, assignment__solution__problem__project=project)
    yield from rows.order_by("pk").values_list(
        "assignment__solution_id", "assignment__solution__problem__subject", "first_error"
    ).iterator(chunk_size=ROWS_AT_ONCE)  # fmt: skip


def step_labels(project: Project, pks: Counts) -> StepLabels:
    """What blind first labels say of single steps; `pks` are those of the labels, in any order."""
    # Twenty steps are packed into one number by the database: three million rows would take half a minute to read.
    in_row: Any = F("position") % STEPS_A_ROW * BITS
    digit = Cast(F("value") + DIGIT_OF_NEUTRAL, BigIntegerField()).bitleftshift(in_row)
    labels = StepLabel.objects.filter(annotation__in=first_pass(project).order_by().values("pk"))
    rows = labels.order_by().values_list("annotation_id").annotate(block=F("position") / STEPS_A_ROW)
    packed = rows.annotate(said=Cast(Sum(digit), BigIntegerField())).values_list("annotation_id", "block", "said")
    label, block, said = numbers(packed.iterator(chunk_size=ROWS_AT_ONCE), 3)
    order = np.argsort(pks)
    known = np.isin(label, pks)  # a label that came in meanwhile is counted the next time
    label, block, said = label[known], block[known], said[known]
    digits = (said[:, None] >> (BITS * np.arange(STEPS_A_ROW))) & (2**BITS - 1)
    row, place_in_row = np.nonzero(digits)
    found = order[np.searchsorted(pks[order], label)]
    position = block[row] * STEPS_A_ROW + place_in_row
    return StepLabels(found[row], position, digits[row, place_in_row] - DIGIT_OF_NEUTRAL)


def step_scheme(project: Project) -> tuple[int, ...]:
    """The values a step can be given in this campaign."""
    values = (StepValue.INCORRECT, StepValue.NEUTRAL, StepValue.CORRECT)
    return tuple(map(int, (*values, StepValue.REALISES) if project.after_error == AfterError.REALISATION else values))


def reason_pairs(project: Project) -> ReasonPairs:
    """The pairs of reasons that a lead or a model has compared."""
    rows = ReasonPair.objects.filter(first__assignment__solution__problem__project=project).order_by("pk")
    said = rows.exclude(lead_same=None, hint_same=None).values_list(
        "first__assignment__solution_id", "first__assignment__solution__problem_id", "lead_same", "hint_same",
        "hint_was_shown",
    )  # fmt: skip
    table = numbers(
        (
            (item, problem, *(NOT_SAID if same is None else int(same) for same in (lead, hint)), int(shown))
            for item, problem, lead, hint, shown in said
        ),
        5,
    )
    return ReasonPairs(table[0], table[1], table[2], table[3], table[4].astype(bool))


def numbers(rows: Iterable[Sequence[int]], width: int) -> Counts:
    """Rows of whole numbers as columns, width x rows."""
    blocks = [np.array(block, dtype=np.int64) for block in batched(rows, ROWS_AT_ONCE, strict=False)]
    return np.concatenate([np.zeros((0, width), dtype=np.int64), *blocks]).T


def item_column(project: Project, items: Counts, field: str) -> npt.NDArray[Any]:
    """One field of each of some solutions, given by rising pk."""
    rows = Solution.objects.filter(problem__project=project).order_by("pk").values_list("pk", field)
    found = [(pk, value) for pk, value in rows.iterator(chunk_size=ROWS_AT_ONCE)]
    pks = np.array([pk for pk, _ in found], dtype=np.int64)
    values = np.array([value for _, value in found], dtype=object)
    return np.asarray(values[np.searchsorted(pks, items)]) if len(items) else values[:0]


def _item_facts(project: Project, items: Counts) -> tuple[Counts, Counts]:
    """Problem and number of steps of some solutions, given by rising pk."""
    rows = Solution.objects.filter(problem__project=project).order_by("pk").values_list("pk", "problem_id")
    pks, problems = numbers(rows.iterator(chunk_size=ROWS_AT_ONCE), 2)
    last = Step.objects.filter(solution__problem__project=project).order_by().values_list("solution_id")
    counted = numbers(last.annotate(last=Max("position")).iterator(chunk_size=ROWS_AT_ONCE), 2)
    n_steps = np.zeros(len(pks), dtype=np.int64)
    n_steps[np.searchsorted(pks, counted[0])] = counted[1] + 1
    at = np.searchsorted(pks, items)
    return problems[at], n_steps[at]
