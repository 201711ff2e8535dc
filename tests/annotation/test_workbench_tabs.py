"""A second tab, an ended session and another person at the same browser cost no text."""

from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Draft, User
from tests.annotation.bench import (
    LOST,
    REASON,
    at_bench,
    call_it_wrong,
    held_back,
    labels,
    one_save,
    press,
    ready,
    state,
    without,
)
from tests.browser import Windows
from tests.conftest import PASSWORD

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


def second_tab(page: Page, windows: Windows) -> Page:
    tab = page.context.new_page()
    return at_bench(tab)


@pytest.fixture
def two_tabs(workbench: Page, windows: Windows) -> tuple[Page, Page]:
    """Two tabs with the same item; the first one has saved, the second has not seen it."""
    other = second_tab(workbench, windows)
    call_it_wrong(workbench, reason="Written first.")
    state(workbench, "Saved")
    return workbench, other


def test_an_older_tab_is_shown_both_texts(two_tabs: tuple[Page, Page], windows: Windows) -> None:
    _first, other = two_tabs
    with one_save(other):  # or the question comes up while one types
        call_it_wrong(other, "e 1 r", "Written second.")
    expect(other.locator("#conflict")).to_be_visible()
    expect(other.locator("#conflict-theirs")).to_contain_text("Reason: Written first.")
    expect(other.locator("#conflict-mine")).to_contain_text("Reason: Written second.")
    expect(other.locator("#conflict-theirs")).to_contain_text("Step 2")
    press(other, "Escape")
    expect(other.locator("#conflict")).to_be_visible()
    state(other, "Changed in another tab")
    assert Draft.objects.get().content["reason"] == "Written first."
    without(windows, "409")


@pytest.mark.parametrize(("key", "kept"), [("1", "Written second."), ("2", "Written first.")])
def test_one_chooses_which_text_is_kept(two_tabs: tuple[Page, Page], windows: Windows, key: str, kept: str) -> None:
    _first, other = two_tabs
    with one_save(other):
        call_it_wrong(other, "e 1 r", "Written second.")
    expect(other.locator("#conflict")).to_be_visible()
    press(other, key)
    state(other, "Saved")
    assert other.input_value("#id_reason") == kept
    assert Draft.objects.get().content["reason"] == kept
    without(windows, "409")


def test_an_older_tab_that_submits_at_once_throws_nothing_away(two_tabs: tuple[Page, Page], windows: Windows) -> None:
    _first, other = two_tabs
    held_back(other, "**/draft/")  # the submission is quicker than the draft
    press(other, "c Control+Enter")
    expect(other.locator("#conflict")).to_be_visible()
    expect(other.locator("#conflict-theirs")).to_contain_text("Written first.")
    assert not Annotation.objects.exists()
    assert Draft.objects.get().content["reason"] == "Written first."
    without(windows, "409", *LOST)


def test_both_tabs_keep_what_they_could_not_send(two_tabs: tuple[Page, Page], windows: Windows) -> None:
    first, other = two_tabs
    first.context.set_offline(True)
    first.keyboard.type(" First goes on.")
    call_it_wrong(other, "e 1 r", "Second.")
    state(first, "Offline")
    state(other, "Offline")
    kept = [text for text in first.evaluate("Object.values(localStorage)") if "reason" in text]
    assert any("First goes on." in text for text in kept)
    assert any("Second." in text for text in kept)
    without(windows, *LOST)


def test_text_in_a_tab_whose_item_was_submitted_in_another_is_kept(
    workbench: Page, annotators: list[User], windows: Windows
) -> None:
    other = second_tab(workbench, windows)
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    call_it_wrong(other)
    press(other, "Control+Enter")
    expect(other.locator(".notice.error")).to_contain_text("already submitted")
    assert other.input_value("#id_reason") == REASON
    state(other, "Saved")
    other.goto("/p/trial/mine/")
    other.get_by_role("link", name="Revise", exact=True).click()
    ready(other)
    assert other.input_value("#id_reason") == REASON
    assert len(labels(annotators[0])) == 1


def log_in(page: Page, name: str) -> None:
    """Log in in a further tab of the same window."""
    tab = page.context.new_page()
    tab.goto("/login/")
    tab.fill("[name=username]", name)
    tab.fill("[name=password]", PASSWORD)
    tab.click("button.primary")
    expect(tab.locator("h1")).to_contain_text("Projects")
    tab.close()


def test_an_ended_session_costs_nothing(workbench: Page, annotators: list[User]) -> None:
    Session.objects.all().delete()
    call_it_wrong(workbench)
    state(workbench, "Your session has ended")
    expect(workbench.locator("#session-ended a")).to_be_visible()
    log_in(workbench, annotators[0].username)
    state(workbench, "Saved")
    expect(workbench.locator("#session-ended")).not_to_be_visible()
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.reason for label in labels(annotators[0])] == [REASON]


def test_a_submission_after_the_session_ended_is_sent_after_the_login(workbench: Page, annotators: list[User]) -> None:
    Session.objects.all().delete()
    press(workbench, "c Control+Enter")
    state(workbench, "Your session has ended")
    assert "Question 0?" in workbench.locator(".problem").inner_text()
    log_in(workbench, annotators[0].username)
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.correct for label in labels(annotators[0])] == [True]


def test_nothing_is_sent_in_the_name_of_whoever_logs_in_next(
    workbench: Page, annotators: list[User], windows: Windows
) -> None:
    Session.objects.all().delete()
    call_it_wrong(workbench)
    state(workbench, "Your session has ended")
    log_in(workbench, annotators[1].username)
    with workbench.expect_response(lambda response: response.status == 403):
        press(workbench, "Control+Enter")
    with workbench.expect_response(lambda response: response.status == 403):
        pass  # the next try
    state(workbench, "Your session has ended")
    expect(workbench.locator("#session-ended")).to_contain_text(f"as {annotators[0].username}")
    assert not Annotation.objects.exists()
    assert not Draft.objects.exists()
    without(windows, "403")


def test_logging_out_at_once_after_typing_loses_nothing(workbench: Page, annotators: list[User]) -> None:
    call_it_wrong(workbench)
    workbench.evaluate("document.querySelector('form[action=\"/logout/\"]').requestSubmit()")
    expect(workbench.locator("h1")).to_contain_text("Log in")
    log_in(workbench, annotators[0].username)
    at_bench(workbench)
    assert workbench.input_value("#id_reason") == REASON
