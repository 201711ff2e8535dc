"""A day at the workbench without a mouse: every act has a key, and the focus is where the hand expects it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Project, User
from annotation.verdicts import Verdict
from tests.annotation.bench import REASON, at_bench, call_it_wrong, focus, labels, press, question, ready, take_in_text

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


def composing(page: Page, key: str) -> None:
    """What an input method sends while a word is being put together."""
    page.evaluate(
        """(key) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, isComposing: true}))""",
        key,
    )


def test_a_correct_solution_takes_one_key_and_submit(workbench: Page, annotators: list[User]) -> None:
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.verdict for label in labels(annotators[0])] == [Verdict(correct=True)]


def test_an_incorrect_one_takes_step_category_reason_and_submit(workbench: Page, annotators: list[User]) -> None:
    call_it_wrong(workbench)
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.verdict for label in labels(annotators[0])] == [
        Verdict(correct=False, first_error=1, category="logic", reason=REASON)
    ]


def test_something_can_be_missing_before_a_step(workbench: Page, annotators: list[User]) -> None:
    call_it_wrong(workbench, "j j m 5 r")
    press(workbench, "Escape t")
    workbench.keyboard.type("Add the missing case.")
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    verdict = labels(annotators[0])[0].verdict
    assert (verdict.first_error, verdict.placement, verdict.category) == (2, "before", "missing-case")
    assert verdict.rectified == "Add the missing case."


def test_at_the_step_and_before_it_have_a_key_each(workbench: Page) -> None:
    press(workbench, "j m")
    expect(workbench.locator("#placement-before")).to_be_checked()
    press(workbench, "e")
    expect(workbench.locator("#placement-at")).to_be_checked()
    expect(workbench.locator("#chosen")).to_have_text("Step 2")


def test_every_control_of_the_form_shows_its_key(workbench: Page) -> None:
    press(workbench, "x")
    shown = workbench.locator(".questions :is(label:not(:has(textarea)), button, .actions a):not(:has(kbd))")
    assert shown.all_inner_texts() == []


def test_the_reference_solution_has_a_key(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf
) -> None:
    take_in_text(make_project(0, show_reference=True), ["One."], reference_solution="As everyone knows.")
    page = at_bench(window_of(annotators[0]))
    for seen in (True, False):
        press(page, "o")
        expect(page.get_by_text("As everyone knows.")).to_be_visible(visible=seen)
    press(page, "?")
    expect(page.locator("#keys")).to_contain_text("reference solution")


def test_steps_are_walked_by_letters_and_by_arrows(workbench: Page) -> None:
    assert focus(workbench) == "step-0"
    places = []
    for key in ("j", "ArrowDown", "j", "j", "k", "ArrowUp", "k", "k"):
        press(workbench, key)
        places.append(focus(workbench))
    assert places == ["step-1", "step-2", "step-3", "step-3", "step-2", "step-1", "step-0", "step-0"]


def test_tab_leads_from_the_step_in_hand_to_the_questions(workbench: Page) -> None:
    press(workbench, "j Tab Tab")
    assert workbench.evaluate("document.activeElement.name") == "correct"
    press(workbench, "j")
    assert focus(workbench) == "step-1"


def test_the_focus_is_always_seen(workbench: Page) -> None:
    call_it_wrong(workbench)
    for key in ("Escape", "x", *["Tab"] * 12):
        press(workbench, key)
        seen = workbench.evaluate(
            """() => { const at = document.activeElement;
            const shown = at.closest("label") ?? at;
            return at === document.body || [at, shown].some((each) => getComputedStyle(each).outlineStyle !== "none"
                && getComputedStyle(each).outlineWidth !== "0px") }"""
        )
        assert seen, f"after {key}: {workbench.evaluate('document.activeElement.outerHTML')}"


@pytest.mark.parametrize("key", ["c", "x", "a", "e", "m", "1", "s", "f", "g", "v", "?", "j", "h", "u"])
def test_keys_are_letters_while_one_writes(workbench: Page, key: str) -> None:
    call_it_wrong(workbench, reason="")
    before = workbench.evaluate("[...new FormData(document.querySelector('form.work'))].length")
    press(workbench, key)
    assert workbench.input_value("#id_reason") == key
    assert focus(workbench) == "id_reason"
    assert workbench.evaluate("[...new FormData(document.querySelector('form.work'))].length") == before
    expect(workbench.locator("#correct-false")).to_be_checked()
    expect(workbench.locator("#step-1 .which input")).to_be_checked()
    expect(workbench.locator("dialog[open]")).to_have_count(0)


def test_keys_of_an_input_method_do_nothing(workbench: Page) -> None:
    for key in ("c", "x", "e", "g", "s", "j", "Enter"):
        composing(workbench, key)
    expect(workbench.locator("form.work :checked")).to_have_count(1)  # the placement, which has a value from the start
    expect(workbench.locator("dialog[open]")).to_have_count(0)
    assert focus(workbench) == "step-0"


def test_a_confirming_enter_of_an_input_method_does_not_submit(workbench: Page, annotators: list[User]) -> None:
    call_it_wrong(workbench)
    workbench.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true, isComposing: true}))"""
    )
    workbench.wait_for_timeout(300)
    assert labels(annotators[0]) == []
    assert "Question 0?" in question(workbench)


