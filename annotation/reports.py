"""Passing an item by, and saying that something is wrong with it: neither is a label."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.assignments import release
from annotation.models import Report, ReportKind, Skip, Solution, User
from annotation.verdicts import VerdictError

SHORTEST_COMMENT = 5


@transaction.atomic
def skip(annotator: User, solution: Solution, reason: str) -> Skip:
    """Give the item back and do not offer it to this annotator again.

    Raises: VerdictError when no reason is given.
    """
    if not reason.strip():
        raise VerdictError("reason", _("Say in a word why you skip it."))
    row, _made = Skip.objects.get_or_create(annotator=annotator, solution=solution, defaults={"reason": reason})
    release(annotator, solution)
    audit.record("skipped", annotator, solution.problem.project, solution=solution, reason=reason)
    return row


@transaction.atomic
def report(annotator: User, solution: Solution, kind: ReportKind, comment: str) -> Report:
    """Tell the leads what is wrong; the item goes back and waits for their answer before it is offered again.

    Raises: VerdictError when the comment says nothing.
    """
    if len(comment.strip()) < SHORTEST_COMMENT:
        raise VerdictError("comment", _("Say what is wrong, so that a lead can act on it."))
    standing = Report.objects.filter(annotator=annotator, solution=solution, kind=kind, closed_at=None).first()
    row = standing or Report.objects.create(annotator=annotator, solution=solution, kind=kind, comment=comment)
    release(annotator, solution)
    audit.record("reported", annotator, solution.problem.project, solution=solution, kind=kind, comment=comment)
    return row


@transaction.atomic
def close(row: Report, lead: User, answer: str) -> Report:
    """Close a report with an answer; its writer may be offered the item again."""
    row = Report.objects.select_for_update().get(pk=row.pk)
    if row.closed_at is None:
        row.closed_at, row.closed_by, row.answer = timezone.now(), lead, answer
        row.save()
        audit.record("report-closed", lead, row.solution.problem.project, solution=row.solution, answer=answer)
    return row


@transaction.atomic
def take_back_skip(row: Skip, lead: User) -> None:
    """Offer a skipped item to its annotator again; what they had typed is still there."""
    project, annotator = row.solution.problem.project, row.annotator.get_username()
    audit.record("skip-taken-back", lead, project, solution=row.solution, annotator=annotator)
    row.delete()
