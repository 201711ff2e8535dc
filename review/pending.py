"""Keeping the queue of what waits for a lead: each act brings its items up to date, and all of it can be rebuilt."""

from collections.abc import Iterable
from itertools import batched
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet, Subquery
from django.utils import timezone

from annotation.models import Annotation, Assignment, Project, Solution
from review.disagreements import NO_ERROR, complete
from review.models import Adjudication, DecisionQueue, Kind, Outcome, PendingDecision, Return

BATCH = 1_000  # solutions a transaction while a queue is built


def pending(project: Project) -> QuerySet[PendingDecision]:
    """What waits for a lead, most contested first and at the end what all agree on; built at the first look."""
    return PendingDecision.objects.filter(queue=_queue(project))


def disputed(project: Project) -> QuerySet[Any]:
    """Complete solutions whose labels differ in verdict or step, most contested first; then what leads kept open."""
    rows = Solution.objects.filter(pending__queue=_queue(project), pending__kind__lt=Kind.AGREED)
    order = ("pending__last", "-pending__opinions", "pending__kind", "pending")
    return rows.annotate(opinions=F("pending__opinions")).order_by(*order)


def agreed(project: Project) -> QuerySet[Solution]:
    """Complete solutions whose labels all name the same place. One label alone agrees with itself."""
    return Solution.objects.filter(pending__queue=_queue(project), pending__kind=Kind.AGREED).order_by("pk")


def _queue(project: Project) -> DecisionQueue:
    queue = DecisionQueue.objects.filter(project=project).first()
    return queue if queue and queue.built_at else build(project)


def build(project: Project) -> DecisionQueue:
    """Make a campaign's queue from its labels and decisions, a batch a transaction; acts meanwhile are kept up."""
    queue, _made = DecisionQueue.objects.get_or_create(project=project)
    pks = list(Solution.objects.filter(problem__project=project).order_by("pk").values_list("pk", flat=True))
    for batch in batched(pks, BATCH, strict=False):
        keep_up(batch)
    queue.built_at = timezone.now()
    queue.save(update_fields=["built_at"])
    return queue


def take_out_incomplete(project: Project) -> None:
    """Take out what now wants further labels."""
    open_slot = Assignment.objects.filter(solution=OuterRef("pk"), submitted_at=None)
    PendingDecision.objects.filter(Exists(open_slot), queue__project=project).delete()


@transaction.atomic
def keep_up(solutions: Iterable[int]) -> None:
    """Bring the queue up to date for some solutions: the last thing that an act on them does in its transaction."""
    pks = sorted(set(solutions))
    # Acts on one solution wait for each other here, so that the later one sees what the earlier one wrote.
    list(Solution.objects.select_for_update(no_key=True).filter(pk__in=pks).order_by("pk").values_list("pk"))
    queues = DecisionQueue.objects.filter(project__problems__solutions__in=pks).distinct()
    by_project = dict(queues.values_list("project", "pk"))
    if not by_project:
        return
    PendingDecision.objects.filter(solution__in=pks).delete()
    PendingDecision.objects.bulk_create(
        PendingDecision(queue_id=by_project[row.pop("problem__project")], **row)
        for row in _rows(pks)
        if row["problem__project"] in by_project
    )


def _rows(pks: list[int]) -> Iterable[dict[str, Any]]:
    standing = Adjudication.objects.current().filter(solution=OuterRef("pk"))
    labels = Annotation.objects.filter(assignment__solution=OuterRef("pk"), created_at__gt=OuterRef("decided_at"))
    questions = Return.objects.filter(solution=OuterRef("pk"), created_at__gt=OuterRef("decided_at"))
    found = complete(Solution.objects.filter(pk__in=pks)).annotate(
        newest=Max("assignments__submitted_at"), outcome=Subquery(standing.values("outcome")),
        decided_at=Subquery(standing.values("decided_at")),
    ).annotate(changed=Exists(labels) | Exists(questions))  # fmt: skip
    columns = ("pk", "problem__project", "problem__subject", "problem__source", "newest", "opinions", "lowest")
    for row in found.order_by("pk").values(*columns, "outcome", "changed"):
        kind = _kind(row)
        yield {
            "solution_id": row["pk"], "problem__project": row["problem__project"], "kind": kind,
            "last": kind >= Kind.OPEN, "opinions": row["opinions"], "subject": row["problem__subject"],
            "source": row["problem__source"], "labelled_at": row["newest"],
        }  # fmt: skip


def _kind(row: dict[str, Any]) -> Kind:
    # An undecided solution that has a decision was kept open by it, or waits for a second lead.
    if row["outcome"] not in (None, Outcome.OPEN):
        return Kind.SECOND
    if row["outcome"] and not row["changed"]:
        return Kind.OPEN
    if row["opinions"] > 1:
        return Kind.VERDICT if row["lowest"] == NO_ERROR else Kind.STEP
    return Kind.OPEN if row["outcome"] else Kind.AGREED
