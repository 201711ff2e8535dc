"""Skipping, reporting, undoing and confirming at the workbench without a mouse."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Project, Report, Skip, User
from tests.annotation.bench import REASON, at_bench, call_it_wrong, focus, labels, press, question, ready, take_in_text
from tests.browser import Windows

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]


@pytest.mark.parametrize("key", ["s", "Control+Space"])
def test_skipping_asks_for_a_reason_and_brings_the_next(workbench: Page, annotators: list[User], key: str) -> None:
    press(workbench, key)
    expect(workbench.locator("#aside-panel textarea")).to_be_focused()
    workbench.keyboard.type("Not my subject.")
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    ready(workbench)
    assert Skip.objects.get().reason == "Not my subject."
    assert Annotation.objects.count() == 0


def test_a_report_is_made_with_keys(workbench: Page) -> None:
    press(workbench, "f")
    expect(workbench.locator("#aside-panel select")).to_be_focused()
    press(workbench, "ArrowDown ArrowDown")
    press(workbench, "Tab")
    workbench.keyboard.type("B is right as well.")
    press(workbench, "Control+Enter")
    expect(workbench.locator(".bench-messages")).to_contain_text("Reported")
    report = Report.objects.get()
    assert (report.kind, report.comment) == ("wrong-key", "B is right as well.")
    assert Annotation.objects.count() == 0


def test_leaving_a_panel_gives_the_hand_back_to_the_step(workbench: Page) -> None:
    for key, hand in (
        ("f", "#aside-panel select"),
        ("s", "#aside-panel textarea"),
        ("v", "#raw-text"),
        ("g", "#guideline-text"),
        ("?", "#keys-heading"),
    ):
        press(workbench, f"j {key}")
        expect(workbench.locator(hand)).to_be_focused()
        press(workbench, "Escape")
        expect(workbench.locator("dialog[open]")).to_have_count(0)
        assert focus(workbench).startswith("step-"), key


def submit_and_undo(workbench: Page) -> None:
    """Call the first solution correct, and open that label again."""
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    ready(workbench)
    press(workbench, "Control+z")
    expect(workbench.locator(".problem")).to_contain_text("Question 0?")
    ready(workbench)


def test_undo_opens_the_label_just_submitted(workbench: Page, annotators: list[User]) -> None:
    submit_and_undo(workbench)
    expect(workbench.locator("#correct-true")).to_be_checked()
    call_it_wrong(workbench)
    press(workbench, "Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert workbench.url.endswith("/p/trial/label/")
    assert [(label.revision, label.correct) for label in labels(annotators[0])] == [(1, True), (2, False)]


def test_a_revision_is_left_with_a_key(workbench: Page, annotators: list[User]) -> None:
    submit_and_undo(workbench)
    press(workbench, "Control+Shift+Z")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    assert [label.revision for label in labels(annotators[0])] == [1]


def test_undo_while_writing_is_that_of_the_text(workbench: Page) -> None:
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    ready(workbench)
    call_it_wrong(workbench, reason="one")
    press(workbench, "Control+z")
    assert "Question 1?" in question(workbench)
    assert workbench.input_value("#id_reason") != "one"


def test_a_decided_label_is_not_undone(workbench: Page, annotators: list[User]) -> None:
    press(workbench, "c Control+Enter")
    expect(workbench.locator(".problem")).to_contain_text("Question 1?")
    ready(workbench)
    solution = labels(annotators[0])[0].assignment.solution
    solution.settled_at = timezone.now()
    solution.save()
    press(workbench, "Control+z")
    expect(workbench.locator(".problem")).to_contain_text("Question 0?")
    ready(workbench)
    call_it_wrong(workbench)
    press(workbench, "Control+Enter")
    expect(workbench.locator(".notice.error")).to_contain_text("already decided")
    assert workbench.input_value("#id_reason") == REASON
    assert len(labels(annotators[0])) == 1


def test_a_contradiction_with_the_key_is_confirmed_with_a_key(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf
) -> None:
    project = make_project(0)
    take_in_text(project, ["One and one is three.", "So 3."], answer_keys=(("2",),))
    solution = project.problems.get().solutions.get()
    solution.final_answer = "3"
    solution.save()
    page = at_bench(window_of(annotators[0]))
    expect(page.locator(".problem")).to_contain_text("not the key’s answer")
    press(page, "c Control+Enter")
    expect(page.locator("#id_confirm_conflict")).to_be_focused()
    expect(page.locator("#id_confirm_conflict")).not_to_be_checked()
    press(page, "y")
    expect(page.locator("#id_confirm_conflict")).to_be_checked()
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert labels(annotators[0])[0].answer_conflict_confirmed is True


def test_work_goes_on_by_key_when_the_queue_is_empty(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf, windows: Windows
) -> None:
    make_project(1)
    page = at_bench(window_of(annotators[0]))
    press(page, "c Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    expect(page.locator("a.primary")).to_be_focused()
    press(page, "Control+z")
    expect(page.locator(".problem")).to_contain_text("Question 0?")
