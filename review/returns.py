"""Sending an item back: with a question to its annotators, or for one more blind label."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import Assignment, Project, Solution, User
from annotation.verdicts import VerdictError
from review.contests import leave
from review.disagreements import unanswered, unanswered_slots
from review.models import Return
from review.pending import keep_up


class CannotReturn(Exception):
    """The item is decided, waits already, or nobody is left to label it."""


def _undecided(solution: Solution) -> Solution:
    solution = Solution.objects.select_for_update().get(pk=solution.pk)
    if solution.settled_at:
        raise CannotReturn(_("This item is decided; reopen it by a new decision."))
    return solution


def is_answered(solution: Solution) -> bool:
    """Whether nobody owes an answer to a lead's question on the item."""
    return not unanswered(Solution.objects.filter(pk=solution.pk)).exists()


def questions_for(annotator: User, project: Project) -> QuerySet[Any]:
    """The annotator's slots on which a lead waits for their answer."""
    undecided = Solution.objects.filter(problem__project=project, settled_at=None)
    return unanswered_slots(undecided).filter(annotator=annotator)


@transaction.atomic
def ask_annotators(solution: Solution, lead: User, question: str) -> Return:
    """Ask the item's annotators a question; it leaves the queue until each has answered or revised.

    Raises: CannotReturn, VerdictError when there is no question.
    """
    if not question.strip():
        raise VerdictError("question", _("Write the question that the annotators shall answer."))
    solution = _undecided(solution)
    standing = Return.objects.filter(solution=solution, closed_at=None)
    if standing and is_answered(solution):
        standing.update(closed_at=timezone.now())
    elif standing:
        raise CannotReturn(_("This item is with its annotators already."))
    row = Return.objects.create(solution=solution, lead=lead, question=question)
    leave(solution)
    keep_up([solution.pk])
    audit.record("returned", lead, solution.problem.project, solution=solution, question=question)
    return row


@transaction.atomic
def stop_waiting(row: Return, lead: User) -> None:
    """End the wait for answers: the item comes back into the queue as it is."""
    if Return.objects.filter(pk=row.pk, closed_at=None).update(closed_at=timezone.now()):
        keep_up([row.solution_id])
        audit.record("return-closed", lead, row.solution.problem.project, solution=row.solution)


@transaction.atomic
def ask_for_more(solution: Solution, lead: User) -> Assignment:
    """Want one more blind label of the item; it is kept out of the agreement figures.

    Raises: CannotReturn when every member has labelled it or one is asked for already.
    """
    solution = _undecided(solution)
    project = solution.problem.project
    slots = solution.assignments.all()
    if slots.filter(submitted_at=None).exists():
        raise CannotReturn(_("One more label is asked for already."))
    if not project.members.exclude(assignments__solution=solution).filter(is_active=True).exists():
        raise CannotReturn(_("Every member of this project has labelled this item. Add a member first."))
    slot = Assignment.objects.create(solution=solution, extra=True)
    leave(solution)
    keep_up([solution.pk])
    audit.record("asked-for-more", lead, project, solution=solution)
    return slot
