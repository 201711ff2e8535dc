"""The only bridge from stored labels to plain rows: who says what, and which solutions have every label in."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, Min, OuterRef, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Assignment, Project, Solution
from review.models import Comment, Return

NO_ERROR = -1  # the place of a correct solution, so that verdict and step are one value


def place(prefix: str) -> Coalesce:
    """Verdict and step as one value: the step, or -1 for a correct solution."""
    return Coalesce(f"{prefix}first_error", Value(NO_ERROR), output_field=IntegerField())


def with_opinions(solutions: QuerySet[Solution]) -> QuerySet[Any]:
    """Add `labels`, the number of current labels, `opinions`, how many different places they name, and the `lowest`."""
    current = Annotation.objects.current().filter(pk=OuterRef("assignments__annotations"))
    named = place("assignments__annotations__")
    return solutions.annotate(
        labels=Count("assignments__annotations", filter=Exists(current)),
        opinions=Count(named, filter=Exists(current), distinct=True),
        lowest=Min(named, filter=Exists(current)),
    )


def complete(solutions: QuerySet[Solution]) -> QuerySet[Any]:
    """Those undecided for which every wanted label and every asked answer is in, with what `with_opinions` adds."""
    open_slot = Assignment.objects.filter(solution=OuterRef("pk"), submitted_at=None)
    undecided = solutions.filter(~Exists(open_slot), settled_at=None)
    return with_opinions(undecided.exclude(pk__in=unanswered(solutions))).filter(labels__gte=1)


def missing_labels(solution: Solution) -> int:
    """How many of the labels wanted of a solution are not in."""
    return solution.assignments.filter(submitted_at=None).count()


def unanswered(solutions: QuerySet[Solution]) -> QuerySet[Any]:
    """Those that wait for an annotator to answer a lead's question."""
    return unanswered_slots(solutions).values("solution")


def unanswered_slots(solutions: QuerySet[Solution]) -> QuerySet[Any]:
    """Slots whose annotators a lead has asked a question and who neither revised nor commented since."""
    asked = Return.objects.filter(solution__in=solutions, closed_at=None)
    later = {"created_at__gt": OuterRef("asked_at")}
    revised = Annotation.objects.filter(assignment=OuterRef("pk"), **later)
    said = Comment.objects.filter(solution=OuterRef("solution"), author=OuterRef("annotator"), **later)
    slots = Assignment.objects.filter(solution__returns__in=asked, submitted_at__isnull=False)
    waiting = slots.annotate(asked_at=F("solution__returns__created_at"))
    return waiting.filter(~Exists(revised), ~Exists(said))


def current_labels(solutions: Iterable[Solution]) -> dict[int, list[Annotation]]:
    """The current labels of some solutions, oldest slot first, by solution."""
    pks = [solution.pk for solution in solutions]
    rows = Annotation.objects.current().filter(assignment__solution__in=pks)
    by_solution: dict[int, list[Annotation]] = {pk: [] for pk in pks}
    for row in rows.select_related("assignment__annotator").order_by("assignment_id"):
        by_solution[row.assignment.solution_id].append(row)
    return by_solution


def subjects(project: Project) -> list[str]:
    """The subjects of a campaign, in order."""
    found = project.problems.exclude(solutions=None).order_by("subject").values_list("subject", flat=True).distinct()
    return list(found)
