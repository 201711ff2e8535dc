"""What is typed is saved, whatever network and server do."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Error, Page, expect

from annotation.models import Draft
from tests.annotation.bench import (
    LOST,
    REASON,
    answer_lost,
    at_bench,
    call_it_wrong,
    one_save,
    press,
    ready,
    state,
    until,
    without,
)
from tests.browser import Windows

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


def test_what_is_typed_is_saved_within_two_seconds(still_workbench: Page) -> None:
    state(still_workbench, "Nothing typed yet")
    call_it_wrong(still_workbench)
    state(still_workbench, "Saving")
    assert not Draft.objects.exists()
    still_workbench.clock.run_for(2_000)
    state(still_workbench, "Saved")
    assert Draft.objects.get().content == {
        "correct": "false", "first_error": "1", "placement": "at", "category": "logic", "reason": REASON,
    }  # fmt: skip


def test_a_reload_brings_everything_back(workbench: Page) -> None:
    call_it_wrong(workbench)
    state(workbench, "Saved")
    workbench.reload()
    ready(workbench)
    assert workbench.input_value("#id_reason") == REASON
    expect(workbench.locator("#step-1 .which input")).to_be_checked()
    expect(workbench.locator("#step-1")).to_be_focused()


def test_saving_is_seen_from_the_first_change_until_all_is_saved(workbench: Page) -> None:
    with one_save(workbench):
        press(workbench, "x")
        state(workbench, "Saving")
        call_it_wrong(workbench)
        state(workbench, "Saving")
    state(workbench, "Saved")
    assert Draft.objects.get().content["reason"] == REASON
    workbench.keyboard.type(" More.")
    state(workbench, "Saving")
    state(workbench, "Saved")
    assert Draft.objects.get().content["reason"] == f"{REASON} More."


def test_half_a_minute_without_network_loses_nothing(still_workbench: Page, windows: Windows) -> None:
    still_workbench.context.set_offline(True)
    call_it_wrong(still_workbench, reason="Ten")
    still_workbench.clock.run_for(2_000)
    state(still_workbench, "Offline; unsent changes: 6")
    still_workbench.clock.run_for(30_000)
    still_workbench.keyboard.type(" more")
    state(still_workbench, "Offline; unsent changes: 11")
    still_workbench.context.set_offline(False)
    still_workbench.clock.run_for(5_000)
    state(still_workbench, "Saved")
    assert Draft.objects.get().content["reason"] == "Ten more"
    without(windows, *LOST)


def test_text_that_never_reached_the_server_survives_a_reload(workbench: Page, windows: Windows) -> None:
    workbench.route("**/draft/", lambda route: route.abort())
    call_it_wrong(workbench)
    state(workbench, "Offline")
    workbench.evaluate(
        "void (window.fetch = () => Promise.reject())"
    )  # nor does the last attempt of a page that is left
    workbench.reload()
    ready(workbench)
    assert workbench.input_value("#id_reason") == REASON
    assert not Draft.objects.exists()
    workbench.unroute("**/draft/")
    state(workbench, "Saved")
    assert Draft.objects.get().content["reason"] == REASON
    without(windows, *LOST)


def test_a_tab_that_dies_between_two_saves_loses_nothing(still_workbench: Page) -> None:
    call_it_wrong(still_workbench)
    with pytest.raises(Error, match="crash"):
        still_workbench.goto("chrome://crash", timeout=15_000)
    assert not Draft.objects.exists()
    still_workbench.close()
    other = at_bench(still_workbench.context.new_page())
    assert other.input_value("#id_reason") == REASON
    other.clock.run_for(2_000)
    state(other, "Saved")


def test_leaving_at_once_after_typing_loses_nothing(workbench: Page) -> None:
    call_it_wrong(workbench)
    workbench.goto("/p/trial/mine/")
    at_bench(workbench)
    assert workbench.input_value("#id_reason") == REASON
    state(workbench, "Saved")


def arrived(page: Page, reason: str) -> None:
    """Wait until the server has a draft with this reason."""
    until(page, lambda: Draft.objects.filter(content__reason=reason).exists())


def test_a_lost_answer_to_a_save_is_no_conflict(workbench: Page, windows: Windows) -> None:
    workbench.route("**/draft/", answer_lost)
    call_it_wrong(workbench)
    arrived(workbench, REASON)
    state(workbench, "Offline")
    workbench.keyboard.type(" And so on.")
    workbench.unroute("**/draft/")
    state(workbench, "Saved")
    expect(workbench.locator("#conflict")).not_to_be_visible()
    assert Draft.objects.get().content["reason"] == f"{REASON} And so on."
    without(windows, "409", *LOST)


def test_a_lost_answer_to_a_save_is_no_conflict_after_a_reload_either(workbench: Page, windows: Windows) -> None:
    workbench.route("**/draft/", answer_lost)
    call_it_wrong(workbench)
    arrived(workbench, REASON)
    state(workbench, "Offline")
    workbench.route("**/draft/", lambda route: route.abort())
    workbench.keyboard.type(" And so on.")
    workbench.unroute("**/draft/")
    workbench.reload()
    ready(workbench)
    state(workbench, "Saved")
    expect(workbench.locator("#conflict")).not_to_be_visible()
    assert Draft.objects.get().content["reason"] == f"{REASON} And so on."
    without(windows, "409", *LOST)


def test_what_the_server_refuses_is_said_and_kept(workbench: Page, windows: Windows) -> None:
    workbench.route("**/draft/", lambda route: route.fulfill(status=400, json={"detail": "This is no draft."}))
    call_it_wrong(workbench)
    state(workbench, "The server does not take this")
    assert workbench.input_value("#id_reason") == REASON
    without(windows, "400")


def test_ctrl_s_saves_at_once(still_workbench: Page) -> None:
    call_it_wrong(still_workbench)
    assert not Draft.objects.exists()
    press(still_workbench, "Control+s")
    still_workbench.clock.run_for(1)
    state(still_workbench, "Saved")
    assert Draft.objects.get().content["reason"] == REASON
