"""Where the items of a campaign stand: lists, and the counts that open to them."""

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Assignment, Project, Solution
from annotation.remembering import remembered
from review import pending
from review.disagreements import unanswered
from review.models import Kind

STAGES = {
    "unlabelled": _("Unlabelled"),
    "part": _("Partly labelled"),
    "returned": _("Back with its annotators"),
    "disputed": _("Disputed"),
    "agreed": _("Agreed, to be confirmed"),
    "decided": _("Decided"),
}


def in_stage(project: Project, stage: str) -> QuerySet[Any]:
    """The solutions that stand there; every solution stands at one stage."""
    solutions = Solution.objects.filter(problem__project=project)
    if stage == "disputed":
        return pending.disputed(project)
    if stage == "agreed":
        return pending.agreed(project)
    if stage == "decided":
        return solutions.filter(settled_at__isnull=False)
    undecided = solutions.filter(settled_at=None)
    labelled = Exists(Annotation.objects.filter(assignment__solution=OuterRef("pk")))
    if stage == "unlabelled":
        return undecided.filter(~labelled)
    waiting = Exists(Assignment.objects.filter(solution=OuterRef("pk"), submitted_at=None))
    if stage == "part":
        return undecided.filter(labelled, waiting)
    return undecided.filter(~waiting, pk__in=unanswered(undecided))


def stage_counts(project: Project) -> dict[str, int]:
    """How many solutions stand where: all, and each of `STAGES`."""
    return remembered(f"stages-{project.pk}", lambda: _stage_counts(project))


def _stage_counts(project: Project) -> dict[str, int]:
    solutions = Solution.objects.filter(problem__project=project)
    counts = solutions.aggregate(all=Count("pk"), decided=Count("settled_at"))
    agreed = Count("pk", filter=Q(kind=Kind.AGREED))
    counts |= pending.pending(project).aggregate(agreed=agreed, disputed=Count("pk") - agreed)
    counts |= {stage: in_stage(project, stage).count() for stage in ("unlabelled", "returned")}
    # What is left has some labels: every solution stands at one stage.
    return counts | {"part": counts["all"] - sum(counts[stage] for stage in STAGES if stage != "part")}
