"""Turning what an annotator filled in into a label that cannot be lost or doubled."""

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Annotation, Assignment, Project, User
from annotation.verdicts import Verdict, VerdictError


class LeaseLost(Exception):
    """The slot went to somebody else and no other slot of the solution is free."""


class Settled(Exception):
    """A lead has decided this solution; its labels do not change any more."""


@dataclass(frozen=True)
class Submission:
    """One press of the submit button. `key` is made when the form is made, so that a repeat is recognised."""

    key: uuid.UUID
    verdict: Verdict
    active_seconds: int = 0
    answer_conflict_confirmed: bool = False


def check_policy(verdict: Verdict, project: Project) -> None:
    """Hold a label against what the project asks for.

    Raises: VerdictError naming the part.
    """
    if verdict.correct:
        return
    if project.ask_category and not verdict.category:
        raise VerdictError("category", _("Choose what kind of error it is."))
    if verdict.category and verdict.category not in project.categories:
        raise VerdictError("category", _("This project has no error category “%s”.") % verdict.category)
    if len(verdict.reason.strip()) < project.min_reason:
        raise VerdictError(
            "reason", _("Give the reason in at least %(n)d characters.") % {"n": project.min_reason}
        )  # fmt: skip


@transaction.atomic
def submit(assignment_id: int, annotator: User, submission: Submission) -> Annotation:
    """Store a label in its slot and close the slot; a repeated key returns the label already stored.

    A slot whose lease ran out is still the annotator's until somebody else takes it; then another free slot of
    the same solution is used.

    Raises: LeaseLost, Settled, VerdictError.
    """
    User.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    done = Annotation.objects.filter(key=submission.key, assignment__annotator=annotator).first()
    if done:
        return done
    slot = _slot_for(assignment_id, annotator)
    solution = slot.solution
    if solution.settled_at:
        raise Settled(_("A lead has already decided this item; your label is not needed any more."))
    project = solution.problem.project
    submission.verdict.check(solution.steps.count())
    check_policy(submission.verdict, project)
    slot.annotator = annotator
    slot.submitted_at = timezone.now()
    slot.save(update_fields=["annotator", "submitted_at"])
    return _store(slot, submission, revision=1)


def _slot_for(assignment_id: int, annotator: User) -> Assignment:
    slots = Assignment.objects.select_related("solution__problem__project")
    slot = slots.select_for_update(of=("self",)).get(pk=assignment_id)
    if slot.annotator_id == annotator.pk and slot.submitted_at is None:
        return slot
    had = Assignment.objects.filter(solution_id=slot.solution_id, annotator=annotator)
    if had.filter(submitted_at__isnull=False).exists():
        raise LeaseLost(_("You have already submitted a label for this item; find it under My work."))
    unused = Q(annotator=None) | Q(lease_ends_at__lte=timezone.now())
    free = slots.filter(unused, solution_id=slot.solution_id, submitted_at=None)
    spare = had.filter(submitted_at=None).first() or free.select_for_update(skip_locked=True, of=("self",)).first()
    if spare is None:
        raise LeaseLost(_("Your reservation ran out and somebody else has taken this item. Your text is kept below."))
    return spare


def _store(slot: Assignment, submission: Submission, revision: int) -> Annotation:
    return Annotation.objects.create(
        assignment=slot,
        revision=revision,
        key=submission.key,
        active_seconds=submission.active_seconds,
        answer_conflict_confirmed=submission.answer_conflict_confirmed,
        **submission.verdict.as_dict(),
    )
