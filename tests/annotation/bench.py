"""The workbench in Chromium, for the tests that drive it: opening it, and saying what stands in it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from annotation.intake import take_in
from annotation.models import Annotation, Assignment, Project, User
from annotation.sources.records import Option, ProblemRecord, SolutionRecord, StepKind, StepRecord
from tests.browser import PATIENCE, Windows

LOST = ("net::ERR_", "htmx:sendError", "htmx:afterRequest")  # what browser and htmx say of a lost connection
REASON = "This part does not follow from the one before."


def at_bench(page: Page, slug: str = "trial") -> Page:
    """Go to the labelling page and wait until its scripts have taken the item in hand."""
    page.goto(f"/p/{slug}/label/")
    ready(page)
    return page


def ready(page: Page) -> None:
    """Wait until a step of the item has the focus."""
    expect(page.locator("#steps .step:focus")).to_have_count(1)


def still(page: Page) -> Page:
    """Stop the clock of a window before it goes to the bench: its time moves as the test says, not with the machine."""
    now = timezone.now()
    page.clock.install(time=now)
    page.clock.pause_at(now + timedelta(seconds=1))
    return page


def until(page: Page, come: Callable[[], object]) -> None:
    """Wait for what no element of the page shows."""
    patience = time.monotonic() + PATIENCE / 1000
    while not come():
        assert time.monotonic() < patience, "it did not come"
        page.wait_for_timeout(50)


def held_back(page: Page, address: str) -> list[Route]:
    """Keep requests to an address until the test lets them go."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route(address, hold)
    return waiting


@contextmanager
def one_save(page: Page) -> Iterator[None]:
    """Let a draft reach the server only when all that follows was done, however long that takes."""
    waiting: list[Route] = []
    done = False

    def hold(route: Route) -> None:
        if done:
            route.continue_()
        else:
            waiting.append(route)

    page.route("**/draft/", hold)
    yield
    until(page, lambda: waiting)
    done = True
    for route in waiting:
        route.continue_()


def press(page: Page, keys: str) -> None:
    """Press keys one after the other, as in `j e 1 r`."""
    for key in keys.split():
        page.keyboard.press(key)


def call_it_wrong(page: Page, keys: str = "j e 2 r", reason: str = REASON) -> None:
    """Say with keys that the solution is incorrect, and why; nothing is sent."""
    press(page, keys)
    page.keyboard.type(reason)


def question(page: Page) -> str:
    return page.locator(".problem .prose").first.inner_text()


def focus(page: Page) -> str:
    """The id of what has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def labels(annotator: User) -> list[Annotation]:
    return list(Annotation.objects.filter(assignment__annotator=annotator).order_by("pk"))


def held(annotator: User) -> Assignment:
    return Assignment.objects.get(annotator=annotator, submitted_at=None)


def without(windows: Windows, *expected: str) -> None:
    """Expect complaints that a test brings about itself, those that are still to come as well."""
    windows.expected.update(expected)


def take_in_text(project: Project, steps: list[str], *, question: str = "What is it?", **problem: Any) -> None:
    """Add a solution that consists of the given steps."""
    raw, rows, at = "\n".join(steps), [], 0
    kind: StepKind = "code" if problem.get("text_format") == "code" else "step"
    for text in steps:
        rows.append(StepRecord(text, at, at + len(text), "", kind))
        at += len(text) + 1
    options = problem.pop("options", ())
    stated = ProblemRecord(
        source="texts", external_id=f"{len(steps)} steps, {len(raw)} characters", question=question,
        options=tuple(Option(*pair) for pair in options), answer_keys=problem.pop("answer_keys", ()), **problem,
    )  # fmt: skip
    take_in(project, [SolutionRecord(stated, "model-x", raw, tuple(rows), where="here")])


def state(page: Page, words: str) -> None:
    """Expect the state of the draft to be said in these words."""
    expect(page.locator("#save-state")).to_contain_text(words)


def answer_lost(route: Route) -> None:
    """Let the server do its work and lose what it says."""
    route.fetch()
    route.abort()
