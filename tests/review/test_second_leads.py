"""A lead who labelled an item does not decide it alone."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project, Role, Solution, User
from exports.final_verdicts import gold_records
from review.adjudication import AlreadyDecided, Decision, NeedsAnotherLead, awaiting_second, decide, second
from review.contests import contested
from review.models import Kind, Outcome
from tests.labels import RIGHT, say_all, wrong
from tests.pages import words


@pytest.fixture
def own_item(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Solution:
    """The lead and Ben have labelled it, and differ."""
    project = make_project(1)
    project.members.add(lead)
    (solution,) = say_all(project, {0: {lead: RIGHT, annotators[1]: wrong(1)}})
    return solution


def test_their_decision_waits_and_is_no_gold_until_another_lead_agrees(
    own_item: Solution, lead: User, make_user: Callable[..., User]
) -> None:
    project, other = own_item.problem.project, make_user("luis", Role.LEAD)
    row = decide(own_item, lead, Decision(Outcome.GOLD, RIGHT))
    own_item.refresh_from_db()
    assert own_item.settled_at is None
    assert list(awaiting_second(project)) == [row]
    assert [item.kind for item in contested(project)] == [Kind.SECOND]
    assert not list(gold_records(project))
    second(row, other)
    own_item.refresh_from_db()
    assert own_item.settled_at is not None
    row.refresh_from_db()
    assert row.seconds_by == other
    assert [record.id for record in gold_records(project)] == [own_item.item_id]


def test_the_second_lead_sees_what_was_decided(
    own_item: Solution, lead: User, make_user: Callable[..., User], as_user: Callable[[User], Client]
) -> None:
    decide(own_item, lead, Decision(Outcome.GOLD, wrong(1, reason="The root is lost."), rationale="I looked twice."))
    page = as_user(make_user("luis", Role.LEAD)).get(reverse("adjudicate-item", args=["trial", own_item.pk]))
    assert "A new decision replaces it. incorrect at Step 2" in words(page)
    assert "The root is lost. I looked twice." in words(page)


@pytest.mark.parametrize(
    ("policy", "outcome", "said"),
    [
        (True, "gold", "Decided; it waits for a second lead to agree."),
        (True, "open", "Kept open."),
        (False, "gold", "Decided."),
    ],
)
def test_the_message_says_whether_the_decision_waits(
    own_item: Solution, lead: User, as_user: Callable[[User], Client], policy: bool, outcome: str, said: str
) -> None:
    Project.objects.update(second_lead=policy)
    sent = {"outcome": outcome, "correct": "true", "placement": "at"}
    page = as_user(lead).post(reverse("adjudicate-item", args=["trial", own_item.pk]), sent, follow=True)
    assert [str(message) for message in page.context["messages"]] == [said]


def test_neither_the_decider_nor_a_lead_who_labelled_it_can_agree(
    own_item: Solution, lead: User, make_user: Callable[..., User]
) -> None:
    row = decide(own_item, lead, Decision(Outcome.GOLD, RIGHT))
    with pytest.raises(NeedsAnotherLead):
        second(row, lead)


def test_a_replaced_decision_cannot_be_seconded(own_item: Solution, lead: User, make_user: Callable[..., User]) -> None:
    other = make_user("luis", Role.LEAD)
    row = decide(own_item, lead, Decision(Outcome.GOLD, RIGHT))
    decide(own_item, other, Decision(Outcome.GOLD, wrong(1), seen=row.pk))
    with pytest.raises(AlreadyDecided):
        second(row, other)


def test_the_policy_can_do_without(own_item: Solution, lead: User) -> None:
    project = own_item.problem.project
    project.second_lead = False
    project.save()
    decide(Solution.objects.get(pk=own_item.pk), lead, Decision(Outcome.GOLD, RIGHT))
    own_item.refresh_from_db()
    assert own_item.settled_at is not None
