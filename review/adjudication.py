"""Deciding what is gold: one dispute at a time, or what all agree on in bulk after looking at a sample."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import audit
from annotation.jobs import Progress, no_progress
from annotation.models import Annotation, Assignment, Project, Solution, User
from annotation.verdicts import Verdict, VerdictError
from review.contests import leave
from review.disagreements import current_labels, missing_labels
from review.models import AcceptedReason, Adjudication, Basis, Confirmation, Outcome, SampleLook
from review.pending import agreed, keep_up

SAMPLE_SIZE = 10
BATCH = 200


class AlreadyDecided(Exception):
    """Somebody else decided this solution in the meantime."""


class NeedsAnotherLead(Exception):
    """This lead labelled the item or decided it, so that somebody else has to agree."""


class SampleNotSeen(Exception):
    """The sample has to be looked at before what it stands for is confirmed."""


@dataclass(frozen=True)
class Decision:
    """What a lead decided. `seen` is the decision the lead saw when deciding (None: there was none).

    `missing_labels` is how many wanted labels the lead knows to be missing, and does without.
    """

    outcome: Outcome
    verdict: Verdict | None = None
    adopted: Annotation | None = None
    cause: str = ""
    clause: str = ""
    rationale: str = ""
    seen: int | None = None
    missing_labels: int = 0


@transaction.atomic
def decide(solution: Solution, lead: User, decision: Decision) -> Adjudication:
    """Record a lead's decision and settle the solution unless it is kept open.

    Where the lead labelled the item themselves and the project asks for it, the decision waits for `second`.

    Raises: AlreadyDecided, VerdictError.
    """
    solution = Solution.objects.select_for_update().get(pk=solution.pk)
    standing = Adjudication.objects.current().filter(solution=solution).first()
    if (standing.pk if standing else None) != decision.seen:
        raise AlreadyDecided(_("Somebody else has decided this item in the meantime. Look at their decision first."))
    labels = current_labels([solution])[solution.pk]
    basis = _check(decision, solution, labels)
    missing = _check_missing(decision, solution)
    row = _store(solution, lead, decision, basis)
    waits = decision.outcome == Outcome.OPEN or needs_second(solution, lead, labels)
    _settle([solution.pk], None if waits else timezone.now())
    leave(solution)
    project = solution.problem.project
    said = row.verdict.as_dict() if decision.outcome == Outcome.GOLD else {}
    said |= {"missing_labels": missing} if missing else {}
    audit.record(
        "decided", lead, project, solution=solution, outcome=row.outcome, basis=basis, note=row.rationale, **said
    )  # fmt: skip
    return row


@transaction.atomic
def reopen(solution: Solution, lead: User, why: str) -> Adjudication:
    """Put a decided item back into the queue of disputes, with the reason."""
    solution = Solution.objects.select_for_update().get(pk=solution.pk)
    row = Adjudication.objects.create(
        solution=solution, outcome=Outcome.OPEN, basis=Basis.OWN, rationale=why, decided_by=lead
    )
    _settle([solution.pk], None)
    audit.record("reopened", lead, solution.problem.project, solution=solution, why=why)
    return row


def needs_second(solution: Solution, lead: User, labels: Sequence[Annotation]) -> bool:
    """Whether this lead's decision waits for another lead."""
    own = any(label.assignment.annotator_id == lead.pk for label in labels)
    return own and solution.problem.project.second_lead


@transaction.atomic
def second(row: Adjudication, lead: User) -> Adjudication:
    """Agree to a decision that waits for a further lead, and settle the solution.

    Raises: NeedsAnotherLead, AlreadyDecided.
    """
    solution = Solution.objects.select_for_update().get(pk=row.solution_id)
    if Adjudication.objects.current().filter(solution=solution).first() != row or solution.settled_at:
        raise AlreadyDecided(_("This decision was replaced or seconded in the meantime."))
    labelled = Assignment.objects.filter(solution=solution, annotator=lead, submitted_at__isnull=False).exists()
    if row.decided_by_id == lead.pk or labelled:
        raise NeedsAnotherLead(_("A lead who neither labelled nor decided this item has to agree."))
    row.seconds_by = lead
    row.save(update_fields=["seconds_by"])
    _settle([solution.pk], None if row.outcome == Outcome.OPEN else timezone.now())
    audit.record("seconded", lead, solution.problem.project, solution=solution)
    return row


def awaiting_second(project: Project) -> QuerySet[Adjudication]:
    """The decisions that wait for a further lead."""
    waiting = Adjudication.objects.current().filter(solution__problem__project=project, solution__settled_at=None)
    return waiting.exclude(outcome=Outcome.OPEN).order_by("pk")


def _check_missing(decision: Decision, solution: Solution) -> int:
    """How many labels a decision does without; the lead has to have stated that very number."""
    if decision.outcome == Outcome.OPEN:
        return 0
    missing = missing_labels(solution)
    if missing == decision.missing_labels:
        return missing
    if not missing:
        raise VerdictError("missing_labels", _("The labels that were missing are in: look at them first."))
    said = ngettext(
        "%d wanted label is missing: confirm that you decide without it.",
        "%d wanted labels are missing: confirm that you decide without them.", missing,
    )  # fmt: skip
    raise VerdictError("missing_labels", said % missing)


