"""Adjudicating by keys alone, in Chromium."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from annotation.models import Project, Solution, User
from review.models import Adjudication, Basis, Cause, Outcome
from tests.labels import RIGHT, say_all, wrong

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def disputes(make_project: Callable[..., Project], annotators: list[User]) -> list[Solution]:
    """Four disputes on the verdict, the last two of another subject."""
    ana, ben, _chen = annotators
    project = make_project(4)
    solutions = say_all(project, {n: {ana: RIGHT, ben: wrong(1, reason="A sign is lost.")} for n in range(4)})
    for solution in solutions[2:]:
        solution.problem.subject = "physics"
        solution.problem.save()
    return solutions


@pytest.fixture
def desk(disputes: list[Solution], lead: User, window_of: Callable[..., Page]) -> Page:
    page = window_of(lead)
    page.goto(reverse("adjudicate", args=["trial"]))
    return page


def at(page: Page, solution: Solution) -> None:
    """The desk shows this item."""
    address = reverse("adjudicate-item", args=["trial", solution.pk])
    expect(page.locator(f"#decision[action^='{address}']")).to_be_attached()


def incorrect(page: Page) -> str:
    """The key that adopts the reader who says incorrect: readers stand in random order."""
    return "1" if "incorrect" in page.locator(".reader").nth(0).inner_text() else "2"


def test_adopt_say_why_decide_and_the_next_one_comes(desk: Page, disputes: list[Solution]) -> None:
    at(desk, disputes[0])
    desk.keyboard.press(incorrect(desk))
    expect(desk.locator("#id_reason")).to_have_value("A sign is lost.")
    for key in ("y", "ArrowDown", "Control+Enter"):
        desk.keyboard.press(key)
    at(desk, disputes[1])
    row = Adjudication.objects.get()
    assert (row.solution, row.basis, row.cause, row.first_error) == (disputes[0], Basis.ADOPTED, Cause.SLIP, 1)


def test_a_label_still_on_its_way_is_sent_when_it_has_come(desk: Page, disputes: list[Solution]) -> None:
    def slowly(route: Route) -> None:
        desk.wait_for_timeout(400)
        route.continue_()

    desk.route("**/*adopt=*", slowly)
    desk.keyboard.press(incorrect(desk))
    desk.keyboard.press("Control+Enter")
    at(desk, disputes[1])
    assert Adjudication.objects.get().reason == "A sign is lost."


def test_an_own_decision_with_its_note(desk: Page, disputes: list[Solution]) -> None:
    for keys in ("x", "s", "ArrowDown", "Escape", "m", "r"):
        desk.keyboard.press(keys)
    desk.keyboard.type("It starts from nothing.")
    desk.keyboard.press("Escape")
    desk.keyboard.press("n")
    desk.keyboard.type("Both look too late.")
    desk.keyboard.press("Control+Enter")
    at(desk, disputes[1])
    row = Adjudication.objects.get()
    assert (row.first_error, row.placement, row.basis) == (0, "before", Basis.OWN)
    assert (row.reason, row.rationale) == ("It starts from nothing.", "Both look too late.")
    desk.keyboard.press(incorrect(desk))
    expect(desk.locator("#id_reason")).to_have_value("A sign is lost.")


def test_keep_open_discard_and_later_bring_the_next_one(desk: Page, disputes: list[Solution]) -> None:
    desk.keyboard.press("o")
    at(desk, disputes[1])
    desk.keyboard.press("d")
    expect(desk.locator("#decision")).to_contain_text("Say why the solution is discarded.")
    desk.keyboard.press("n")
    desk.keyboard.type("The figure is missing.")
    desk.keyboard.press("Escape")
    desk.keyboard.press("d")
    at(desk, disputes[2])
    desk.keyboard.press("l")
    at(desk, disputes[3])
    assert [row.outcome for row in Adjudication.objects.order_by("pk")] == [Outcome.OPEN, Outcome.DISCARDED]


def test_the_queue_stays_narrowed(desk: Page, disputes: list[Solution]) -> None:
    desk.goto(reverse("adjudicate", args=["trial"], query={"subject": "physics"}))
    at(desk, disputes[2])
    desk.keyboard.press("l")
    at(desk, disputes[3])
    desk.keyboard.press("l")
    at(desk, disputes[2])
    desk.keyboard.press(incorrect(desk))
    expect(desk.locator("#id_reason")).to_have_value("A sign is lost.")
    desk.keyboard.press("Control+Enter")
    at(desk, disputes[3])
    desk.keyboard.press("q")
    desk.keyboard.type("Are you sure?")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("h2")).to_contain_text(["Nothing is disputed"])
