"""Skips and reports give the item back, keep it from their writer, and are never labels."""

import pytest

from annotation import drafts, reports
from annotation.assignments import NothingOpen, claim_next
from annotation.models import Annotation, Assignment, Project, ReportKind, User
from annotation.verdicts import VerdictError
from tests.labels import open_slots_of, solutions_of


@pytest.fixture
def ana(annotators: list[User]) -> User:
    return annotators[0]


def test_a_skipped_item_is_free_for_others_and_not_offered_again(
    project: Project, annotators: list[User], ana: User
) -> None:
    slot = claim_next(ana, project)
    reports.skip(ana, slot.solution, "Not my subject.")
    slot.refresh_from_db()
    assert (slot.annotator, slot.lease_ends_at) == (None, None)
    assert claim_next(ana, project).solution != slot.solution
    assert claim_next(annotators[1], project).solution == slot.solution


def test_a_skip_says_why(project: Project, ana: User) -> None:
    slot = claim_next(ana, project)
    with pytest.raises(VerdictError, match="why you skip"):
        reports.skip(ana, slot.solution, "  ")
    assert Assignment.objects.get(annotator=ana) == slot


def test_a_skip_taken_back_offers_the_item_with_what_was_typed(project: Project, ana: User, lead: User) -> None:
    solution = claim_next(ana, project).solution
    drafts.save(ana, solution, {"reason": "Half a thought"}, 0)
    row = reports.skip(ana, solution, "Later.")
    claim_next(ana, project)
    Assignment.objects.filter(annotator=ana).update(annotator=None, lease_ends_at=None)
    reports.take_back_skip(row, lead)
    assert claim_next(ana, project).solution == solution
    draft = drafts.draft_of(ana, solution)
    assert draft is not None
    assert draft.content == {"reason": "Half a thought"}


@pytest.mark.parametrize("kind", ReportKind)
def test_no_report_is_a_label(project: Project, ana: User, kind: ReportKind) -> None:
    wanted = open_slots_of(project)
    slot = claim_next(ana, project)
    row = reports.report(ana, slot.solution, kind, "It cannot be right.")
    assert (row.kind, row.comment, row.closed_at) == (kind, "It cannot be right.", None)
    assert not Annotation.objects.exists()
    assert open_slots_of(project) == wanted
    assert claim_next(ana, project).solution != slot.solution


def test_a_report_needs_words_a_lead_can_act_on(project: Project, ana: User) -> None:
    slot = claim_next(ana, project)
    with pytest.raises(VerdictError, match="what is wrong"):
        reports.report(ana, slot.solution, ReportKind.WRONG_KEY, "bad ")
    assert Assignment.objects.get(annotator=ana) == slot


def test_the_same_report_twice_is_one(project: Project, ana: User) -> None:
    solution = solutions_of(project)[0]
    first = reports.report(ana, solution, ReportKind.BAD_SPLIT, "Steps 2 and 3 are one.")
    assert reports.report(ana, solution, ReportKind.BAD_SPLIT, "Steps 2 and 3 are one.") == first
    assert reports.report(ana, solution, ReportKind.WRONG_KEY, "And the key is wrong.") != first


def test_an_answered_report_offers_the_item_again(project: Project, ana: User, lead: User) -> None:
    solution = claim_next(ana, project).solution
    row = reports.report(ana, solution, ReportKind.CANNOT_JUDGE, "I lack the chemistry.")
    closed = reports.close(row, lead, "Look at the reference.")
    assert (closed.closed_by, closed.answer) == (lead, "Look at the reference.")
    assert claim_next(ana, project).solution == solution


def test_the_first_answer_stays(project: Project, ana: User, lead: User, admin: User) -> None:
    row = reports.report(ana, solutions_of(project)[0], ReportKind.BAD_SPLIT, "Steps 2 and 3 are one.")
    reports.close(row, lead, "Yes.")
    closed = reports.close(row, admin, "No.")
    assert (closed.closed_by, closed.answer) == (lead, "Yes.")


def test_when_only_skipped_or_reported_items_are_left_it_says_so(project: Project, ana: User, lead: User) -> None:
    solutions = solutions_of(project)
    row = reports.report(ana, solutions[0], ReportKind.BAD_SPLIT, "Steps 2 and 3 are one.")
    skips = [reports.skip(ana, solution, "No.") for solution in solutions[1:]]
    with pytest.raises(NothingOpen, match="Only items you skipped are left"):
        claim_next(ana, project)
    for solution in solutions[1:]:
        solution.settled_at = row.created_at
        solution.save()
    assert len(skips) == 2
    with pytest.raises(NothingOpen, match="Only items you reported are left"):
        claim_next(ana, project)


def test_what_one_skipped_is_not_promised_for_later(project: Project, annotators: list[User], ana: User) -> None:
    for solution in solutions_of(project):
        reports.skip(ana, solution, "No.")
    claim_next(annotators[1], project)
    with pytest.raises(NothingOpen, match="skipped"):
        claim_next(ana, project)
