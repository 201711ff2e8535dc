"""Whether kept agreement figures count every label: asked at each look at a page, so it has to be quick."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from annotation.models import Annotation, Project
from annotation.remembering import remembered
from review.models import AgreementSnapshot, ReasonPair

CONSENSUS = "consensus"
NEWEST_LOOKED_AT = 200


@dataclass(frozen=True)
class Freshness:
    """The newest label and how many there are: what a snapshot has to have counted to be fresh."""

    through: int
    labels: int


def freshness(project: Project, view: str = "") -> Freshness:
    """Where the labels of a campaign stand now: the blind first ones, for the consensus view all first ones.

    The newest label is always looked up. The number, which tells of a label that was stored late under an earlier
    number, may be some seconds old in a large campaign.
    """
    found = _labels(view).filter(assignment__solution__problem__project=project)
    through = _newest(project, view, found)
    return Freshness(through, remembered(f"first-labels-{project.pk}-{view}-{through}", found.count))


def reasons_standing(project: Project) -> str:
    """Where the comparisons of reasons stand now; empty when there is none."""
    rows = ReasonPair.objects.filter(first__assignment__solution__problem__project=project)
    found = rows.aggregate(n=Count("pk"), judged=Max("judged_at"), hinted=Max("hinted_at"))
    return f"{found['n']} {found['judged'] or ''} {found['hinted'] or ''}".strip() if found["n"] else ""


def is_fresh(project: Project, kept: Sequence[AgreementSnapshot]) -> bool:
    """Whether the kept figures count every label and every compared pair of reasons, intervals included."""
    now = {view: freshness(project, view) for view in {counted_by(each.dimension) for each in kept}}
    for each in kept:
        if Freshness(each.through, each.labels) != now[counted_by(each.dimension)] or each.report.get("waiting"):
            return False
        if "reasons_standing" in each.report and each.report["reasons_standing"] != reasons_standing(project):
            return False
    return bool(kept)


def counted_by(view: str) -> str:
    """Views that count the same labels share one name."""
    return view if view == CONSENSUS else ""


def _labels(view: str) -> "QuerySet[Annotation]":
    return Annotation.objects.filter(revision=1) if view == CONSENSUS else Annotation.objects.first_pass()


def _newest(project: Project, view: str, found: "QuerySet[Annotation]") -> int:
    """The highest number of a label; 0 without one."""
    # As a rule it is among the newest labels of all campaigns: an index walked from its end, and no join sorted.
    latest = _labels(view).order_by("-pk").values_list("pk", "assignment__solution__problem__project_id")
    for pk, project_id in latest[:NEWEST_LOOKED_AT]:
        if project_id == project.pk:
            return pk
    return found.aggregate(newest=Max("pk"))["newest"] or 0
