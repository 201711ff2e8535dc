"""A reservation is seen, kept by work, given back, warned of, and its end costs no text."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.assignments import claim_next
from annotation.models import Annotation, Assignment, Draft, Project, User
from tests.annotation.bench import REASON, at_bench, call_it_wrong, held, labels, press, ready, still
from tests.browser import Windows

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
MINUTE = 60_000


@pytest.fixture
def one(make_project: Callable[..., Project]) -> Project:
    """A campaign with one item for one annotator."""
    return make_project(1, overlap=1, lease_minutes=20)


@pytest.fixture
def ana(one: Project, annotators: list[User], window_of: WindowOf) -> Page:
    """The workbench of the first annotator, with a clock that the test moves."""
    return at_bench(still(window_of(annotators[0])))


def lease(page: Page, words: str) -> None:
    expect(page.locator("#lease-state")).to_contain_text(words)


def shorten(annotator: User, minutes: int) -> None:
    """Let the lease end sooner, as if it had been taken earlier."""
    ends = timezone.now() + timedelta(minutes=minutes)
    Assignment.objects.filter(annotator=annotator, submitted_at=None).update(lease_ends_at=ends)


def test_the_page_says_until_when_the_item_is_reserved(ana: Page, annotators: list[User]) -> None:
    ends = held(annotators[0]).lease_ends_at
    assert ends is not None
    lease(ana, f"reserved until {timezone.localtime(ends):%H:%M}")


def test_reading_keeps_the_reservation(ana: Page, annotators: list[User]) -> None:
    shorten(annotators[0], 10)
    before = held(annotators[0]).lease_ends_at
    with ana.expect_response("**/lease/"):
        ana.clock.run_for(31_000)
    after = held(annotators[0]).lease_ends_at
    assert before is not None
    assert after is not None
    assert after - before > timedelta(minutes=9)


def test_somebody_who_is_away_does_not_keep_it(ana: Page, annotators: list[User]) -> None:
    ana.evaluate(
        "() => { const own = fetch; window.asked = 0; fetch = (...what) => { asked += 1; return own(...what) } }"
    )
    ana.clock.run_for(12 * MINUTE)
    assert ana.evaluate("asked") <= 2  # in the first minute, in which one may still be reading


def test_the_page_warns_before_the_end_and_says_when_it_has_come(ana: Page) -> None:
    ana.clock.fast_forward(16 * MINUTE)
    ana.clock.run_for(30_000)
    lease(ana, "reservation ends at")
    ana.clock.fast_forward(5 * MINUTE)
    ana.clock.run_for(30_000)
    lease(ana, "reservation ended; your text is kept")


def test_the_shortest_lease_is_not_one_long_warning(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf
) -> None:
    make_project(1, lease_minutes=5)
    page = at_bench(window_of(annotators[0]))
    lease(page, "reserved until")


def test_skipping_gives_the_item_back(ana: Page, one: Project, annotators: list[User]) -> None:
    press(ana, "s")
    expect(ana.locator("#aside-panel textarea")).to_be_focused()
    ana.keyboard.type("Not mine.")
    press(ana, "Control+Enter")
    expect(ana.locator("h1")).to_contain_text("Nothing to label")
    expect(ana.locator("#workbench")).to_contain_text("Only items you skipped are left")
    assert claim_next(annotators[1], one).lease_ends_at is not None


def test_logging_out_gives_the_item_back(ana: Page, one: Project, annotators: list[User]) -> None:
    call_it_wrong(ana)
    ana.clock.run_for(1_000)
    expect(ana.locator("#save-state")).to_contain_text("Saved")
    ana.get_by_role("button", name="Log out").click()
    expect(ana.locator("h1")).to_contain_text("Log in")
    assert not Assignment.objects.exclude(annotator=None).exists()
    assert Draft.objects.get().content["reason"] == REASON
    claim_next(annotators[1], one)


def end_of_lease(annotator: User) -> None:
    shorten(annotator, -1)


def test_work_after_the_end_is_submitted_while_nobody_else_has_the_item(ana: Page, annotators: list[User]) -> None:
    end_of_lease(annotators[0])
    call_it_wrong(ana)
    press(ana, "Control+Enter")
    expect(ana.locator("h1")).to_contain_text("Nothing to label")
    assert [label.reason for label in labels(annotators[0])] == [REASON]


def test_going_on_after_the_end_takes_the_item_again(ana: Page, annotators: list[User]) -> None:
    end_of_lease(annotators[0])
    call_it_wrong(ana)
    ana.clock.run_for(1_000)
    expect(ana.locator("#save-state")).to_contain_text("Saved")
    ends = held(annotators[0]).lease_ends_at
    assert ends is not None
    assert ends > timezone.now()


def test_text_for_an_item_that_somebody_else_took_is_kept(
    ana: Page, one: Project, annotators: list[User], windows: Windows
) -> None:
    end_of_lease(annotators[0])
    taken = claim_next(annotators[1], one)
    call_it_wrong(ana)
    ana.clock.run_for(1_000)
    expect(ana.locator("#save-state")).to_contain_text("Saved")
    lease(ana, "reservation ended; your text is kept")
    press(ana, "Control+Enter")
    expect(ana.locator(".notice.error")).to_contain_text("somebody else has taken this item")
    assert ana.input_value("#id_reason") == REASON
    assert Draft.objects.get(annotator=annotators[0]).content["reason"] == REASON
    Assignment.objects.filter(pk=taken.pk).update(annotator=None, lease_ends_at=None)
    press(ana, "Control+Enter")
    expect(ana.locator("h1")).to_contain_text("Nothing to label")
    assert [label.reason for label in labels(annotators[0])] == [REASON]


def test_a_revision_holds_no_lease(ana: Page, annotators: list[User]) -> None:
    press(ana, "c Control+Enter")
    expect(ana.locator("h1")).to_contain_text("Nothing to label")
    press(ana, "Control+z")
    ready(ana)
    expect(ana.locator(".bench-status")).to_contain_text("Revising")
    expect(ana.locator("#lease-state")).to_have_count(0)
    assert not Assignment.objects.filter(submitted_at=None).exists()


def seconds(page: Page, annotator: User) -> int:
    press(page, "c Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    return Annotation.objects.get(assignment__annotator=annotator).active_seconds


def test_seconds_at_work_are_counted(ana: Page, annotators: list[User]) -> None:
    for _n in range(4):
        ana.clock.fast_forward(40_000)
        press(ana, "j")
    assert seconds(ana, annotators[0]) == 160


def test_idle_time_is_not_counted(ana: Page, annotators: list[User]) -> None:
    ana.clock.fast_forward(40_000)
    press(ana, "j")
    ana.clock.fast_forward(10 * MINUTE)
    press(ana, "j")
    assert seconds(ana, annotators[0]) == 40


def test_time_in_another_tab_is_not_counted(ana: Page, annotators: list[User]) -> None:
    show = """(state) => { Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
        document.dispatchEvent(new Event("visibilitychange")) }"""
    ana.clock.fast_forward(20_000)
    ana.evaluate(show, "hidden")
    ana.clock.fast_forward(50_000)
    ana.evaluate(show, "visible")
    assert seconds(ana, annotators[0]) == 20


def test_time_before_a_reload_is_counted(ana: Page, annotators: list[User]) -> None:
    ana.clock.fast_forward(50_000)
    press(ana, "j")
    ana.reload()
    ready(ana)
    assert seconds(ana, annotators[0]) == 50


def test_no_clock_and_no_pressure_is_on_the_page(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf
) -> None:
    make_project(2, daily_goal=2)
    page = at_bench(window_of(annotators[0]))
    expect(page.locator(".closing")).to_contain_text("0 of 2 today.")
    press(page, "c Control+Enter")
    expect(page.locator(".closing")).to_contain_text("1 of 2 today.")
    assert not [word for word in ("second", "streak", "behind", "hurry") if word in page.locator("main").inner_text()]
