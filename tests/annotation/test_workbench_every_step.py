"""Where every step is labelled: keys for each mark, the first error derived, and the three ways on after it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Project, User
from tests.annotation.bench import REASON, at_bench, focus, labels, press, ready

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
AtBench = Callable[..., Page]


@pytest.fixture
def bench(make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf) -> AtBench:
    """Open the workbench of a campaign that labels every step of solutions of five parts."""

    def opened(after_error: str) -> Page:
        make_project(2, every_step=True, after_error=after_error, overlap=1)
        return at_bench(window_of(annotators[0]))

    return opened


def marks(page: Page) -> list[str]:
    """The value of each step's mark in order, empty where there is none."""
    return list(
        page.evaluate("[...document.querySelectorAll('.step')].map((s) => s.querySelector(':checked')?.value ?? '')")
    )


def stored(annotator: User) -> list[tuple[int, int]]:
    return list(labels(annotator)[-1].step_labels.values_list("position", "value"))


def explain(page: Page) -> None:
    press(page, "w 2 r")
    page.keyboard.type(REASON)
    press(page, "Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 1?")


def test_a_mark_takes_the_hand_to_the_next_step(bench: AtBench) -> None:
    page = bench("labelled")
    places = []
    for key in ("1", "2", "k", "3", "u", "j"):
        press(page, key)
        places.append((focus(page), "".join(f"{mark:>3}" for mark in marks(page)).split()))
    assert places == [
        ("step-1", ["1"]),
        ("step-2", ["1", "0"]),
        ("step-1", ["1", "0"]),
        ("step-2", ["1", "-1"]),
        ("step-2", ["1", "-1"]),
        ("step-3", ["1", "-1"]),
    ]


def test_signs_are_keys_as_well_and_a_mark_can_be_taken_away(bench: AtBench) -> None:
    page = bench("labelled")
    press(page, "+ 0 -")
    assert marks(page) == ["1", "0", "-1", ""]
    press(page, "k u")
    assert marks(page) == ["1", "0", "", ""]
    expect(page.locator(".only-incorrect")).not_to_be_visible()


def test_all_correct_takes_one_key_and_submit(bench: AtBench, annotators: list[User]) -> None:
    page = bench("unlabelled")
    press(page, "a Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 1?")
    label = labels(annotators[0])[0]
    assert (label.correct, label.first_error) == (True, None)
    assert stored(annotators[0]) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_the_rest_keeps_what_was_marked_before(bench: AtBench, annotators: list[User]) -> None:
    page = bench("labelled")
    press(page, "1 2 a")
    assert marks(page) == ["1", "0", "1", "1"]
    press(page, "Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 1?")
    assert labels(annotators[0])[0].correct is True


def test_steps_after_the_first_error_stay_unlabelled(bench: AtBench, annotators: list[User]) -> None:
    page = bench("unlabelled")
    press(page, "1 3")
    assert focus(page) == "step-1"
    expect(page.locator("#chosen")).to_have_text("Step 2")
    press(page, "j 1 a")
    assert marks(page) == ["1", "-1", "", ""]
    explain(page)
    label = labels(annotators[0])[0]
    assert (label.correct, label.first_error, label.category) == (False, 1, "logic")
    assert stored(annotators[0]) == [(0, 1), (1, -1)]


def test_a_mark_after_an_error_found_later_does_not_count(bench: AtBench, annotators: list[User]) -> None:
    page = bench("unlabelled")
    press(page, "a j 3")
    expect(page.locator("#chosen")).to_have_text("Step 2")
    explain(page)
    assert stored(annotators[0]) == [(0, 1), (1, -1)]


def test_steps_after_the_first_error_are_labelled_like_the_others(bench: AtBench, annotators: list[User]) -> None:
    page = bench("labelled")
    press(page, "1 3 2 3")
    expect(page.locator("#chosen")).to_have_text("Step 2")
    press(page, "4")
    assert marks(page) == ["1", "-1", "0", "-1"]
    explain(page)
    assert labels(annotators[0])[0].first_error == 1
    assert stored(annotators[0]) == [(0, 1), (1, -1), (2, 0), (3, -1)]


def test_a_later_step_can_realise_the_error(bench: AtBench, annotators: list[User]) -> None:
    page = bench("realisation")
    expect(page.locator(".keys-line")).to_contain_text("4 realises the error")
    press(page, "1 3 4 1")
    explain(page)
    assert labels(annotators[0])[0].first_error == 1
    assert stored(annotators[0]) == [(0, 1), (1, -1), (2, 2), (3, 1)]


def test_nothing_before_the_error_can_realise_it(bench: AtBench, annotators: list[User]) -> None:
    page = bench("realisation")
    press(page, "4 3 1 1 w 2 r")
    page.keyboard.type(REASON)
    press(page, "Control+Enter")
    expect(page.locator("#workbench .errorlist")).to_contain_text("Only a step after the first error can realise it")
    assert labels(annotators[0]) == []
    assert marks(page) == ["2", "-1", "1", "1"]


def test_what_is_not_marked_is_named_and_reached(bench: AtBench) -> None:
    page = bench("labelled")
    press(page, "1 j 1 1 Control+Enter")
    expect(page.locator("#workbench .errorlist")).to_contain_text("2")
    assert focus(page) == "step-1"


def test_marks_come_back_after_a_reload(bench: AtBench) -> None:
    page = bench("labelled")
    press(page, "1 2 3")
    expect(page.locator("#save-state")).to_contain_text("Saved")
    page.reload()
    ready(page)
    assert marks(page) == ["1", "0", "-1", ""]
    expect(page.locator(".only-incorrect")).to_be_visible()


def test_a_doubt_follows_the_derived_step(bench: AtBench) -> None:
    page = bench("unlabelled")
    press(page, "1 3 r")
    page.keyboard.type("What step 1 says is wrong.")
    expect(page.locator("#preview-reason .notice")).to_contain_text("You chose Step 2, but write of Step 1.")


def test_digits_choose_a_category_only_while_the_hand_is_there(bench: AtBench) -> None:
    page = bench("labelled")
    press(page, "1 3 w 4")
    expect(page.locator("#why :checked")).to_have_value("misread")
    assert marks(page) == ["1", "-1", "", ""]
