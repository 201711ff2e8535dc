"""The only bridge from stored labels to plain rows: what is agreed, what is disputed, what is still open."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, IntegerField, Min, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Assignment, Project, Solution
from annotation.remembering import remembered
from review.models import Adjudication, Comment, Return

NO_ERROR = -1  # the place of a correct solution, so that verdict and step are one value


def undecided(project: Project) -> QuerySet[Solution]:
    """Solutions without a standing decision."""
    return Solution.objects.filter(problem__project=project, settled_at=None)


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


def complete(project: Project) -> QuerySet[Any]:
    """Undecided solutions for which every wanted label and every asked answer is in, with what `with_opinions` adds."""
    open_slot = Assignment.objects.filter(solution=OuterRef("pk"), submitted_at=None)
    solutions = undecided(project).filter(~Exists(open_slot)).exclude(pk__in=unanswered(project))
    return with_opinions(solutions).filter(labels__gte=1)


def unanswered(project: Project) -> QuerySet[Any]:
    """The solutions that wait for an annotator to answer a lead's question: neither revised nor commented since."""
    asked = Return.objects.filter(solution=OuterRef("solution"), closed_at=None).values("created_at")[:1]
    later = {"created_at__gt": OuterRef("asked_at")}
    revised = Annotation.objects.filter(assignment=OuterRef("pk"), **later)
    said = Comment.objects.filter(solution=OuterRef("solution"), author=OuterRef("annotator"), **later)
    slots = Assignment.objects.filter(solution__problem__project=project, submitted_at__isnull=False)
    waiting = slots.annotate(asked_at=Subquery(asked)).filter(asked_at__isnull=False)
    return waiting.filter(~Exists(revised), ~Exists(said)).values("solution")


def _kept_open() -> Exists:
    # An undecided solution that has a decision at all was kept open by it.
    return Exists(Adjudication.objects.filter(solution=OuterRef("pk")))


def disputed(project: Project) -> QuerySet[Solution]:
    """Complete solutions whose labels differ in verdict or step, or that a lead kept open; most opinions first."""
    return complete(project).filter(Q(opinions__gt=1) | Q(_kept_open())).order_by("-opinions", "pk")


def agreed(project: Project) -> QuerySet[Solution]:
    """Complete solutions whose labels all name the same place. One label alone agrees with itself."""
    return complete(project).filter(~_kept_open(), opinions=1).order_by("pk")


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


def stage_counts(project: Project) -> dict[str, int]:
    """How many solutions stand where: all, unlabelled, part, disputed, agreed, decided."""
    return remembered(f"stages-{project.pk}", lambda: _stage_counts(project))


def _stage_counts(project: Project) -> dict[str, int]:
    everything = Solution.objects.filter(problem__project=project)
    open_slot = Assignment.objects.filter(solution=OuterRef("pk"), submitted_at=None)
    rows = with_opinions(undecided(project)).annotate(waiting=Exists(open_slot), kept_open=_kept_open())
    grouped = rows.values("labels", "opinions", "waiting", "kept_open", "pk")
    counts = {"all": everything.count(), "decided": everything.filter(settled_at__isnull=False).count()}
    counts |= dict.fromkeys(("unlabelled", "part", "disputed", "agreed"), 0)
    for row in grouped:
        counts[_stage(row["labels"], row["waiting"], row["opinions"] > 1 or row["kept_open"])] += 1
    return counts


def _stage(labels: int, waiting: bool, contested: bool) -> str:
    if not labels:
        return "unlabelled"
    if waiting:
        return "part"
    return "disputed" if contested else "agreed"
