"""Changes of answer keys on their pages: proposed with the evidence in view, approved by somebody else, in force."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Problem, Project, Role, User
from review.adjudication import Decision, decide
from review.models import KeyProposal, Outcome
from tests.labels import RIGHT, say_all
from tests.pages import words

AsUser = Callable[[User], Client]
KEYS = reverse("keys", args=["trial"])
TYPED = {"accepted": "B\n", "standing": "usable", "reason": "The table says B."}


@pytest.fixture
def problem(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Problem:
    """Two people call a solution correct that ends with the key, and a lead made gold of it."""
    (solution,) = say_all(make_project(1, second_approval=True), {0: dict.fromkeys(annotators[:2], RIGHT)})
    decide(solution, lead, Decision(Outcome.GOLD, RIGHT))
    return solution.problem


def url_of(problem: Problem) -> str:
    return reverse("propose-key", args=["trial", problem.pk])


def test_the_evidence_of_the_labels_is_in_view(problem: Problem, lead: User, as_user: AsUser) -> None:
    page = as_user(lead).get(url_of(problem))
    assert page.context["evidence"].final_answers == {"A": 1}
    assert page.context["form"].initial == {"accepted": "A", "standing": "usable"}


def test_another_lead_accepts_and_what_it_touches_is_open_again(
    problem: Problem, lead: User, make_user: Callable[..., User], as_user: AsUser
) -> None:
    first, second = as_user(lead), as_user(make_user("luis", Role.LEAD))
    told = first.post(url_of(problem), TYPED, follow=True)
    assert "Proposed. Another lead has to approve it." in words(told)
    address = reverse("decide-key", args=["trial", KeyProposal.objects.get().pk])
    assert "Another lead has to approve what you proposed." in words(
        first.post(address, {"decision": "accept"}, follow=True)
    )
    told = second.post(address, {"decision": "accept", "note": "I looked it up."}, follow=True)
    assert "In force; 1 decisions were reopened." in words(told)
    problem = Problem.objects.get()
    assert problem.answer_key == ["B"]
    assert problem.solutions.get().settled_at is None
    assert "decided already" in words(second.post(address, {"decision": "refuse"}, follow=True))


def test_a_refusal_leaves_the_key_and_is_kept(problem: Problem, lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    client.post(url_of(problem), TYPED)
    address = reverse("decide-key", args=["trial", KeyProposal.objects.get().pk])
    told = words(client.post(address, {"decision": "refuse", "note": "It says A."}, follow=True))
    assert "Refused." in told
    assert "It says A." in told
    assert Problem.objects.get().answer_key == ["A"]


@pytest.mark.parametrize(
    "typed", [TYPED | {"reason": ""}, TYPED | {"accepted": "A"}, TYPED | {"standing": "rubbish"}],
    ids=["no reason", "nothing new", "no such standing"],
)  # fmt: skip
def test_a_refused_proposal_is_shown_again(
    problem: Problem, lead: User, as_user: AsUser, typed: dict[str, str]
) -> None:
    answer = as_user(lead).post(url_of(problem), typed)
    assert answer.status_code == 422
    assert answer.context["form"].errors
    assert not KeyProposal.objects.exists()


def test_a_change_in_force_still_shows_the_key_it_replaced(problem: Problem, lead: User, as_user: AsUser) -> None:
    Project.objects.update(second_approval=False)
    client = as_user(lead)
    client.post(url_of(problem), TYPED)
    client.post(url_of(problem), TYPED | {"accepted": "C"})
    shown = words(client.get(KEYS))
    assert "A → B" in shown
    assert "B → C" in shown


def test_the_timeline_of_an_item_tells_of_its_key(problem: Problem, lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    client.post(url_of(problem), TYPED)
    shown = words(client.get(reverse("item", args=["trial", problem.solutions.get().pk])))
    assert "lena proposed another answer key" in shown
