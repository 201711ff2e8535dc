"""Nothing typed is lost and nothing is submitted twice, whatever network, tabs and sessions do."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, Route, expect

from annotation.models import Annotation, Draft, Project, User
from tests.annotation.bench import (
    REASON,
    at_bench,
    call_it_wrong,
    held_back,
    labels,
    one_save,
    press,
    ready,
    still,
    until,
    without,
)
from tests.browser import Windows
from tests.conftest import PASSWORD

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
LOST = ("net::ERR_", "htmx:sendError", "htmx:afterRequest")  # what browser and htmx say of a lost connection


@pytest.fixture
def ana(project: Project, annotators: list[User], window_of: WindowOf) -> Page:
    """The workbench as the first annotator has it before them."""
    return at_bench(window_of(annotators[0]))


@pytest.fixture
def still_ana(project: Project, annotators: list[User], window_of: WindowOf) -> Page:
    """The same, where time stands still until the test lets it go on."""
    return at_bench(still(window_of(annotators[0])))


def state(page: Page, words: str) -> None:
    """Expect the state of the draft to be said in these words."""
    expect(page.locator("#save-state")).to_contain_text(words)


def second_tab(page: Page, windows: Windows) -> Page:
    tab = page.context.new_page()
    return at_bench(tab)


def answer_lost(route: Route) -> None:
    """Let the server do its work and lose what it says."""
    route.fetch()
    route.abort()


def test_what_is_typed_is_saved_within_two_seconds(still_ana: Page) -> None:
    state(still_ana, "Nothing typed yet")
    call_it_wrong(still_ana)
    state(still_ana, "Saving")
    assert not Draft.objects.exists()
    still_ana.clock.run_for(2_000)
    state(still_ana, "Saved")
    assert Draft.objects.get().content == {
        "correct": "false", "first_error": "1", "placement": "at", "category": "logic", "reason": REASON,
    }  # fmt: skip


def test_a_reload_brings_everything_back(ana: Page) -> None:
    call_it_wrong(ana)
    state(ana, "Saved")
    ana.reload()
    ready(ana)
    assert ana.input_value("#id_reason") == REASON
    expect(ana.locator("#step-1 .which input")).to_be_checked()
    expect(ana.locator("#step-1")).to_be_focused()


def test_saving_is_seen_from_the_first_change_until_all_is_saved(ana: Page) -> None:
    with one_save(ana):
        press(ana, "x")
        state(ana, "Saving")
        call_it_wrong(ana)
        state(ana, "Saving")
    state(ana, "Saved")
    assert Draft.objects.get().content["reason"] == REASON
    ana.keyboard.type(" More.")
    state(ana, "Saving")
    state(ana, "Saved")
    assert Draft.objects.get().content["reason"] == f"{REASON} More."


def test_half_a_minute_without_network_loses_nothing(still_ana: Page, windows: Windows) -> None:
    still_ana.context.set_offline(True)
    call_it_wrong(still_ana, reason="Ten")
    still_ana.clock.run_for(2_000)
    state(still_ana, "Offline; unsent changes: 6")
    still_ana.clock.run_for(30_000)
    still_ana.keyboard.type(" more")
    state(still_ana, "Offline; unsent changes: 11")
    still_ana.context.set_offline(False)
    still_ana.clock.run_for(5_000)
    state(still_ana, "Saved")
    assert Draft.objects.get().content["reason"] == "Ten more"
    without(windows, *LOST)


def test_text_that_never_reached_the_server_survives_a_reload(ana: Page, windows: Windows) -> None:
    ana.route("**/draft/", lambda route: route.abort())
    call_it_wrong(ana)
    state(ana, "Offline")
    ana.evaluate("void (window.fetch = () => Promise.reject())")  # nor does the last attempt of a page that is left
    ana.reload()
    ready(ana)
    assert ana.input_value("#id_reason") == REASON
    assert not Draft.objects.exists()
    ana.unroute("**/draft/")
    state(ana, "Saved")
    assert Draft.objects.get().content["reason"] == REASON
    without(windows, *LOST)


def test_leaving_at_once_after_typing_loses_nothing(ana: Page) -> None:
    call_it_wrong(ana)
    ana.goto("/p/trial/mine/")
    at_bench(ana)
    assert ana.input_value("#id_reason") == REASON
    state(ana, "Saved")


def arrived(page: Page, reason: str) -> None:
    """Wait until the server has a draft with this reason."""
    until(page, lambda: Draft.objects.filter(content__reason=reason).exists())


def test_a_lost_answer_to_a_save_is_no_conflict(ana: Page, windows: Windows) -> None:
    ana.route("**/draft/", answer_lost)
    call_it_wrong(ana)
    arrived(ana, REASON)
    state(ana, "Offline")
    ana.keyboard.type(" And so on.")
    ana.unroute("**/draft/")
    state(ana, "Saved")
    expect(ana.locator("#conflict")).not_to_be_visible()
    assert Draft.objects.get().content["reason"] == f"{REASON} And so on."
    without(windows, "409", *LOST)


def test_a_lost_answer_to_a_save_is_no_conflict_after_a_reload_either(ana: Page, windows: Windows) -> None:
    ana.route("**/draft/", answer_lost)
    call_it_wrong(ana)
    arrived(ana, REASON)
    state(ana, "Offline")
    ana.route("**/draft/", lambda route: route.abort())
    ana.keyboard.type(" And so on.")
    ana.unroute("**/draft/")
    ana.reload()
    ready(ana)
    state(ana, "Saved")
    expect(ana.locator("#conflict")).not_to_be_visible()
    assert Draft.objects.get().content["reason"] == f"{REASON} And so on."
    without(windows, "409", *LOST)


@pytest.fixture
def two_tabs(ana: Page, windows: Windows) -> tuple[Page, Page]:
    """Two tabs with the same item; the first one has saved, the second has not seen it."""
    other = second_tab(ana, windows)
    call_it_wrong(ana, reason="Written first.")
    state(ana, "Saved")
    return ana, other


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


@pytest.mark.parametrize(("button", "kept"), [("#keep-mine", "Written second."), ("#take-theirs", "Written first.")])
def test_one_chooses_which_text_is_kept(two_tabs: tuple[Page, Page], windows: Windows, button: str, kept: str) -> None:
    _first, other = two_tabs
    with one_save(other):
        call_it_wrong(other, "e 1 r", "Written second.")
    other.click(button)
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
    ana: Page, annotators: list[User], windows: Windows
) -> None:
    other = second_tab(ana, windows)
    press(ana, "c Control+Enter")
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
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


def test_a_submission_without_network_is_sent_once_it_is_back(
    ana: Page, annotators: list[User], windows: Windows
) -> None:
    call_it_wrong(ana)
    state(ana, "Saved")
    ana.context.set_offline(True)
    press(ana, "Control+Enter")
    state(ana, "Not sent yet")
    assert ana.input_value("#id_reason") == REASON
    ana.context.set_offline(False)
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert [label.reason for label in labels(annotators[0])] == [REASON]
    assert not Draft.objects.exists()
    without(windows, *LOST)


def test_a_submission_whose_answer_was_lost_is_stored_once(ana: Page, windows: Windows) -> None:
    ana.route("**/label/", lambda route: answer_lost(route) if route.request.method == "POST" else route.continue_())
    press(ana, "c Control+Enter")
    state(ana, "Not sent yet")
    assert Annotation.objects.count() == 1
    ana.unroute("**/label/")
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert Annotation.objects.count() == 1
    without(windows, *LOST)


def test_text_changed_after_a_lost_answer_is_not_swallowed(
    still_ana: Page, annotators: list[User], windows: Windows
) -> None:
    ana = still_ana  # or the next try comes before the change
    ana.route("**/label/", lambda route: answer_lost(route) if route.request.method == "POST" else route.continue_())
    call_it_wrong(ana)
    press(ana, "Control+Enter")
    state(ana, "Not sent yet")
    ana.unroute("**/label/")
    ana.keyboard.type(" One thing more.")
    ana.clock.run_for(5_000)
    state(ana, "Saved")
    press(ana, "Control+Enter")
    expect(ana.locator(".notice.error")).to_contain_text("already submitted")
    assert ana.input_value("#id_reason") == f"{REASON} One thing more."
    assert [label.reason for label in labels(annotators[0])] == [REASON]
    without(windows, *LOST)


def test_a_failing_server_is_asked_again(ana: Page, windows: Windows) -> None:
    ana.route("**/label/", lambda route: route.fulfill(status=502, body="Bad gateway"))
    press(ana, "c Control+Enter")
    state(ana, "Not sent yet")
    ana.unroute("**/label/")
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert Annotation.objects.count() == 1
    without(windows, "502")


def test_nothing_is_typed_into_a_form_that_is_on_its_way(ana: Page, windows: Windows) -> None:
    waiting = held_back(ana, "**/label/")
    call_it_wrong(ana)
    press(ana, "Control+Enter")
    expect(ana.locator("form.work[inert]")).to_have_count(1)
    until(ana, lambda: waiting)
    ana.keyboard.type("lost?")
    waiting[0].abort()
    state(ana, "Not sent yet")
    assert ana.input_value("#id_reason") == REASON
    expect(ana.locator("#id_reason")).to_be_focused()
    without(windows, *LOST)


def log_in(page: Page, name: str) -> None:
    """Log in in a further tab of the same window."""
    tab = page.context.new_page()
    tab.goto("/login/")
    tab.fill("[name=username]", name)
    tab.fill("[name=password]", PASSWORD)
    tab.click("button.primary")
    expect(tab.locator("h1")).to_contain_text("Projects")
    tab.close()


def test_an_ended_session_costs_nothing(ana: Page, annotators: list[User]) -> None:
    Session.objects.all().delete()
    call_it_wrong(ana)
    state(ana, "Your session has ended")
    expect(ana.locator("#session-ended a")).to_be_visible()
    log_in(ana, annotators[0].username)
    state(ana, "Saved")
    expect(ana.locator("#session-ended")).not_to_be_visible()
    press(ana, "Control+Enter")
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert [label.reason for label in labels(annotators[0])] == [REASON]


def test_a_submission_after_the_session_ended_is_sent_after_the_login(ana: Page, annotators: list[User]) -> None:
    Session.objects.all().delete()
    press(ana, "c Control+Enter")
    state(ana, "Your session has ended")
    assert "Question 0?" in ana.locator(".problem").inner_text()
    log_in(ana, annotators[0].username)
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert [label.correct for label in labels(annotators[0])] == [True]


def test_nothing_is_sent_in_the_name_of_whoever_logs_in_next(
    ana: Page, annotators: list[User], windows: Windows
) -> None:
    Session.objects.all().delete()
    call_it_wrong(ana)
    state(ana, "Your session has ended")
    log_in(ana, annotators[1].username)
    with ana.expect_response(lambda response: response.status == 403):
        press(ana, "Control+Enter")
    with ana.expect_response(lambda response: response.status == 403):
        pass  # the next try
    state(ana, "Your session has ended")
    expect(ana.locator("#session-ended")).to_contain_text(f"as {annotators[0].username}")
    assert not Annotation.objects.exists()
    assert not Draft.objects.exists()
    without(windows, "403")


def test_logging_out_at_once_after_typing_loses_nothing(ana: Page, annotators: list[User]) -> None:
    call_it_wrong(ana)
    ana.evaluate("document.querySelector('form[action=\"/logout/\"]').requestSubmit()")
    expect(ana.locator("h1")).to_contain_text("Log in")
    log_in(ana, annotators[0].username)
    at_bench(ana)
    assert ana.input_value("#id_reason") == REASON


def test_what_the_server_refuses_is_said_and_kept(ana: Page, windows: Windows) -> None:
    ana.route("**/draft/", lambda route: route.fulfill(status=400, json={"detail": "This is no draft."}))
    call_it_wrong(ana)
    state(ana, "The server does not take this")
    assert ana.input_value("#id_reason") == REASON
    without(windows, "400")


def test_ctrl_s_saves_at_once(still_ana: Page) -> None:
    call_it_wrong(still_ana)
    assert not Draft.objects.exists()
    press(still_ana, "Control+s")
    still_ana.clock.run_for(1)
    state(still_ana, "Saved")
    assert Draft.objects.get().content["reason"] == REASON


def test_the_key_of_the_form_is_its_own_each_time(ana: Page) -> None:
    def key() -> Any:
        return ana.input_value("form.work [name=key]")

    first = key()
    press(ana, "Control+Enter")
    expect(ana.locator("#workbench .errorlist")).to_be_visible()
    assert key() == first
    press(ana, "c Control+Enter")
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert key() != first
