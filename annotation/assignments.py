"""Who works on what: leases on the open slots of solutions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import guidelines
from annotation.models import Assignment, Draft, Project, Report, Skip, Solution, Standing, User
from annotation.remembering import remembered


class NothingOpen(Exception):
    """No solution is open to this annotator; the message says why and what to do."""


class GuidelineUnread(Exception):
    """A new version of the guideline has to be read before the next item."""


def open_slots(solutions: QuerySet[Solution], overlap: int) -> int:
    """Give each solution as many slots as the overlap wants, counting those it has. Returns how many were made."""
    counted = solutions.annotate(slots=Count("assignments")).order_by("pk").values_list("pk", "slots")
    missing = [Assignment(solution_id=pk) for pk, slots in counted for _n in range(max(0, overlap - slots))]
    return len(Assignment.objects.bulk_create(missing, batch_size=1000))


def waiting(project: Project) -> QuerySet[Assignment]:
    """The slots of a campaign that still want an annotation.

    Asked by EXISTS, so that the next one is found by walking the index of waiting slots from its start.
    """
    open_one = Solution.objects.filter(
        pk=OuterRef("solution"), settled_at=None, problem__project=project, problem__standing=Standing.USABLE
    )
    return Assignment.objects.filter(Exists(open_one), submitted_at=None)


def open_to(annotator: User, project: Project, now: datetime) -> QuerySet[Assignment]:
    """The waiting slots this annotator could lease, oldest first.

    A slot is free when it is unleased, its lease ran out, or it is their own; not what they skipped or reported.
    """
    free = Q(annotator=None) | Q(lease_ends_at__lte=now) | Q(annotator=annotator)
    other = Assignment.objects.filter(annotator=annotator, solution=OuterRef("solution")).exclude(pk=OuterRef("pk"))
    skipped, reported = _passed_by(annotator)
    return waiting(project).filter(free).filter(~Exists(other), ~skipped, ~reported).order_by("pk")


def _passed_by(annotator: User) -> tuple[Q, Q]:
    """The slots whose solution this annotator skipped, and those whose solution they reported without an answer yet."""
    theirs: dict[str, Any] = {"annotator": annotator, "solution": OuterRef("solution")}
    skips, reports = Skip.objects.filter(**theirs), Report.objects.filter(**theirs, closed_at=None)
    return Q(Exists(skips)), Q(Exists(reports))


def is_member(annotator: User, project: Project) -> bool:
    """Whether this person labels in this campaign."""
    return project.members.filter(pk=annotator.pk).exists()


@transaction.atomic
def claim_next(annotator: User, project: Project) -> Assignment:
    """Lease the next open slot to the annotator, or return the one they hold.

    Locks the annotator's own row, so that a double click claims once, then the very row it changes, so that
    two annotators never get the same slot.

    Raises: NothingOpen, GuidelineUnread.
    """
    User.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if not is_member(annotator, project):
        raise NothingOpen(_("You are not a member of this project. Ask a lead to add you."))
    if guidelines.unread(project, annotator):
        raise GuidelineUnread(_("Read the guideline first: it has a new version."))
    now = timezone.now()
    held = waiting(project).filter(annotator=annotator, lease_ends_at__gt=now).order_by("pk").first()
    if held:
        return held
    if project.paused:
        raise NothingOpen(_("This project is paused. What you have submitted is safe; a lead will open it again."))
    free = open_to(annotator, project, now).select_for_update(skip_locked=True, of=("self",))
    drafted = list(Draft.objects.filter(annotator=annotator).values_list("solution", flat=True))
    slot = free.filter(solution__in=drafted).first() if drafted else None
    # A decision waits for a further label that a lead has asked for, so it comes before the rest of the campaign.
    slot = slot or free.filter(extra=True).first() or free.first()
    if slot is None:
        raise NothingOpen(why_empty(annotator, project, now))
    return _lease(slot, annotator, project, now)


def _lease(slot: Assignment, annotator: User, project: Project, now: datetime) -> Assignment:
    slot.annotator = annotator
    slot.lease_ends_at = now + timedelta(minutes=project.lease_minutes)
    slot.save(update_fields=["annotator", "lease_ends_at"])
    return slot


@transaction.atomic
def renew(slot: Assignment, annotator: User) -> Assignment | None:
    """Extend the lease of somebody at work; None when the slot has gone to somebody else or was submitted."""
    held = Assignment.objects.select_for_update().filter(pk=slot.pk, annotator=annotator, submitted_at=None).first()
    return _lease(held, annotator, slot.solution.problem.project, timezone.now()) if held else None


def release(annotator: User, solution: Solution | None = None) -> int:
    """Give back what the annotator holds: one item, or all of it; returns how many slots."""
    held = Assignment.objects.filter(annotator=annotator, submitted_at=None)
    if solution:
        held = held.filter(solution=solution)
    return held.update(annotator=None, lease_ends_at=None)


def why_empty(annotator: User, project: Project, now: datetime) -> str:
    """Say why there is nothing to label, and what to do."""
    if not Solution.objects.filter(problem__project=project).exists():
        return _("Nothing has been imported yet. A lead can import problems.")
    mine = Assignment.objects.filter(annotator=annotator).values("solution")
    skipped, reported = _passed_by(annotator)
    others = waiting(project).exclude(solution__in=mine)
    reserved = others.filter(lease_ends_at__gt=now).exclude(skipped | reported)
    next_free = reserved.order_by("lease_ends_at").first()
    if next_free and next_free.lease_ends_at:
        clock = timezone.localtime(next_free.lease_ends_at).strftime("%H:%M")
        return _("All remaining items are reserved by others until %(clock)s. Come back then.") % {"clock": clock}
    if others.filter(skipped).exists():
        return _("Only items you skipped are left. Ask a lead if you want one back.")
    if others.filter(reported).exists():
        return _("Only items you reported are left. A lead has to answer first.")
    if waiting(project).exists():
        return _("You have labelled every item that is open to you. The rest waits for your colleagues.")
    return _("Everything in this project is labelled. Thank you.")


@dataclass(frozen=True)
class Standings:
    """Counts of a campaign's slots, and an annotator's own part."""

    wanted: int
    submitted: int
    reserved: int
    mine: int
    mine_today: int


def standings(project: Project, annotator: User) -> Standings:
    """Count the slots of a campaign, and the annotator's own."""
    now = timezone.localtime()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    own = Assignment.objects.filter(annotator=annotator, submitted_at__isnull=False, solution__problem__project=project)
    mine = own.aggregate(mine=Count("pk"), mine_today=Count("pk", filter=Q(submitted_at__gte=midnight)))
    return Standings(**remembered(f"slots-{project.pk}", lambda: _slot_counts(project, now)), **mine)


def _slot_counts(project: Project, now: datetime) -> dict[str, int]:
    return Assignment.objects.filter(solution__problem__project=project).aggregate(
        wanted=Count("pk", filter=Q(submitted_at__isnull=False) | Q(solution__settled_at=None)),
        submitted=Count("pk", filter=Q(submitted_at__isnull=False)),
        reserved=Count("pk", filter=Q(submitted_at=None, lease_ends_at__gt=now)),
    )
