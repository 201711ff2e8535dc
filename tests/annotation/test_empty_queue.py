"""A page with nothing to label says why, what to do, and offers the way on."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from annotation import guidelines, reports
from annotation.assignments import claim_next
from annotation.models import Project, ReportKind, User
from tests.labels import RIGHT, say, solutions_of
from tests.pages import words

AsUser = Callable[[User], Client]
ADDRESS = "/p/trial/label/"


@pytest.fixture
def one(make_project: Callable[..., Project]) -> Project:
    """A campaign with one item for one annotator."""
    return make_project(1, overlap=1)


@pytest.fixture
def ana(annotators: list[User], as_user: AsUser) -> Client:
    return as_user(annotators[0])


def said(client: Client) -> str:
    page = client.get(ADDRESS)
    assert page.status_code == 200
    assert "<form class=" not in page.content.decode()
    return words(page)


def test_nothing_was_imported(make_project: Callable[..., Project], ana: Client) -> None:
    make_project(0)
    assert "Nothing has been imported yet. A lead can import problems." in said(ana)


def test_all_is_labelled(one: Project, annotators: list[User], ana: Client) -> None:
    say(solutions_of(one)[0], annotators[0], RIGHT)
    shown = said(ana)
    assert "Everything in this project is labelled. Thank you." in shown
    assert "You have labelled 1 item in this project." in shown
    assert 'href="/p/trial/mine/"' in ana.get(ADDRESS).content.decode()


def test_the_rest_waits_for_colleagues(
    make_project: Callable[..., Project], annotators: list[User], ana: Client
) -> None:
    say(solutions_of(make_project(1, overlap=2))[0], annotators[0], RIGHT)
    assert "You have labelled every item that is open to you." in said(ana)


def test_all_is_reserved_until_a_time(one: Project, annotators: list[User], ana: Client) -> None:
    ends = claim_next(annotators[1], one).lease_ends_at
    assert ends is not None
    assert f"reserved by others until {timezone.localtime(ends):%H:%M}. Come back then." in said(ana)


def test_the_campaign_is_paused(make_project: Callable[..., Project], ana: Client) -> None:
    make_project(1, paused=True)
    assert "This project is paused." in said(ana)


def test_an_item_held_is_finished_in_a_paused_campaign(one: Project, annotators: list[User], ana: Client) -> None:
    claim_next(annotators[0], one)
    one.paused = True
    one.save()
    assert "Question 0?" in words(ana.get(ADDRESS))


def test_a_lead_who_is_no_member(one: Project, lead: User, as_user: AsUser) -> None:
    assert "You are not a member of this project. Ask a lead to add you." in said(as_user(lead))


def test_only_skipped_items_are_left(one: Project, annotators: list[User], ana: Client) -> None:
    reports.skip(annotators[0], solutions_of(one)[0], "No.")
    assert "Only items you skipped are left. Ask a lead if you want one back." in said(ana)


def test_only_reported_items_are_left(one: Project, annotators: list[User], ana: Client) -> None:
    reports.report(annotators[0], solutions_of(one)[0], ReportKind.CANNOT_JUDGE, "I lack the chemistry.")
    assert "Only items you reported are left. A lead has to answer first." in said(ana)


def test_the_guideline_comes_first(one: Project, lead: User, annotators: list[User], ana: Client) -> None:
    guidelines.publish(one, "Mark the first wrong step.", "All new.", lead)
    shown = said(ana)
    assert "The guideline has a new version" in shown
    assert "Version 1. All new." in shown
    assert 'href="/p/trial/guideline/"' in ana.get(ADDRESS).content.decode()
    page = ana.get("/p/trial/guideline/")
    assert "Mark the first wrong step." in words(page)
    assert ana.post("/p/trial/guideline/read/", {"version": 1}).headers["Location"] == ADDRESS
    assert "Question 0?" in words(ana.get(ADDRESS))