def _check(decision: Decision, solution: Solution, labels: Sequence[Annotation]) -> Basis:
    if decision.outcome == Outcome.DISCARDED and not decision.rationale.strip():
        raise VerdictError("rationale", _("Say why the solution is discarded."))
    if decision.outcome != Outcome.GOLD:
        return Basis.OWN
    if decision.verdict is None:
        raise VerdictError("correct", _("Say whether the solution is correct."))
    decision.verdict.check(solution.steps.count())
    known = [*solution.problem.project.categories, decision.adopted.category if decision.adopted else ""]
    if decision.verdict.category and decision.verdict.category not in known:
        raise VerdictError(
            "category", _("This project has no error category “%s”.") % decision.verdict.category
        )  # fmt: skip
    if not decision.verdict.correct and not decision.verdict.reason.strip():
        raise VerdictError("reason", _("Give the reason that goes into the release."))
    overruled = labels and not any(decision.verdict.same_place(label.verdict) for label in labels)
    if overruled and not decision.rationale.strip():
        raise VerdictError("rationale", _("You overrule every annotator: say why."))
    if decision.adopted is None:
        return Basis.OWN
    if decision.adopted not in labels:
        raise VerdictError("adopted", _("That label does not belong to this solution."))
    return Basis.ADOPTED if decision.adopted.verdict == decision.verdict else Basis.EDITED


def _store(solution: Solution, lead: User, decision: Decision, basis: Basis) -> Adjudication:
    parts = decision.verdict.as_dict() if decision.verdict and decision.outcome == Outcome.GOLD else {}
    return Adjudication.objects.create(
        solution=solution, outcome=decision.outcome, basis=basis, adopted=decision.adopted, cause=decision.cause,
        clause=decision.clause, rationale=decision.rationale, decided_by=lead, **parts,
    )  # fmt: skip


def _settle(solutions: Iterable[int], when: datetime | None) -> None:
    pks = list(solutions)
    Solution.objects.filter(pk__in=pks).update(settled_at=when)
    keep_up(pks)


@transaction.atomic
def begin_confirmation(project: Project, lead: User) -> Confirmation:
    """Draw the random sample that has to be looked at before consensus is confirmed; one draw is open at a time."""
    Project.objects.select_for_update().get(pk=project.pk)
    unfinished = Confirmation.objects.filter(project=project, lead=lead, confirmed_at=None).first()
    if unfinished:
        return unfinished
    seed = random.SystemRandom().getrandbits(63)
    pks = list(agreed(project).values_list("pk", flat=True))
    chosen = random.Random(seed).sample(pks, min(SAMPLE_SIZE, len(pks)))  # noqa: S311 - a sample, not a secret
    confirmation = Confirmation.objects.create(project=project, lead=lead, seed=seed)
    SampleLook.objects.bulk_create(SampleLook(confirmation=confirmation, solution_id=pk) for pk in chosen)
    return confirmation


def record_look(look: SampleLook, finding: SampleLook.Finding) -> None:
    """Note what the lead found when looking at one item of the sample."""
    look.finding, look.looked_at = finding, timezone.now()
    look.save(update_fields=["finding", "looked_at"])


def check_sample(confirmation: Confirmation) -> None:
    """Raise SampleNotSeen while an item of the sample has not been looked at."""
    if confirmation.looks.filter(finding="").exists():
        raise SampleNotSeen(_("Look at every item of the sample first."))


def confirm(confirmation: Confirmation, progress: Progress = no_progress) -> int:
    """Make gold of what all agree on, except what the lead doubted in the sample; returns how many.

    What is decided already stays as it is, so an interrupted confirmation is finished by repeating it.

    Raises: SampleNotSeen.
    """
    check_sample(confirmation)
    doubted = [look.solution_id for look in confirmation.looks.filter(finding=SampleLook.Finding.DOUBTS)]
    _keep_open(doubted, confirmation.lead)
    pks = list(agreed(confirmation.project).exclude(pk__in=doubted).values_list("pk", flat=True))
    for done, batch in enumerate(batched(pks, BATCH, strict=False), start=1):
        confirmation.confirmed += _confirm_batch(batch, confirmation)
        progress(min(done * BATCH, len(pks)), len(pks))
    confirmation.confirmed_at = timezone.now()
    confirmation.save(update_fields=["confirmed", "confirmed_at"])
    return confirmation.confirmed


def _keep_open(solutions: Iterable[int], lead: User) -> None:
    for pk in solutions:
        if not Adjudication.objects.filter(solution_id=pk).exists():
            note = _("Doubted when the consensus sample was looked at.")
            decide(Solution.objects.get(pk=pk), lead, Decision(Outcome.OPEN, rationale=note))


@transaction.atomic
def _confirm_batch(pks: Sequence[int], confirmation: Confirmation) -> int:
    solutions = list(Solution.objects.select_for_update().filter(pk__in=pks, settled_at=None))
    still = set(agreed(confirmation.project).filter(pk__in=[s.pk for s in solutions]).values_list("pk", flat=True))
    labels = current_labels([s for s in solutions if s.pk in still])
    rows = [_consensus(pk, label_rows[0], confirmation) for pk, label_rows in labels.items()]
    Adjudication.objects.bulk_create(rows)
    AcceptedReason.objects.bulk_create(
        AcceptedReason(adjudication=row, ordinal=n, reason=other.reason, rectified=other.rectified)
        for row in rows
        if not row.correct
        for n, other in enumerate(labels[row.solution_id][1:], start=1)
    )
    Confirmation.objects.filter(pk=confirmation.pk).update(confirmed=confirmation.confirmed + len(rows))
    _settle(labels, timezone.now())
    audit.record_many("confirmed", confirmation.lead, confirmation.project, labels, confirmation=confirmation.pk)
    return len(rows)


def _consensus(solution: int, first: Annotation, confirmation: Confirmation) -> Adjudication:
    return Adjudication(
        solution_id=solution, outcome=Outcome.GOLD, basis=Basis.CONSENSUS, adopted=first,
        decided_by=confirmation.lead, **first.verdict.as_dict(),
    )  # fmt: skip