def test_escape_leaves_the_text_for_the_chosen_step(workbench: Page) -> None:
    call_it_wrong(workbench)
    press(workbench, "Escape")
    assert focus(workbench) == "step-1"
    assert workbench.input_value("#id_reason") == REASON


def test_the_focus_goes_to_what_is_missing(workbench: Page) -> None:
    press(workbench, "j e 2 Control+Enter")
    expect(workbench.locator("#reason-errors")).to_be_visible()
    assert focus(workbench) == "id_reason"
    expect(workbench.locator("#id_reason")).to_have_attribute("aria-describedby", "preview-reason reason-errors")
    workbench.keyboard.type(REASON)
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    ready(workbench)
    assert focus(workbench) == "step-0"


def test_the_focus_goes_to_the_verdict_when_nothing_was_said(workbench: Page) -> None:
    press(workbench, "Control+Enter")
    expect(workbench.locator("#workbench .errorlist")).to_be_visible()
    assert workbench.evaluate("document.activeElement.name") == "correct"


def test_changing_ones_mind_back_and_forth_leaves_one_verdict(workbench: Page, annotators: list[User]) -> None:
    call_it_wrong(workbench)
    press(workbench, "Escape c x c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.verdict for label in labels(annotators[0])] == [Verdict(correct=True)]


def test_hammering_submit_stores_each_label_once(workbench: Page, annotators: list[User]) -> None:
    press(workbench, "c")
    workbench.evaluate(
        """() => { for (let n = 0; n < 8; n += 1) document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true})) }"""
    )
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    press(workbench, "c Control+Enter Control+Enter Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 2?")
    workbench.wait_for_timeout(300)
    assert Annotation.objects.count() == 2


def test_a_key_held_down_submits_once(workbench: Page, annotators: list[User]) -> None:
    press(workbench, "c")
    workbench.evaluate(
        """() => { for (let n = 0; n < 5; n += 1) document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", ctrlKey: true, repeat: true, bubbles: true, cancelable: true})) }"""
    )
    workbench.wait_for_timeout(300)
    assert labels(annotators[0]) == []


@pytest.mark.parametrize("before", ["", "c"])
def test_writing_a_reason_says_that_it_is_incorrect(workbench: Page, before: str) -> None:
    press(workbench, f"{before} r")
    workbench.keyboard.type("cases")
    expect(workbench.locator("#id_reason")).to_have_value("cases")
    expect(workbench.locator("#correct-false")).to_be_checked()
    expect(workbench.locator("dialog[open]")).to_have_count(0)


def test_every_key_of_the_page_stands_in_its_list(workbench: Page) -> None:
    press(workbench, "?")
    listed = set(workbench.locator("#keys kbd").all_inner_texts())
    shown = set(workbench.locator("#workbench kbd, header kbd").all_inner_texts())
    parts = {part for text in shown for part in text.split()}
    assert parts <= listed | {"2", "3", "4", "5", "6"}  # listed as 1 … 9
