"""Hostile and broken texts through the real page: nothing runs or breaks out, everything can still be labelled."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Project, User
from annotation.rendering import LONGEST
from tests.annotation.bench import at_bench, call_it_wrong, labels, press, take_in_text

pytestmark = pytest.mark.browser
Bench = Callable[..., Page]
FORMATS = ("plain", "latex", "latex+markdown", "code")
SCRIPT = "<script>window.ran = 1</script>"
HANDLER = '<img src="/none" onerror="window.ran = 1"><svg onload="window.ran = 1"><b onclick="window.ran = 1">press</b>'
LINK = "[press](javascript:window.ran=1) <a href='javascript:window.ran=1'>press</a>"
BREAKING_OUT = """</textarea></li></div>"><script>window.ran = 1</script>" onfocus="window.ran = 1" autofocus x=\""""


@pytest.fixture
def bench(make_project: Callable[..., Project], annotators: list[User], window_of: Callable[..., Page]) -> Bench:
    """Open the workbench with one solution of the given steps."""

    def opened(steps: list[str], text_format: str = "latex", question: str = "What is it?", **more: object) -> Page:
        project = make_project(0, overlap=1)
        take_in_text(project, steps, question=question, text_format=text_format, **more)
        return at_bench(window_of(annotators[0], viewport={"width": 1280, "height": 720}))

    return opened


def nothing_ran(page: Page) -> None:
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert page.locator(".prose :is(script, img, svg, iframe, [onerror], [onload], [onclick], [onfocus])").count() == 0
    assert page.evaluate("[...document.querySelectorAll('.prose a')].map((a) => a.protocol)") == []


def is_labelled(page: Page, annotator: User, step: int = 0) -> None:
    """Whether the item can be labelled all the same."""
    call_it_wrong(page, f"{'j ' * step}e 2 r")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert labels(annotator)[0].first_error == step


@pytest.mark.parametrize("text_format", FORMATS)
@pytest.mark.parametrize("text", [SCRIPT, HANDLER, LINK, BREAKING_OUT], ids=["script", "handler", "link", "quotes"])
def test_markup_is_text(bench: Bench, annotators: list[User], text: str, text_format: str) -> None:
    page = bench([text, "Fine."], text_format, question=text, options=(("A", text), ("B", "b")), answer_keys=(("A",),))
    nothing_ran(page)
    assert text.split(maxsplit=1)[0] in " ".join(page.locator("#step-0 .t").inner_text().split())
    expect(page.locator("#steps .step")).to_have_count(2)
    is_labelled(page, annotators[0], 1)


@pytest.mark.parametrize("text", [SCRIPT, HANDLER, LINK, BREAKING_OUT], ids=["script", "handler", "link", "quotes"])
def test_markup_in_a_reason_is_text(bench: Bench, annotators: list[User], text: str) -> None:
    page = bench(["One.", "Two."], "latex+markdown")
    call_it_wrong(page, reason=text)
    expect(page.locator("#preview-reason .prose")).to_be_visible()
    nothing_ran(page)
    expect(page.locator("#save-state")).to_contain_text("Saved")
    page.reload()
    expect(page.locator("#id_reason")).to_have_value(text)
    nothing_ran(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert labels(annotators[0])[0].reason == text
    page.goto("/p/trial/mine/")
    assert page.evaluate("window.ran") is None
    expect(page.locator("td").first).to_be_visible()


@pytest.mark.parametrize("text_format", FORMATS)
def test_a_long_run_of_digits_stays_on_the_page(bench: Bench, text_format: str) -> None:
    run = "1234567890" * 40
    page = bench([run, f"${run}$"], text_format, question=run)
    width, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width == room
    cards = page.evaluate("[...document.querySelectorAll('.card')].map((c) => c.getBoundingClientRect().right)")
    assert max(cards) <= room
    assert "1234567890" * 4 in page.locator("#step-0 .t").inner_text().replace("\n", "")


def test_text_from_right_to_left_turns_nothing_else_around(bench: Bench) -> None:
    page = bench(["نص عربي طويل بعض الشيء.", "abc \u202egnorw\u202c def", "Fine."], question="שאלה")
    assert page.locator("#step-1 .unseen").all_inner_texts() == ["RLO", "PDF"]
    number, text = (page.locator(f"#step-0 {part}").bounding_box() for part in (".which", ".t"))
    assert number is not None
    assert text is not None
    assert number["x"] < text["x"]
    where = "getComputedStyle(document.querySelector('#step-0 .rendered')).direction"
    assert page.evaluate(where) == "rtl"
    assert page.evaluate(where.replace("step-0", "step-2")) == "ltr"


def test_characters_of_no_width_are_seen(bench: Bench) -> None:
    page = bench(["The sum is 1\u200b2\u2060.", "Fine."], question="What\ufeff is it?")
    assert page.locator("#step-0 .unseen").all_inner_texts() == ["ZWSP", "WJ"]
    assert page.locator(".problem .unseen").all_inner_texts() == ["BOM"]


@pytest.mark.parametrize("text_format", ["latex", "latex+markdown"])
def test_five_thousand_nested_braces_are_shown_as_source(
    bench: Bench, annotators: list[User], text_format: str
) -> None:
    deep = "$" + "{" * 5_000 + "x" + "}" * 5_000 + "$"
    page = bench([deep, "Fine."], text_format)
    expect(page.locator("#step-0 .tex-error")).to_contain_text("{{{{{x}}}}}")
    is_labelled(page, annotators[0], 1)


def test_an_empty_step_is_named_and_can_be_the_error(bench: Bench, annotators: list[User]) -> None:
    page = bench(["One.", "", "   ", "Four."])
    expect(page.locator("#steps .step")).to_have_count(4)
    expect(page.locator("#step-1 .left-out")).to_have_text("(empty)")
    expect(page.locator("#step-2 .left-out")).to_have_text("(empty)")
    is_labelled(page, annotators[0], 2)


@pytest.mark.parametrize("text_format", FORMATS)
def test_a_step_of_a_megabyte_can_be_read_and_labelled(bench: Bench, annotators: list[User], text_format: str) -> None:
    page = bench(["One.", "$x^2$ and " * 100_000, "Three."], text_format)
    length = page.evaluate("document.querySelector('#step-1 .t').textContent.length")
    assert length >= 1_000_000 > LONGEST
    expect(page.locator("#step-1 math")).to_have_count(0)
    is_labelled(page, annotators[0], 2)
