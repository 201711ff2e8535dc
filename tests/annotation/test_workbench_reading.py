"""Reading at the workbench: problem in view, long solutions, folding, terms, code, raw text, copies, guideline."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation import guidelines
from annotation.models import Project, User
from tests.annotation.bench import (
    REASON,
    at_bench,
    call_it_wrong,
    focus,
    labels,
    press,
    ready,
    still,
    take_in_text,
    until,
)

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
READING = {"permissions": ["clipboard-read", "clipboard-write"], "viewport": {"width": 1280, "height": 720}}
MARKDOWN = """
| a | b |
|---|---|
| 1 | 2 |

[asy]draw((0,0)--(1,1));[/asy]

![cat](http://127.0.0.1:9/cat.png)

```python
x = 1
```
"""
FORMULA = r"Since $x^2 = 4$, we have $$x = \pm 2.$$ That is all."


@pytest.fixture
def bench(make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf) -> Callable[..., Page]:
    """Open the workbench with one solution of the given steps."""

    def opened(steps: list[str], **problem: str) -> Page:
        project = make_project(0, overlap=1)
        take_in_text(project, steps, **({"text_format": "latex"} | problem))
        return at_bench(window_of(annotators[0], **READING))

    return opened


def in_view(page: Page, selector: str) -> bool:
    return bool(
        page.evaluate(
            """(selector) => { const box = document.querySelector(selector).getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.top < innerHeight - 20 }""",
            selector,
        )
    )


def test_the_problem_stays_in_view_in_one_column_too(bench: Callable[..., Page]) -> None:
    """As on a screen of 1280 x 720 at 200 %; the step in hand stands below it."""
    page = bench(["A long step. " * 30] * 40)
    page.set_viewport_size({"width": 640, "height": 360})
    for _n in range(30):
        press(page, "j")
    assert page.evaluate("scrollY") > 1000
    assert in_view(page, ".problem")
    top, problem = page.evaluate(
        """[document.activeElement.getBoundingClientRect().top,
        document.querySelector('.left').getBoundingClientRect().bottom]"""
    )
    assert problem <= top < 340


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900), (820, 1180)])
def test_the_problem_and_the_submit_button_stay_in_view(bench: Callable[..., Page], width: int, height: int) -> None:
    page = bench(["A long step. " * 30] * 40)
    page.set_viewport_size({"width": width, "height": height})
    call_it_wrong(page)
    press(page, "Escape")
    for _n in range(30):
        press(page, "j")
    assert focus(page) == "step-31"
    assert page.evaluate("scrollY") > 1000
    for selector in (".problem", ".step:focus", ".actions button.primary", "#save-state"):
        assert in_view(page, selector), selector


def test_the_step_in_hand_is_not_under_the_bar(bench: Callable[..., Page]) -> None:
    page = bench(["A long step. " * 30] * 40)
    for _n in range(30):
        press(page, "j")
    for _n in range(20):
        press(page, "k")
    top, bar = page.evaluate(
        """[document.activeElement.getBoundingClientRect().top,
        document.querySelector('.bar').getBoundingClientRect().bottom]"""
    )
    assert top >= bar


def test_two_hundred_steps_are_laid_out_only_where_they_are_seen(bench: Callable[..., Page]) -> None:
    page = bench([rf"Step {n}: $\frac{{{n}}}{{x}}$ " + "and so on " * 40 for n in range(200)])
    skipped = page.evaluate(
        """[...document.querySelectorAll(".step .t")]
        .filter((text) => !text.checkVisibility({contentVisibilityAuto: true})).length"""
    )
    assert skipped > 150
    press(page, "H")
    for _n in range(199):
        page.keyboard.press("j")
    assert focus(page) == "step-199"
    assert in_view(page, "#step-199")


def test_a_step_folds_and_all_fold(bench: Callable[..., Page]) -> None:
    page = bench(["many words " * 60] * 3)

    def heights() -> list[float]:
        return [page.locator(f"#step-{n} .t").bounding_box()["height"] for n in range(3)]  # type: ignore[index]

    full = heights()
    press(page, "j h")
    folded = heights()
    assert folded[1] < full[1] / 2
    assert [folded[0], folded[2]] == [full[0], full[2]]
    press(page, "H")
    assert max(heights()) == folded[1]
    press(page, "H")
    assert heights() == full


def test_folding_and_copying_have_buttons_for_those_without_keys(bench: Callable[..., Page]) -> None:
    page = bench(["One.", "Two.", "Three."])
    press(page, "j")
    page.get_by_role("button", name="fold", exact=False).first.click()
    assert page.locator(".folded").evaluate_all("(steps) => steps.map((step) => step.id)") == ["step-1"]
    page.get_by_role("button", name="fold all").click()
    expect(page.locator(".folded")).to_have_count(3)
    page.get_by_role("button", name="copy").click()
    copied(page, "Two.")


def test_folding_changes_nothing_of_the_label(bench: Callable[..., Page], annotators: list[User]) -> None:
    page = bench(["many words " * 60] * 3)
    call_it_wrong(page)
    press(page, "Escape H Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert (labels(annotators[0])[0].first_error, labels(annotators[0])[0].reason) == (1, REASON)


def select(page: Page, selector: str, word: str) -> None:
    page.evaluate(
        """([selector, word]) => {
            const walk = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                const at = node.data.indexOf(word);
                if (at >= 0) { getSelection().setBaseAndExtent(node, at, node, at + word.length); return; }
            }
            throw new Error(`no ${word}`);
        }""",
        [selector, word],
    )


def marked(page: Page) -> list[str]:
    """The ids of the places where the selected term is marked."""
    return list(
        page.evaluate(
            """[...(CSS.highlights.get("same-term") ?? [])].map((range) =>
            range.startContainer.parentElement.closest(".step")?.id ?? "problem")"""
        )
    )


def test_a_selected_term_is_marked_in_problem_and_steps(bench: Callable[..., Page]) -> None:
    page = bench(["The apples are red.", "No fruit.", "Two apples."], question="How many apples?")
    select(page, "#step-0", "apples")
    until(page, lambda: marked(page) == ["problem", "step-0", "step-2"])
    page.evaluate("getSelection().removeAllRanges()")
    until(page, lambda: marked(page) == [])


def copied(page: Page, text: str) -> None:
    """Expect these words to arrive on the clipboard."""
    until(page, lambda: " ".join(page.evaluate("navigator.clipboard.readText()").split()) == text)


def test_a_key_copies_the_source_of_a_step(bench: Callable[..., Page]) -> None:
    page = at_bench(still(bench(["Nothing.", FORMULA])))
    press(page, "j y")
    copied(page, FORMULA)
    expect(page.locator("#step-1.copied")).to_have_count(1)
    page.clock.run_for(600)
    expect(page.locator(".copied")).to_have_count(0)


def test_a_copied_selection_carries_tex(bench: Callable[..., Page]) -> None:
    page = bench(["Nothing.", FORMULA])
    page.evaluate("getSelection().selectAllChildren(document.querySelector('#step-1 .t'))")
    press(page, "Control+c")
    copied(page, FORMULA)


def test_a_copied_table_is_its_source(bench: Callable[..., Page]) -> None:
    table = r"\begin{tabular}{c|c} $a$ & b \\ 1 & 2 \end{tabular}"
    page = bench(["Nothing.", f"See {table} there."])
    expect(page.locator("#step-1 td")).to_have_text(["a", "b", "1", "2"])
    press(page, "j y")
    copied(page, f"See {table} there.")


def test_a_key_copies_what_is_selected(bench: Callable[..., Page]) -> None:
    page = bench(["Nothing.", "Two words here."])
    select(page, "#step-1", "words")
    press(page, "y")
    copied(page, "words")


def test_copying_works_where_the_browser_gives_no_clipboard(bench: Callable[..., Page]) -> None:
    page = bench(["Nothing.", FORMULA])
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    press(page, "j y")
    assert focus(page) == "step-1"
    page.evaluate("delete navigator.clipboard")
    copied(page, FORMULA)


def test_code_has_its_line_numbers_and_its_indents(bench: Callable[..., Page], annotators: list[User]) -> None:
    lines = ["def add(a, b):", "    # sum", "    return a - b"]
    page = bench(lines, text_format="code")
    names = page.locator(".step .which").all_text_contents()
    assert [" ".join(name.split()) for name in names] == [f"First error at Line {n}" for n in (1, 2, 3)]
    assert [page.locator(f"#step-{n} code").evaluate("(e) => e.textContent") for n in range(3)] == lines
    assert page.locator("#step-2 code").evaluate("(e) => getComputedStyle(e).whiteSpace").startswith("pre")
    press(page, "j j m")
    expect(page.locator("#chosen")).to_have_text("Line 3")
    expect(page.locator("#placement-before")).to_be_checked()
    press(page, "2 r")
    page.keyboard.type(REASON)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert (labels(annotators[0])[0].first_error, labels(annotators[0])[0].placement) == (2, "before")


def test_the_raw_view_shows_what_cannot_be_seen(bench: Callable[..., Page]) -> None:
    page = bench(["One\u200btwo\tthree\u202e."])
    press(page, "v")
    expect(page.locator("#raw-text")).to_contain_text("ZWSP")
    assert {"ZWSP", "TAB", "RLO"} <= set(page.locator("#raw-text .unseen").all_inner_texts())
    expect(page.locator("#raw-text")).to_be_focused()
    press(page, "Escape")
    assert focus(page) == "step-0"


def test_tables_figures_and_images_of_markdown(bench: Callable[..., Page]) -> None:
    page = bench(["Nothing."], question=MARKDOWN, text_format="latex+markdown")
    problem = page.locator(".problem")
    expect(problem.locator("td")).to_have_text(["1", "2"])
    expect(problem.locator("details.figure-source pre")).not_to_be_visible()
    expect(problem.locator(".left-out")).to_contain_text("Image left out")
    expect(problem.locator("pre code").last).to_contain_text("x = 1")
    expect(problem.locator("img")).to_have_count(0)


def test_a_reason_is_previewed_with_its_mathematics(bench: Callable[..., Page]) -> None:
    page = bench(["One.", "Two."])
    call_it_wrong(page, reason=r"Because $\sqrt{2}$ is not rational.")
    expect(page.locator("#preview-reason math")).to_be_visible()
    press(page, "Escape t")
    page.keyboard.type("$x$")
    expect(page.locator("#preview-rectified math")).to_be_visible()


def test_a_reason_that_copies_or_strays_is_doubted_not_refused(
    bench: Callable[..., Page], annotators: list[User]
) -> None:
    page = bench(["The first step says this and that.", "The second step says something else."])
    call_it_wrong(page, reason="The second step says something else.")
    doubt = page.locator("#preview-reason .notice")
    expect(doubt).to_contain_text("This repeats the step")
    page.keyboard.press("Control+a")
    page.keyboard.type("Step 1 is where it goes wrong.")
    expect(doubt).to_contain_text("You chose Step 2, but write of Step 1.")
    press(page, "Escape k e")
    expect(doubt).to_have_count(0)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_contain_text("Nothing to label")
    assert labels(annotators[0])[0].first_error == 0


GUIDELINE = (
    "# Rules\n\nThe first rule is about $x^2$.\n\n## Calculation\n\nAn example: 2 + 2 = 5.\n\n## Logic\n\nA leap."
)


def test_the_guideline_is_one_key_away_and_can_be_searched(
    project: Project, annotators: list[User], lead: User, window_of: WindowOf
) -> None:
    guidelines.acknowledge(guidelines.publish(project, GUIDELINE, "", lead), annotators[0])
    page = at_bench(window_of(annotators[0]))
    call_it_wrong(page)
    press(page, "Escape g")
    panel = page.locator("#guideline-panel")
    expect(panel.locator("math")).to_be_visible()
    expect(page.locator("#guideline-text")).to_be_focused()
    press(page, "/")
    page.keyboard.type("EXAMPLE")
    expect(panel.get_by_text("An example: 2 + 2 = 5.")).to_be_visible()
    expect(panel.get_by_text("A leap.")).not_to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert page.input_value("#id_reason") == REASON


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_guideline_opens_where_it_speaks_of_the_kind_chosen(
    project: Project, annotators: list[User], lead: User, window_of: WindowOf, language: str
) -> None:
    rules = "# Rules\n\n" + "A rule. Logic is not all.\n\n" * 60
    kinds = "**Calculation.** *Example:* 2 + 2 = 5.\n\n**Logic.** *Example:* a leap.\n\n" + "More.\n\n" * 60
    guidelines.acknowledge(guidelines.publish(project, rules + kinds, "", lead), annotators[0])
    page = at_bench(window_of(annotators[0], locale=language, **READING))
    press(page, "g")
    expect(page.get_by_text("Rules", exact=True)).to_be_in_viewport()
    press(page, "Escape j e 2 g")
    expect(page.get_by_text("a leap.")).to_be_in_viewport()
    expect(page.locator(".of-kind")).to_have_text("Logic.")


def test_a_new_guideline_is_read_before_the_next_item(
    project: Project, annotators: list[User], lead: User, window_of: WindowOf
) -> None:
    first = guidelines.publish(project, "# One", "", lead)
    guidelines.acknowledge(first, annotators[0])
    page = at_bench(window_of(annotators[0]))
    second = guidelines.publish(project, "# Two", "The second rule is new.", lead)
    press(page, "c Control+Enter")
    expect(page.locator("h1")).to_contain_text("The guideline has a new version")
    expect(page.locator("#workbench")).to_contain_text("The second rule is new.")
    press(page, "Enter")
    expect(page.locator(".guideline")).to_contain_text("Two")
    press(page, "Control+Enter")
    ready(page)
    press(page, "c Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 2?")
    assert [label.guideline for label in labels(annotators[0])] == [first, second]
