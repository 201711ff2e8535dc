"""The queue of disputes: what is most contested, and which lead is at it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Project, Solution, User
from review.disagreements import NO_ERROR, complete
from review.models import Adjudication, DecisionLease, Outcome

LEASE = timedelta(minutes=20)
KINDS = {
    "verdict": _("correct or not"),
    "step": _("which step"),
    "open": _("kept open"),
    "second": _("waits for a second lead"),
}
RULE = _("Most different opinions first; then disputes on the verdict, on the step, kept open; then by import.")


@dataclass(frozen=True)
class Wanted:
    """Which disputes a lead wants to see; empty parts do not narrow."""

    subject: str = ""
    kind: str = ""
    source: str = ""
    older_than_days: int = 0


def contested(project: Project, wanted: Wanted = Wanted()) -> QuerySet[Any]:
    """The disputed solutions with their `kind`, in the order of `RULE`."""
    decided = Adjudication.objects.filter(solution=OuterRef("pk"))
    latest = Adjudication.objects.current().filter(solution=OuterRef("pk"))
    waits = Exists(latest.exclude(outcome=Outcome.OPEN))
    kind = Case(
        When(waits, then=Value("second")),
        When(opinions__gt=1, lowest=NO_ERROR, then=Value("verdict")),
        When(opinions__gt=1, then=Value("step")),
        default=Value("open"),
    )
    rank = Case(When(kind="second", then=0), When(kind="verdict", then=1), When(kind="step", then=2), default=3)
    rows: QuerySet[Any] = complete(project).filter(Q(opinions__gt=1) | Q(Exists(decided))).annotate(kind=kind)
    rows = rows.annotate(rank=rank)
    if wanted.subject:
        rows = rows.filter(problem__subject=wanted.subject)
    if wanted.source:
        rows = rows.filter(problem__source=wanted.source)
    if wanted.kind in KINDS:
        rows = rows.filter(kind=wanted.kind)
    if wanted.older_than_days:
        newer = Assignment.objects.filter(
            solution=OuterRef("pk"), submitted_at__gte=timezone.now() - timedelta(days=wanted.older_than_days)
        )
        rows = rows.filter(~Exists(newer))
    return rows.order_by("-opinions", "rank", "pk")


@transaction.atomic
def claim(project: Project, lead: User, wanted: Wanted, after: int | None = None) -> Solution | None:
    """The next dispute for this lead, reserved for some minutes: the one they are at, else the first nobody is at.

    `after` passes one by: the next behind it in the queue comes, and from the top again at its end.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    now = timezone.now()
    taken = set(DecisionLease.objects.filter(ends_at__gt=now).exclude(lead=lead).values_list("solution", flat=True))
    free = [pk for pk in contested(project, wanted).values_list("pk", flat=True) if pk not in taken]
    if after in free:
        place = free.index(after) + 1
        free = free[place:] + free[:place]
    mine = DecisionLease.objects.filter(lead=lead, ends_at__gt=now, solution__in=free).exclude(solution=after).first()
    chosen = mine.solution_id if mine else next(iter(free), None)
    if chosen is None:
        return None
    DecisionLease.objects.filter(lead=lead).exclude(solution=chosen).delete()
    DecisionLease.objects.update_or_create(solution_id=chosen, defaults={"lead": lead, "ends_at": now + LEASE})
    return Solution.objects.get(pk=chosen)


def leave(solution: Solution) -> None:
    """The dispute is decided or put aside: nobody is at it any more."""
    DecisionLease.objects.filter(solution=solution).delete()


def somebody_else_at(solution: Solution, lead: User) -> DecisionLease | None:
    """Another lead's running reservation of this dispute."""
    running = DecisionLease.objects.filter(solution=solution, ends_at__gt=timezone.now()).exclude(lead=lead)
    return running.select_related("lead").first()
