"""Changing answer keys: proposed, approved by somebody else, applied to all solutions, reopening what they touch."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from annotation.intake import take_in
from annotation.models import Problem, Project, Role, Solution, User
from annotation.verdicts import VerdictError
from exports.errata import errata
from exports.releases import freeze
from review import keys
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.conftest import solution_record
from tests.labels import RIGHT, say, wrong
from tests.pages import words


@pytest.fixture
def problem(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Problem:
    """One problem with key A: one solution ends with A and is gold correct, one with B and is gold incorrect."""
    project = make_project(1)
    other = replace(solution_record(0, final_answer="B"), sampled_from="model-y")
    take_in(project, [other])
    for solution, verdict in zip(Solution.objects.order_by("pk"), (RIGHT, wrong(3)), strict=True):
        for annotator in annotators[:2]:
            say(solution, annotator, verdict)
        decide(solution, lead, Decision(Outcome.GOLD, verdict))
    return Problem.objects.get()


@pytest.fixture
def other_lead(make_user: Callable[..., User]) -> User:
    return make_user("luis", Role.LEAD)


def test_evidence_counts_answers_labels_and_reports(problem: Problem) -> None:
    found = keys.evidence(problem)
    assert found == keys.Evidence({"A": 1, "B": 1}, correct_elsewhere=0, incorrect_with_key=0, reports=0)


def test_a_proposal_waits_for_another_lead(problem: Problem, lead: User, other_lead: User) -> None:
    row = keys.propose(problem, lead, ["B"], "usable", "The sign in option A is wrong.")
    assert (row.approved, Problem.objects.get().answer_key) == (None, ["A"])
    with pytest.raises(keys.CannotDecideKey, match="Another lead"):
        keys.decide_proposal(row, lead, approved=True, note="")
    keys.decide_proposal(row, other_lead, approved=True, note="Agreed.")
    assert Problem.objects.get().answer_key == ["B"]
    assert [key.accepted for key in problem.answer_keys.order_by("version")] == [["A"], ["B"]]


def test_an_accepted_key_reopens_the_solutions_whose_answer_it_turns(
    problem: Problem, lead: User, other_lead: User
) -> None:
    row = keys.propose(problem, lead, ["A", "B"], "usable", "Both options are right.")
    row = keys.decide_proposal(row, other_lead, approved=True, note="")
    first, second = Solution.objects.order_by("pk")
    assert (first.settled_at is None, second.settled_at is None, row.reopened) == (False, True, 1)
    assert (first.answer_agrees, second.answer_agrees) == (True, True)


def test_a_bad_standing_reopens_all_and_stops_handing_out(problem: Problem, lead: User, other_lead: User) -> None:
    row = keys.propose(problem, lead, ["A"], "ambiguous", "Two readings.")
    keys.decide_proposal(row, other_lead, approved=True, note="")
    assert not Solution.objects.filter(settled_at__isnull=False).exists()
    assert Problem.objects.get().standing == "ambiguous"


def test_a_refused_proposal_changes_nothing(problem: Problem, lead: User, other_lead: User) -> None:
    row = keys.propose(problem, lead, ["B"], "usable", "I think so.")
    keys.decide_proposal(row, other_lead, approved=False, note="No.")
    assert Problem.objects.get().answer_key == ["A"]
    with pytest.raises(keys.CannotDecideKey, match="decided already"):
        keys.decide_proposal(row, other_lead, approved=True, note="")


def test_without_the_rule_a_proposal_is_in_force_at_once(problem: Problem, lead: User) -> None:
    Project.objects.update(second_approval=False)
    assert keys.propose(Problem.objects.get(), lead, ["B"], "usable", "A slip of the pen.").approved
    assert Problem.objects.get().answer_key == ["B"]


@pytest.mark.parametrize(("accepted", "reason", "field"), [(["B"], "  ", "reason"), (["A"], "Why not.", "accepted")])
def test_a_proposal_needs_a_reason_and_a_change(
    problem: Problem, lead: User, accepted: list[str], reason: str, field: str
) -> None:
    with pytest.raises(VerdictError) as refusal:
        keys.propose(problem, lead, accepted, "usable", reason)
    assert refusal.value.field == field


def test_the_next_release_lists_what_changed_and_why(
    problem: Problem, lead: User, other_lead: User, as_user: Callable[[User], Client]
) -> None:
    project = problem.project
    freeze(project, "1.0.0", "", lead)
    assert errata(project) == []
    row = keys.propose(problem, lead, ["A", "B"], "usable", "Both options are right.")
    keys.decide_proposal(row, other_lead, approved=True, note="")
    first, second = Solution.objects.order_by("pk")
    taken_out = {entry["id"]: entry for entry in errata(project) if entry["change"] == "removed"}
    assert taken_out[second.item_id]["why"] == "Both options are right."
    standing = second.adjudications.order_by("-pk")[0]
    decide(second, lead, Decision(Outcome.GOLD, RIGHT, rationale="The key has changed.", seen=standing.pk))
    release = freeze(project, "1.1.0", "", lead)
    told = {entry["id"]: entry for entry in release.manifest["errata"]}
    assert told[first.item_id]["why"] == "Both options are right."
    assert told[second.item_id]["label"]["correct"] == [False, True]
    page = words(as_user(lead).get(reverse("release", args=["trial", "1.1.0"])))
    assert f"{second.item_id} changed correct" in page
    assert "A → A, B Both options are right." in page
