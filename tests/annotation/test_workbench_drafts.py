"""What is typed is saved, whatever network and server do."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Error, Page, expect

from annotation.models import Draft, Project, User
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


def test_a_tab_that_dies_between_two_saves_loses_nothing(still_ana: Page) -> None:
    call_it_wrong(still_ana)
    with pytest.raises(Error, match="crash"):
        still_ana.goto("chrome://crash", timeout=15_000)
    assert not Draft.objects.exists()
    still_ana.close()
    other = at_bench(still_ana.context.new_page())
    assert other.input_value("#id_reason") == REASON
    other.clock.run_for(2_000)
    state(other, "Saved")


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
