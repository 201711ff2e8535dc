"""A submission arrives once, whatever network and server do."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Draft, User
from tests.annotation.bench import (
    LOST,
    REASON,
    answer_lost,
    call_it_wrong,
    held_back,
    labels,
    press,
    state,
    until,
    without,
)
from tests.browser import Windows

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


def test_a_submission_without_network_is_sent_once_it_is_back(
    workbench: Page, annotators: list[User], windows: Windows
) -> None:
    call_it_wrong(workbench)
    state(workbench, "Saved")
    workbench.context.set_offline(True)
    press(workbench, "Control+Enter")
    state(workbench, "Not sent yet")
    assert workbench.input_value("#id_reason") == REASON
    workbench.context.set_offline(False)
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.reason for label in labels(annotators[0])] == [REASON]
    assert not Draft.objects.exists()
    without(windows, *LOST)


def test_a_submission_whose_answer_was_lost_is_stored_once(workbench: Page, windows: Windows) -> None:
    workbench.route(
        "**/label/", lambda route: answer_lost(route) if route.request.method == "POST" else route.continue_()
    )
    press(workbench, "c Control+Enter")
    state(workbench, "Not sent yet")
    assert Annotation.objects.count() == 1
    workbench.unroute("**/label/")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert Annotation.objects.count() == 1
    without(windows, *LOST)


def test_text_changed_after_a_lost_answer_is_not_swallowed(
    still_workbench: Page, annotators: list[User], windows: Windows
) -> None:
    workbench = still_workbench  # or the next try comes before the change
    workbench.route(
        "**/label/", lambda route: answer_lost(route) if route.request.method == "POST" else route.continue_()
    )
    call_it_wrong(workbench)
    press(workbench, "Control+Enter")
    state(workbench, "Not sent yet")
    workbench.unroute("**/label/")
    workbench.keyboard.type(" One thing more.")
    workbench.clock.run_for(5_000)
    state(workbench, "Saved")
    press(workbench, "Control+Enter")
    expect(workbench.locator(".notice.error")).to_contain_text("already submitted")
    assert workbench.input_value("#id_reason") == f"{REASON} One thing more."
    assert [label.reason for label in labels(annotators[0])] == [REASON]
    without(windows, *LOST)


def test_a_failing_server_is_asked_again(workbench: Page, windows: Windows) -> None:
    workbench.route("**/label/", lambda route: route.fulfill(status=502, body="Bad gateway"))
    press(workbench, "c Control+Enter")
    state(workbench, "Not sent yet")
    workbench.unroute("**/label/")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert Annotation.objects.count() == 1
    without(windows, "502")


def test_nothing_is_typed_into_a_form_that_is_on_its_way(workbench: Page, windows: Windows) -> None:
    waiting = held_back(workbench, "**/label/")
    call_it_wrong(workbench)
    press(workbench, "Control+Enter")
    expect(workbench.locator("form.work[inert]")).to_have_count(1)
    until(workbench, lambda: waiting)
    workbench.keyboard.type("lost?")
    waiting[0].abort()
    state(workbench, "Not sent yet")
    assert workbench.input_value("#id_reason") == REASON
    expect(workbench.locator("#id_reason")).to_be_focused()
    without(windows, *LOST)


def test_the_key_of_the_form_is_its_own_each_time(workbench: Page) -> None:
    def key() -> Any:
        return workbench.input_value("form.work [name=key]")

    first = key()
    press(workbench, "Control+Enter")
    expect(workbench.locator("#workbench .errorlist")).to_be_visible()
    assert key() == first
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert key() != first
