"""The queue of disputes: what is most contested, and which lead is at it."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Solution, User
from review.models import DecisionLease, Kind, PendingDecision
from review.pending import pending

LEASE = timedelta(minutes=20)
KINDS = {kind.name.lower(): kind.label for kind in (Kind.VERDICT, Kind.STEP, Kind.OPEN, Kind.SECOND)}
RULE = _(
    "Most different opinions first; then what waits for a second lead, disputes on the verdict, on the step; then by "
    "import. What was kept open or reopened comes last, until a label changes or a question is answered."
)


@dataclass(frozen=True)
class Wanted:
    """Which disputes a lead wants to see; empty parts do not narrow."""

    subject: str = ""
    kind: str = ""
    source: str = ""
    older_than_days: int = 0


def contested(project: Project, wanted: Wanted = Wanted()) -> QuerySet[PendingDecision]:
    """The disputes that fit, in the order of `RULE`."""
    rows = pending(project).filter(kind__lt=Kind.AGREED)
    if wanted.subject:
        rows = rows.filter(subject=wanted.subject)
    if wanted.source:
        rows = rows.filter(source=wanted.source)
    if wanted.kind in KINDS:
        rows = rows.filter(kind=Kind[wanted.kind.upper()])
    if wanted.older_than_days:
        rows = rows.filter(labelled_at__lt=timezone.now() - timedelta(days=wanted.older_than_days))
    return rows


@transaction.atomic
def claim(project: Project, lead: User, wanted: Wanted, after: int | None = None) -> Solution | None:
    """The next dispute for this lead, reserved for some minutes: the one they are at, else the first nobody is at.

    `after` passes one by: the next behind it in the queue comes, and from the top again at its end.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    now = timezone.now()
    running = DecisionLease.objects.filter(ends_at__gt=now)
    free = contested(project, wanted).exclude(solution__in=running.exclude(lead=lead).values("solution"))
    held = running.filter(lead=lead).exclude(solution=after).values("solution")
    chosen = free.filter(solution__in=held).first() or _behind(free, after) or free.first()
    if chosen is None:
        return None
    DecisionLease.objects.filter(lead=lead).exclude(solution=chosen.pk).delete()
    DecisionLease.objects.update_or_create(solution_id=chosen.pk, defaults={"lead": lead, "ends_at": now + LEASE})
    return Solution.objects.get(pk=chosen.pk)


def _behind(free: QuerySet[PendingDecision], after: int | None) -> PendingDecision | None:
    """The next one in the queue behind one of it; None at its end, and when that one is not in it."""
    passed = free.filter(pk=after).first() if after else None
    if passed is None:
        return None
    later = Q(kind=passed.kind, solution__gt=passed.pk) | Q(kind__gt=passed.kind)
    later = Q(opinions=passed.opinions) & later | Q(opinions__lt=passed.opinions)
    return free.filter(Q(last=passed.last) & later | Q(last__gt=passed.last)).first()


def leave(solution: Solution) -> None:
    """The dispute is decided or put aside: nobody is at it any more."""
    DecisionLease.objects.filter(solution=solution).delete()


def somebody_else_at(solution: Solution, lead: User) -> DecisionLease | None:
    """Another lead's running reservation of this dispute."""
    running = DecisionLease.objects.filter(solution=solution, ends_at__gt=timezone.now()).exclude(lead=lead)
    return running.select_related("lead").first()
