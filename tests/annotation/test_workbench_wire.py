"""What the labelling page asks of the network, and what it tells those who hear it."""

import gzip
from collections.abc import Callable
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Project, User
from tests.annotation.bench import at_bench, press, ready, still, take_in_text

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
ALLOWED = 150_000
HEADS = 700  # bytes of an answer's head, more than any of ours has


def test_a_first_visit_is_light(
    make_project: Callable[..., Project], annotators: list[User], window_of: WindowOf
) -> None:
    take_in_text(make_project(0), ["We have $x^2 = 4$."] * 20, text_format="latex")
    page = window_of(annotators[0])
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({urlparse(answer.url).path: len(gzip.compress(answer.body()))}))
    at_bench(page)
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_load_state("networkidle")
    assert [path for path in sizes if path.endswith(".woff2")], "mathematics has its font"
    assert sum(sizes.values()) + HEADS * len(sizes) < ALLOWED, sizes


def test_one_request_stores_the_label_and_brings_the_next_item(
    project: Project, annotators: list[User], window_of: WindowOf
) -> None:
    page = at_bench(still(window_of(annotators[0])))
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.method, urlparse(request.url).path)))
    press(page, "c Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 1?")
    ready(page)
    assert asked == [("POST", "/p/trial/label/")]


def test_a_submission_is_said_where_a_screen_reader_already_listens(
    project: Project, annotators: list[User], window_of: WindowOf
) -> None:
    page = at_bench(window_of(annotators[0]))
    place = page.query_selector("#said")
    assert place is not None
    press(page, "c Control+Enter")
    expect(page.locator(".problem")).to_contain_text("Question 1?")
    assert place.evaluate("(place) => place.isConnected && place.getAttribute('role') + ': ' + place.textContent") == (
        "status: Submitted."
    )


def test_everything_has_a_name_for_those_who_do_not_see_it(
    project: Project, annotators: list[User], window_of: WindowOf
) -> None:
    page = at_bench(window_of(annotators[0]))
    press(page, "j e")
    expect(page.locator("main")).to_match_aria_snapshot(
        """
        - main:
          - region "Problem"
          - region "Solution, 4 parts":
            - list:
              - listitem "Step 1":
                - radio /First error at Step 1/
              - listitem "Step 2":
                - radio /First error at Step 2/ [checked]
          - region "Your label":
            - status: /Saved|Saving/
            - status: /reserved until/
            - group "Is the solution correct?":
              - radio /Correct/
              - radio /Incorrect/ [checked]
            - group /First erroneous step/:
              - radio /At this step/ [checked]
              - radio /Missing before it/
            - group /Why/:
              - radio /Calculation/
            - textbox /Reason/
            - textbox /Rectified step/
            - link /Report/
            - link /Skip/
            - button /Submit and next/
        """
    )
