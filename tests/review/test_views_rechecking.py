"""Gold decided again, blind, on its pages; and talk about items, which annotators see after their label."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project, Role, Solution, User
from review.adjudication import Decision, decide
from review.models import Comment, Outcome, RecheckItem
from tests.labels import RIGHT, say, say_all, wrong
from tests.pages import words

AsUser = Callable[[User], Client]
RECHECK = reverse("recheck", args=["trial"])


@pytest.fixture
def gold(make_project: Callable[..., Project], annotators: list[User], lead: User) -> list[Solution]:
    """Two items decided by the lead: one correct, one wrong at the second step."""
    ana, ben, _chen = annotators
    solutions = say_all(make_project(2), {n: {ana: RIGHT, ben: wrong(1, reason="A lost sign.")} for n in range(2)})
    decide(solutions[0], lead, Decision(Outcome.GOLD, RIGHT))
    decide(solutions[1], lead, Decision(Outcome.GOLD, wrong(1, reason="A lost sign.")))
    return solutions


def test_another_lead_decides_a_sample_again_without_seeing_a_label(
    gold: list[Solution], make_user: Callable[..., User], as_user: AsUser
) -> None:
    client = as_user(make_user("luis", Role.LEAD))
    assert "Not measured yet." in words(client.get(RECHECK))
    page = client.post(RECHECK, {"size": "2"}, follow=True)
    for _item in gold:
        for hidden in ("A lost sign.", "ana", "ben", "lena"):
            assert hidden not in words(page)
        page = client.post(page.redirect_chain[-1][0], {"correct": "true", "placement": "at"}, follow=True)
    # One of two changed; Wilson by hand: (1 + 1.92 -+ 1.96 sqrt(1 * 1 / 2 + .96)) / (2 + 3.84) = .095 to .905.
    assert "1 of 2 changed in verdict or step (1 in the verdict); interval of 95 %: 0.095 to 0.905." in words(page)
    assert gold[1].item_id in words(page)
    assert "There is no gold left" in words(client.post(RECHECK, {"size": "2"}))


def test_a_lead_never_rechecks_what_they_decided(gold: list[Solution], lead: User, as_user: AsUser) -> None:
    answer = as_user(lead).post(RECHECK, {"size": "2"})
    assert answer.status_code == 422
    assert "There is no gold left that you have neither decided nor labelled." in words(answer)
    assert not RecheckItem.objects.exists()


@pytest.mark.parametrize("size", ["0", "1001", "many", ""])
def test_a_sample_has_a_size(gold: list[Solution], lead: User, as_user: AsUser, size: str) -> None:
    answer = as_user(lead).post(RECHECK, {"size": size})
    assert answer.status_code == 422
    assert answer.context["form"].errors["size"]


def test_annotators_talk_of_an_item_once_their_label_is_in_and_are_told(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = annotators
    (solution,) = say_all(make_project(1), {0: {ana: RIGHT}})
    address = reverse("talk", args=["trial", solution.pk])
    as_user(lead).post(address, {"text": "@ana @ben why?"})
    refused = as_user(ben).get(address)
    assert refused.status_code == 403
    assert "once you have submitted your label" in words(refused)
    assert "why?" not in words(as_user(ben).get(reverse("mentions"))), "it would tell before their label"
    anas = as_user(ana)
    assert "why?" in words(anas.get(reverse("mentions")))
    assert "why?" in words(anas.get(address))
    assert "why?" not in words(anas.get(reverse("mentions"))), "it was read"
    say(solution, ben, wrong(0))
    assert "why?" in words(as_user(ben).get(address))
    assert anas.post(address, {"text": "  "}).status_code == 422
    assert Comment.objects.count() == 1
