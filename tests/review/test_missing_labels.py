"""An item that still lacks labels is decided only by a lead who has said how many are missing."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Event, Project, Solution, User
from annotation.verdicts import VerdictError
from review.adjudication import Decision, decide
from review.models import Adjudication, Outcome
from tests.labels import RIGHT, say, say_all, wrong
from tests.pages import words
from tests.programs import Program

ASKED = "1 wanted label is missing: confirm that you decide without it."


@pytest.fixture
def half_done(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    """Ana has labelled it; another label is wanted."""
    return say_all(make_project(1), {0: {annotators[0]: RIGHT}})[0]


@pytest.mark.parametrize("outcome", [Outcome.GOLD, Outcome.DISCARDED])
def test_it_is_refused_until_the_lead_says_how_many_are_missing(
    half_done: Solution, lead: User, outcome: Outcome
) -> None:
    verdict = RIGHT if outcome == Outcome.GOLD else None
    with pytest.raises(VerdictError, match="1 wanted label is missing") as refusal:
        decide(half_done, lead, Decision(outcome, verdict, rationale="The figure is lost."))
    assert refusal.value.field == "missing_labels"
    half_done.refresh_from_db()
    assert half_done.settled_at is None
    decide(half_done, lead, Decision(outcome, verdict, rationale="The figure is lost.", missing_labels=1))
    half_done.refresh_from_db()
    assert half_done.settled_at is not None
    assert Event.objects.get(act="decided").detail["missing_labels"] == 1


def test_keeping_it_open_decides_nothing_and_needs_no_word(half_done: Solution, lead: User) -> None:
    assert decide(half_done, lead, Decision(Outcome.OPEN)).outcome == Outcome.OPEN


def test_a_label_that_came_meanwhile_is_looked_at_first(
    half_done: Solution, lead: User, annotators: list[User]
) -> None:
    say(half_done, annotators[1], wrong(1))
    with pytest.raises(VerdictError, match="are in: look at them first"):
        decide(half_done, lead, Decision(Outcome.GOLD, RIGHT, missing_labels=1))
    decide(half_done, lead, Decision(Outcome.GOLD, RIGHT))
    assert "missing_labels" not in Event.objects.get(act="decided").detail


def test_the_page_says_so_and_takes_the_decision_with_the_box_ticked(
    half_done: Solution, lead: User, as_user: Callable[[User], Client]
) -> None:
    client, here = as_user(lead), reverse("adjudicate-item", args=["trial", half_done.pk])
    assert "1 wanted label is missing. A decision ends the labelling of this item." in words(client.get(here))
    sent = {"outcome": "gold", "correct": "true", "placement": "at"}
    refused = client.post(here, sent)
    assert (refused.status_code, ASKED in words(refused)) == (422, True)
    assert not Adjudication.objects.exists()
    client.post(here, sent | {"missing_labels": "1"})
    assert Adjudication.objects.get().outcome == Outcome.GOLD
    assert "labels missing: 1" in words(client.get(reverse("item", args=["trial", half_done.pk])))


def test_a_complete_item_asks_nothing(
    half_done: Solution, lead: User, annotators: list[User], as_user: Callable[[User], Client]
) -> None:
    say(half_done, annotators[1], wrong(1))
    page = as_user(lead).get(reverse("adjudicate-item", args=["trial", half_done.pk]))
    assert 'name="missing_labels"' not in page.content.decode()


def test_a_program_is_told_which_field_to_send(half_done: Solution, lead: User) -> None:
    program, here = Program(lead), "projects/trial/adjudications/"
    sent = {"item_id": half_done.item_id, "correct": True}
    assert program.post(here, 400, **sent) == {"detail": ASKED, "field": "missing_labels"}
    assert program.post(here, 201, **sent, missing_labels=1)["outcome"] == "gold"
