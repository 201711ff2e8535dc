"""The items behind each figure of the agreement, found by query."""

from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Project, Solution, StepLabel
from review.consensus_table import MOST, NEEDED
from review.disagreements import NO_ERROR, place
from review.models import ReasonPair
from review.slices import label_scope, solutions_in

LABELS = "assignments__annotations__"
FIRST = Q(assignments__annotations__revision=1, assignments__extra=False)


def items_of(
    project: Project, question: str, figure: str = "", subject: str = "", *, by: str = "", part: str = ""
) -> "QuerySet[Any]":
    """The solutions that enter a question's figures, with `differs` telling whether their labels do.

    `by` and `part` are a dimension and one of its values; `subject` is short for by subject.
    """
    by, part = ("subject", subject) if subject else (by, part)
    solutions = solutions_in(Solution.objects.filter(problem__project=project), by, part)
    if question == "category":
        return _category_items(solutions, label_scope(by, part))
    if question == "every_step":
        return _step_items(solutions, label_scope(by, part, "annotation__"))
    if question == "reason":
        return _reason_items(solutions, figure)
    return _counted_items(solutions, question, figure, FIRST & label_scope(by, part, LABELS))


def compared(project: Project, question: str, first: int, second: int) -> "QuerySet[Any]":
    """The solutions two annotators labelled, with `differs` telling whether these two say different things."""
    value = _verdict("") if question == "correctness" else place("")
    labels = _first_of().annotate(said=value).values("said")
    rows = Solution.objects.filter(problem__project=project).annotate(
        one=Subquery(labels.filter(assignment__annotator=first)[:1]),
        other=Subquery(labels.filter(assignment__annotator=second)[:1]),
    )
    return _marked(rows.filter(one__isnull=False, other__isnull=False), ~Q(one=F("other")))


def against_others(project: Project, question: str, annotator: int) -> "QuerySet[Any]":
    """The solutions where the others have a majority, with `differs` telling whether the annotator is against it."""
    value = _verdict("") if question == "correctness" else place("")
    labels = _first_of().annotate(said=value)
    others = labels.exclude(assignment__annotator=annotator).order_by().values("said").annotate(n=Count("pk"))
    ranked = others.order_by("-n", "said")
    rows = Solution.objects.filter(problem__project=project).annotate(
        own=Subquery(labels.filter(assignment__annotator=annotator).values("said")[:1]),
        most=Subquery(ranked.values("said")[:1]),
        n_most=Subquery(ranked.values("n")[:1]),
        n_next=Coalesce(Subquery(ranked.values("n")[1:2]), 0, output_field=IntegerField()),
    )
    return _marked(rows.filter(own__isnull=False, n_most__gt=F("n_next")), ~Q(own=F("most")))


def saying(project: Project, question: str, first: str, second: str) -> "QuerySet[Any]":
    """The solutions where two blind labels name these two places (-1: no error), or these categories for one step.

    `differs` tells whether the two are different.
    """
    rows = Solution.objects.filter(problem__project=project)
    if question == "category":
        return _marked(rows.filter(Exists(_same_step(first, second))), Q() if first != second else Q(pk=None))
    places = [int(each) if each.lstrip("-").isdecimal() and len(each) < 9 else None for each in (first, second)]
    if None in places:
        return _marked(rows.none(), Q(pk=None))
    one, other = (Q(correct=True) if each == NO_ERROR else Q(first_error=each) for each in places)
    if places[0] != places[1]:
        return _marked(rows.filter(Exists(_first_of().filter(one)), Exists(_first_of().filter(other))), Q())
    return _marked(rows.annotate(alike=_how_many(_first_of().filter(one))).filter(alike__gte=2), Q(pk=None))


def _same_step(first: str, second: str) -> "QuerySet[Annotation]":
    """A label of a solution with the first category beside another of the same step with the second."""
    others = Annotation.objects.first_pass().filter(
        assignment__solution=OuterRef("assignment__solution"), correct=False, category=second,
        first_error=OuterRef("first_error"),
    )  # fmt: skip
    return _first_of().filter(Exists(others.exclude(pk=OuterRef("pk"))), correct=False, category=first)


def _marked(rows: "QuerySet[Any]", differs: Q) -> "QuerySet[Any]":
    """With `differs`, where the condition holds; an empty one always does."""
    if not differs:
        always: QuerySet[Any] = rows.annotate(differs=Value(True))
        return always
    marked: QuerySet[Any] = rows.annotate(differs=Case(When(differs, then=True), default=False))
    return marked


def _first_of() -> "QuerySet[Annotation]":
    return Annotation.objects.first_pass().filter(assignment__solution=OuterRef("pk"))


def _verdict(prefix: str = LABELS) -> Case:
    return Case(When(**{f"{prefix}correct": True}, then=1), default=0)


