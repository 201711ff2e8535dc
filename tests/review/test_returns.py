"""Items that go back: with a question until everybody answered, or for one more blind label."""

import uuid
from collections.abc import Callable

import pytest

from annotation.assignments import claim_next
from annotation.models import Annotation, Project, Solution, User
from annotation.submission import Submission, submit
from annotation.verdicts import VerdictError
from review import discussion, returns
from review.adjudication import Decision, decide
from review.contests import contested
from review.models import Outcome, Return
from tests.labels import RIGHT, revise, say, say_all, solutions_of, wrong


@pytest.fixture
def dispute(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    (solution,) = say_all(make_project(1), {0: {annotators[0]: RIGHT, annotators[1]: wrong(1)}})
    return solution


def in_queue(solution: Solution) -> bool:
    return contested(solution.problem.project).filter(pk=solution.pk).exists()


def test_a_question_takes_the_item_out_until_each_annotator_has_answered(
    dispute: Solution, annotators: list[User], lead: User
) -> None:
    returns.ask_annotators(dispute, lead, "Is the second step allowed?")
    assert not in_queue(dispute)
    discussion.say(dispute.problem.project, annotators[0], "It is, by the lemma.", solution=dispute)
    assert not in_queue(dispute)
    revise(Annotation.objects.get(assignment__annotator=annotators[1]), wrong(0))
    assert in_queue(dispute)


def test_a_question_is_an_annotators_to_do_until_they_answer(
    dispute: Solution, annotators: list[User], lead: User
) -> None:
    project = dispute.problem.project
    returns.ask_annotators(dispute, lead, "Is the second step allowed?")
    assert [returns.questions_for(user, project).count() for user in annotators[:2]] == [1, 1]
    discussion.say(project, annotators[0], "It is, by the lemma.", solution=dispute)
    assert [returns.questions_for(user, project).count() for user in annotators[:2]] == [0, 1]
    decide(dispute, lead, Decision(Outcome.GOLD, wrong(1, reason="It is not.")))
    assert returns.questions_for(annotators[1], project).count() == 0


def test_a_lead_can_ask_again_once_all_have_answered(dispute: Solution, annotators: list[User], lead: User) -> None:
    returns.ask_annotators(dispute, lead, "Is the second step allowed?")
    for annotator in annotators[:2]:
        discussion.say(dispute.problem.project, annotator, "Yes.", solution=dispute)
    returns.ask_annotators(dispute, lead, "By which lemma?")
    assert not in_queue(dispute)
    assert Return.objects.get(closed_at=None).question == "By which lemma?"
    assert [returns.questions_for(user, dispute.problem.project).count() for user in annotators[:2]] == [1, 1]


def test_a_lead_can_stop_waiting(dispute: Solution, lead: User) -> None:
    row = returns.ask_annotators(dispute, lead, "Is the second step allowed?")
    returns.stop_waiting(row, lead)
    assert in_queue(dispute)
    assert Return.objects.get().closed_at is not None


def test_a_question_has_words_and_stands_alone(dispute: Solution, lead: User) -> None:
    with pytest.raises(VerdictError):
        returns.ask_annotators(dispute, lead, "  ")
    returns.ask_annotators(dispute, lead, "Why?")
    with pytest.raises(returns.CannotReturn, match="already"):
        returns.ask_annotators(dispute, lead, "Why, again?")


def test_one_more_label_is_blind_and_stays_out_of_agreement(
    dispute: Solution, annotators: list[User], lead: User
) -> None:
    returns.ask_for_more(dispute, lead)
    assert not in_queue(dispute)
    slot = claim_next(annotators[2], dispute.problem.project)
    assert slot.solution == dispute
    extra = submit(slot.pk, annotators[2], Submission(uuid.uuid4(), wrong(1)))
    assert in_queue(dispute)
    assert extra not in Annotation.objects.first_pass()
    assert Annotation.objects.first_pass().count() == 2


def test_the_label_asked_for_comes_before_the_rest_of_the_campaign(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    project = make_project(3, overlap=2)
    last = solutions_of(project)[-1]
    for annotator, verdict in zip(annotators[:2], (RIGHT, wrong(1)), strict=True):
        say(last, annotator, verdict)
    returns.ask_for_more(last, lead)
    assert claim_next(annotators[2], project).solution == last
    assert claim_next(annotators[0], project).solution != last


def test_nobody_left_to_ask_is_said(dispute: Solution, annotators: list[User], lead: User) -> None:
    dispute.problem.project.members.remove(annotators[2])
    with pytest.raises(returns.CannotReturn, match="member"):
        returns.ask_for_more(dispute, lead)


def test_a_decided_item_does_not_go_back(dispute: Solution, lead: User) -> None:
    decide(dispute, lead, Decision(Outcome.GOLD, RIGHT))
    with pytest.raises(returns.CannotReturn, match="decided"):
        returns.ask_annotators(dispute, lead, "Sure?")
    with pytest.raises(returns.CannotReturn, match="decided"):
        returns.ask_for_more(dispute, lead)
