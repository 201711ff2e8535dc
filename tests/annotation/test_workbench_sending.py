"""A submission arrives once, whatever network and server do."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Draft, Project, User
from tests.annotation.bench import (
    LOST,
    REASON,
    answer_lost,
    at_bench,
    call_it_wrong,
    held_back,
    labels,
    press,
    state,
    still,
    until,
    without,
)
from tests.browser import Windows

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


@pytest.fixture
def ana(project: Project, annotators: list[User], window_of: WindowOf) -> Page:
    """The workbench as the first annotator has it before them."""
    return at_bench(window_of(annotators[0]))


@pytest.fixture
def still_ana(project: Project, annotators: list[User], window_of: WindowOf) -> Page:
    """The same, where time stands still until the test lets it go on."""
    return at_bench(still(window_of(annotators[0])))


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
