"""Reading a judge's answers by keys alone: on, back, unfold, tag, doubt."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Solution, User
from exports.judging import grade_run
from exports.models import ErrorTag, Release

pytestmark = pytest.mark.browser


@pytest.fixture
def page(release: Release, lead: User, window_of: Callable[..., Page]) -> Page:
    """The answers of a judge that calls all three items correct."""
    answers = [json.dumps({"id": item.item_id, "raw": "Correct."}) for item in release.items.all()]
    run = grade_run(release, "kind", "\n".join(answers).encode(), lead)
    window = window_of(lead)
    window.goto(f"/p/trial/releases/1.0.0/runs/{run.pk}/items/")
    return window


def test_answers_are_read_tagged_and_doubted_by_keys(page: Page, release: Release) -> None:
    answers = page.locator("article[data-answer]")
    page.keyboard.press("j")
    expect(answers.nth(0)).to_be_focused()
    page.keyboard.press("k")
    expect(answers.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(answers.nth(1)).to_be_focused()
    page.keyboard.press("s")
    page.keyboard.press("r")
    expect(answers.nth(1).locator("details.solution")).to_have_attribute("open", "")
    expect(answers.nth(1).locator("details.raw")).to_have_attribute("open", "")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("t")
    page.keyboard.type("jks")  # letters, not keys
    page.keyboard.press("Enter")
    expect(answers.nth(1).locator(".tag", has_text="jks")).to_be_visible()
    expect(answers.nth(1)).to_be_focused()
    item = release.items.order_by("position")[1]
    assert ErrorTag.objects.get().verdict.item == item
    page.keyboard.press("t")
    page.keyboard.type("units")
    page.keyboard.press("Escape")
    expect(answers.nth(1)).to_be_focused()
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    expect(answers.nth(1).locator(".row > .tag")).to_have_text(["jks", "units"])
    expect(answers.nth(1)).to_be_focused()
    page.keyboard.press("d")
    expect(page.locator("[role=status], .notice, .messages").first).to_contain_text("Sent to adjudication")
    assert Solution.objects.get(item_id=item.item_id).settled_at is None
    expect(answers.nth(1)).to_be_focused()
    expect(answers.nth(1).locator(".tag", has_text="waits for adjudication")).to_be_visible()
    page.keyboard.press("d")  # nothing more to ask for
    expect(answers.nth(1)).to_be_focused()


@pytest.mark.parametrize("width", [1280, 768, 420])
def test_the_tag_button_stands_beside_its_field(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    field, button = (
        page.locator(f"form.tagging {part}").first.bounding_box() for part in ("input[name=tag]", "button")
    )
    assert field is not None
    assert button is not None
    assert abs(field["y"] + field["height"] / 2 - button["y"] - button["height"] / 2) < 4
    assert button["x"] >= field["x"] + field["width"]


def test_tagging_keeps_the_filters_and_the_page(page: Page) -> None:
    page.select_option("select[name=status]", "parsed")
    with page.expect_navigation(url="**status=parsed**"):
        page.click("form button:text-is('Show')")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("t")
    page.keyboard.type("a & b")
    page.keyboard.press("Enter")
    expect(page.locator("article[data-answer]").nth(1).locator(".tag", has_text="a & b")).to_be_visible()
    page.select_option("select[name=tag]", "a & b")
    with page.expect_navigation(url="**tag=a**"):
        page.click("form button:text-is('Show')")
    page.keyboard.press("j")
    page.keyboard.press("t")
    page.keyboard.type("more")
    page.keyboard.press("Enter")
    only = page.locator("article[data-answer]")
    expect(only.locator(".row > .tag")).to_have_text(["a & b", "more"])
    expect(only).to_have_count(1)
    expect(page.locator("select[name=tag]")).to_have_value("a & b")
    expect(page.locator("select[name=status]")).to_have_value("parsed")


def test_answers_are_filtered_by_tag_and_status(page: Page) -> None:
    page.keyboard.press("j")
    page.keyboard.press("t")
    page.keyboard.type("sign")
    page.keyboard.press("Enter")
    page.select_option("select[name=tag]", "sign")
    page.click("form button:text-is('Show')")
    expect(page.locator("article[data-answer]")).to_have_count(1)
    page.select_option("select[name=tag]", "")
    page.select_option("select[name=status]", "parsed")
    page.click("form button:text-is('Show')")
    expect(page.locator("article[data-answer]")).to_have_count(3)
