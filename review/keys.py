"""Changing an answer key or a problem's standing: proposed with a reason, approved, applied to every solution."""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import Annotation, AnswerKey, Problem, Report, ReportKind, Solution, User
from annotation.verdicts import VerdictError
from review.models import Adjudication, KeyProposal, Outcome
from review.pending import keep_up


class CannotDecideKey(Exception):
    """The proposal is decided already, or its writer wants to approve it alone."""


@dataclass(frozen=True)
class Evidence:
    """What the labels say about a problem's key."""

    final_answers: dict[str, int]  # how many solutions end with each answer
    correct_elsewhere: int  # labels that call a solution correct although its answer is not the key's
    incorrect_with_key: int  # labels that call a solution incorrect although it ends with the key
    reports: int  # open reports that the key is wrong or the problem broken


def evidence(problem: Problem) -> Evidence:
    """Count what speaks for or against the key in force."""
    solutions = list(problem.solutions.all())
    labels = Annotation.objects.current().filter(assignment__solution__problem=problem).select_related("assignment")
    agrees = {solution.pk: solution.answer_agrees for solution in solutions}
    said = [(label.correct, agrees.get(label.assignment.solution_id)) for label in labels]
    doubts = Report.objects.filter(
        solution__problem=problem, kind__in=(ReportKind.WRONG_KEY, ReportKind.BROKEN_PROBLEM), closed_at=None
    )  # fmt: skip
    return Evidence(
        dict(Counter(solution.final_answer or "–" for solution in solutions).most_common()),
        said.count((True, False)), said.count((False, True)), doubts.count(),
    )  # fmt: skip


@transaction.atomic
def propose(problem: Problem, by: User, accepted: list[str], standing: str, reason: str) -> KeyProposal:
    """Propose other accepted answers or another standing. Without the rule of a second approval it is accepted at once.

    Raises: VerdictError naming the part.
    """
    problem = Problem.objects.select_for_update().get(pk=problem.pk)
    if not reason.strip():
        raise VerdictError("reason", _("Say why the key or the standing has to change."))
    if accepted == problem.answer_key and standing == problem.standing:
        raise VerdictError("accepted", _("This is the key and the standing in force."))
    if KeyProposal.objects.filter(problem=problem, approved=None).exists():
        raise VerdictError("accepted", _("A proposal for this problem waits already."))
    row = KeyProposal.objects.create(
        problem=problem, accepted=accepted, standing=standing, reason=reason, proposed_by=by
    )  # fmt: skip
    audit.record(
        "key-proposed", by, problem.project, problem=problem, accepted=accepted, standing=standing, reason=reason
    )  # fmt: skip
    return row if problem.project.second_approval else _accept(row, by, "")


@transaction.atomic
def decide_proposal(row: KeyProposal, by: User, *, approved: bool, note: str) -> KeyProposal:
    """Accept or refuse a proposal. Accepting applies to all solutions of the problem and reopens what it touches.

    Raises: CannotDecideKey.
    """
    row = KeyProposal.objects.select_for_update().select_related("problem__project").get(pk=row.pk)
    if row.approved is not None:
        raise CannotDecideKey(_("This proposal is decided already."))
    if approved and row.proposed_by_id == by.pk and row.problem.project.second_approval:
        raise CannotDecideKey(_("Another lead has to approve what you proposed."))
    if approved:
        return _accept(row, by, note)
    row.approved, row.decided_by, row.decided_at, row.note = False, by, timezone.now(), note
    row.save()
    audit.record("key-refused", by, row.problem.project, problem=row.problem, note=note)
    return row


def _accept(row: KeyProposal, by: User, note: str) -> KeyProposal:
    problem = row.problem
    before = {solution.pk: solution.answer_agrees for solution in problem.solutions.all()}
    if row.accepted != problem.answer_key:
        newest = problem.answer_keys.order_by("-version").first()
        AnswerKey.objects.create(
            problem=problem, version=newest.version + 1 if newest else 1, accepted=row.accepted, reason=row.reason,
            changed_by=row.proposed_by,
        )  # fmt: skip
    Problem.objects.filter(pk=problem.pk).update(standing=row.standing)
    problem = Problem.objects.get(pk=problem.pk)
    touched = [s.pk for s in problem.solutions.all() if s.answer_agrees != before[s.pk] or problem.standing != "usable"]
    row.reopened = _reopen(touched, by, problem)
    row.approved, row.decided_by, row.decided_at, row.note = True, by, timezone.now(), note
    row.save()
    audit.record(
        "key-accepted", by, problem.project, problem=problem, accepted=row.accepted, standing=row.standing, note=note
    )  # fmt: skip
    return row


def _reopen(solutions: list[int], by: User, problem: Problem) -> int:
    decided = list(Solution.objects.select_for_update().filter(pk__in=solutions, settled_at__isnull=False))
    note = _("Reopened: the answer key or the standing of the problem has changed.")
    Adjudication.objects.bulk_create(
        Adjudication(solution=solution, outcome=Outcome.OPEN, basis="own", rationale=note, decided_by=by)
        for solution in decided
    )
    pks = [solution.pk for solution in decided]
    Solution.objects.filter(pk__in=pks).update(settled_at=None)
    keep_up(pks)
    audit.record_many("reopened", by, problem.project, pks)
    return len(decided)