def _counted_items(solutions: "QuerySet[Any]", question: str, figure: str, scope: Q) -> "QuerySet[Any]":
    if question == "given_both_incorrect":
        scope &= Q(**{f"{LABELS}correct": False})
    value = _verdict() if question == "correctness" else place(LABELS)
    counted = solutions.annotate(
        entered=Count("assignments__annotations", filter=scope),
        lowest=Min(value, filter=scope),
        highest=Max(value, filter=scope),
    ).filter(entered__gte=2)
    if figure == "within_one":
        return _marked(counted, Q(lowest=NO_ERROR, highest__gt=NO_ERROR) | Q(highest__gt=F("lowest") + 1))
    return _marked(counted, Q(highest__gt=F("lowest")))


def _category_items(solutions: "QuerySet[Any]", scope: Q) -> "QuerySet[Any]":
    named = Annotation.objects.first_pass().filter(scope, correct=False).exclude(category="")
    mine = named.filter(assignment__solution=OuterRef("pk"))
    same_step = named.filter(
        assignment__solution=OuterRef("assignment__solution"), first_error=OuterRef("first_error")
    ).exclude(pk=OuterRef("pk"))  # fmt: skip
    other_category = same_step.exclude(category=OuterRef("category"))
    marked: QuerySet[Any] = solutions.filter(Exists(mine.filter(Exists(same_step)))).annotate(
        differs=Exists(mine.filter(Exists(other_category)))
    )
    return marked


def _step_items(solutions: "QuerySet[Any]", scope: Q) -> "QuerySet[Any]":
    first = StepLabel.objects.filter(scope, annotation__revision=1, annotation__assignment__extra=False)
    mine = first.filter(annotation__assignment__solution=OuterRef("pk"))
    same_step = first.filter(
        annotation__assignment__solution=OuterRef("annotation__assignment__solution"), position=OuterRef("position")
    ).exclude(pk=OuterRef("pk"))  # fmt: skip
    other_value = same_step.exclude(value=OuterRef("value"))
    marked: QuerySet[Any] = solutions.filter(Exists(mine.filter(Exists(same_step)))).annotate(
        differs=Exists(mine.filter(Exists(other_value)))
    )
    return marked


def _reason_items(solutions: "QuerySet[Any]", figure: str) -> "QuerySet[Any]":
    pairs = ReasonPair.objects.filter(first__assignment__solution=OuterRef("pk"))
    if figure == "same_lead":
        entered, apart = Q(lead_same__isnull=False), Q(lead_same=False)
    elif figure == "same_hint":
        entered, apart = Q(hint_same__isnull=False), Q(hint_same=False)
    else:
        entered = Q(lead_same__isnull=False, hint_same__isnull=False, hint_was_shown=False)
        apart = entered & ~Q(lead_same=F("hint_same"))
    marked: QuerySet[Any] = solutions.filter(Exists(pairs.filter(entered))).annotate(
        differs=Exists(pairs.filter(apart))
    )
    return marked


def with_consensus(project: Project, which: str) -> "QuerySet[Any]":
    """The solutions of a cell of the consensus table: error, correct, either with -3, -4 or -5 labels; none; waiting.

    The rule is that of `consensus_table.consensus`: the third label of the place that first has three decides.
    """
    labels = Annotation.objects.filter(revision=1, assignment__solution=OuterRef("pk"))
    alike = Annotation.objects.filter(
        revision=1, assignment__solution=OuterRef("assignment__solution"), pk__lte=OuterRef("pk")
    ).annotate(said=place("")).filter(said=OuterRef("said"))  # fmt: skip
    third = labels.annotate(said=place("")).annotate(rank=_how_many(alike)).filter(rank=NEEDED).order_by("pk")
    rows = Solution.objects.filter(problem__project=project).annotate(
        labelled=_how_many(labels), third=Subquery(third.values("pk")[:1]), right=Subquery(third.values("correct")[:1])
    )
    rows = rows.annotate(taken=_how_many(labels.filter(pk__lte=OuterRef("third")))).filter(labelled__gte=1)
    found = Q(third__isnull=False, taken__lte=MOST)
    kind, _dash, taken = which.partition("-")
    if kind in ("error", "correct"):
        wanted = found & Q(right=kind == "correct")
        return _marked(rows.filter(wanted & Q(taken=int(taken)) if taken.isdecimal() else wanted), ~Q(taken=NEEDED))
    undecided = rows.exclude(found)
    return _marked(undecided.filter(labelled__gte=MOST) if kind == "none" else undecided.filter(labelled__lt=MOST), Q())


def _how_many(labels: "QuerySet[Annotation]") -> Coalesce:
    counted = labels.order_by().values("assignment__solution").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())
