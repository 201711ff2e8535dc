"""Turning what an annotator filled in into a label that cannot be lost or doubled."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit, drafts, guidelines
from annotation.assignments import is_member
from annotation.changes import labels_changed
from annotation.models import AfterError, Annotation, Assignment, Project, Solution, StepLabel, StepValue, User
from annotation.verdicts import Verdict, VerdictError


class LeaseLost(Exception):
    """The slot went to somebody else and no other slot of the solution is free."""


class Settled(Exception):
    """A lead has decided this solution; its labels do not change any more."""


@dataclass(frozen=True)
class Submission:
    """One press of the submit button. `key` is made when the form is made, so that a repeat is recognised.

    `step_labels` gives the value of each labelled step by position, where the project labels every step.
    """

    key: uuid.UUID
    verdict: Verdict
    active_seconds: int = 0
    answer_conflict_confirmed: bool = False
    step_labels: Mapping[int, int] = field(default_factory=dict)


def check(submission: Submission, solution: Solution) -> None:
    """Hold a submission against the solution and what its project asks for.

    Raises: VerdictError naming the part.
    """
    verdict, project = submission.verdict, solution.problem.project
    n_steps = solution.steps.count()
    verdict.check(n_steps)
    if not verdict.correct:
        _check_reason(verdict, project)
    if project.every_step:
        _check_steps(submission, n_steps, project)
    elif submission.step_labels:
        raise VerdictError("step_labels", _("This project does not label every step."))
    if verdict.correct and solution.answer_agrees is False and not submission.answer_conflict_confirmed:
        message = _("You say correct, but the final answer is not the key’s. Look again, or confirm it.")
        raise VerdictError("confirm_conflict", message)


def _check_reason(verdict: Verdict, project: Project) -> None:
    if project.ask_category and not verdict.category:
        raise VerdictError("category", _("Choose what kind of error it is."))
    if verdict.category and verdict.category not in project.categories:
        raise VerdictError("category", _("This project has no error category “%s”.") % verdict.category)
    if len(verdict.reason.strip()) < project.min_reason:
        raise VerdictError("reason", _("Give the reason in at least %(n)d characters.") % {"n": project.min_reason})


def first_error_of(step_labels: Mapping[int, int]) -> int | None:
    """The first step labelled incorrect; None when there is none."""
    return min((position for position, value in step_labels.items() if value == StepValue.INCORRECT), default=None)


def _check_steps(submission: Submission, n_steps: int, project: Project) -> None:
    labels, first = submission.step_labels, submission.verdict.first_error
    wanted = set(range(n_steps))
    if first is not None and project.after_error == AfterError.UNLABELLED:
        wanted = set(range(first + 1))
    missing = sorted(wanted - set(labels))
    if missing:
        raise VerdictError("step_labels", _("Step at place %(n)d is not labelled yet.") % {"n": missing[0] + 1})
    if set(labels) - wanted:
        raise VerdictError("step_labels", _("Steps after the first error stay unlabelled in this project."))
    if first_error_of(labels) != first:
        raise VerdictError("step_labels", _("The step labels and the first erroneous step contradict each other."))
    realises = [position for position, value in labels.items() if value == StepValue.REALISES]
    if realises and (project.after_error != AfterError.REALISATION or first is None or min(realises) <= first):
        raise VerdictError("step_labels", _("Only a step after the first error can realise it."))


@transaction.atomic
def submit(assignment_id: int, annotator: User, submission: Submission) -> Annotation:
    """Store a label in its slot and close the slot; a repeated key returns the label already stored.

    A slot whose lease ran out is still the annotator's until somebody else takes it; then another free slot of
    the same solution is used. The draft is dropped with the same transaction.

    Raises: LeaseLost, Settled, VerdictError.
    """
    User.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    done = _sent_before(assignment_id, annotator, submission)
    if done:
        return done
    slot = _slot_for(assignment_id, annotator)
    _check_open(slot.solution)
    check(submission, slot.solution)
    slot.annotator = annotator
    slot.submitted_at = timezone.now()
    slot.save(update_fields=["annotator", "submitted_at"])
    return _store(slot, submission, revision=1)


@transaction.atomic
def revise(assignment_id: int, annotator: User, submission: Submission) -> Annotation:
    """Store a further revision of one's own label; the earlier ones are kept.

    Raises: Settled, VerdictError.
    """
    User.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    done = _sent_before(assignment_id, annotator, submission)
    if done:
        return done
    slots = Assignment.objects.select_related("solution__problem__project").select_for_update(of=("self",))
    slot = slots.get(pk=assignment_id, annotator=annotator, submitted_at__isnull=False)
    _check_open(slot.solution)
    check(submission, slot.solution)
    latest = slot.annotations.order_by("-revision")[0]
    return _store(slot, submission, revision=latest.revision + 1)


def _sent_before(assignment_id: int, annotator: User, submission: Submission) -> Annotation | None:
    """The label that this very submission has become; a key that stands for another label is refused."""
    done = Annotation.objects.filter(key=submission.key).select_related("assignment").first()
    if done is None:
        return None
    here = Assignment.objects.filter(pk=assignment_id, solution=done.assignment.solution_id).exists()
    if not here or done.assignment.annotator_id != annotator.pk or done.verdict != submission.verdict:
        raise VerdictError(
            "key", _("This was submitted before as another label. To change that one, open it under My work.")
        )  # fmt: skip
    return done


def _check_open(solution: Solution) -> None:
    # The row is locked so that a lead's decision and a label exclude each other.
    if Solution.objects.select_for_update(no_key=True).get(pk=solution.pk).settled_at:
        raise Settled(_("A lead has already decided this item; its labels do not change any more."))


def _slot_for(assignment_id: int, annotator: User) -> Assignment:
    slots = Assignment.objects.select_related("solution__problem__project")
    slot = slots.select_for_update(of=("self",)).get(pk=assignment_id)
    if slot.annotator_id == annotator.pk and slot.submitted_at is None:
        return slot
    if not is_member(annotator, slot.solution.problem.project):
        raise LeaseLost(_("You are not a member of this project. Ask a lead to add you."))
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
    label = Annotation.objects.create(
        assignment=slot,
        revision=revision,
        key=submission.key,
        active_seconds=submission.active_seconds,
        answer_conflict_confirmed=submission.answer_conflict_confirmed,
        guideline=guidelines.last_read(slot.solution.problem.project, slot.annotator) if slot.annotator else None,
        **submission.verdict.as_dict(),
    )
    StepLabel.objects.bulk_create(
        StepLabel(annotation=label, position=position, value=value)
        for position, value in sorted(submission.step_labels.items())
    )
    labels_changed.send(Solution, solutions=[slot.solution_id])
    if slot.annotator:
        drafts.drop(slot.annotator, slot.solution)
        act, project = "revised" if revision > 1 else "submitted", slot.solution.problem.project
        audit.record(act, slot.annotator, project, solution=slot.solution, revision=revision, **label.verdict.as_dict())
    return label
