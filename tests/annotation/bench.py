"""The workbench in Chromium, for the tests that drive it: opening it, and saying what stands in it."""

from typing import Any

from playwright.sync_api import Page, expect

from annotation.intake import take_in
from annotation.models import Annotation, Assignment, Project, User
from annotation.sources.records import Option, ProblemRecord, SolutionRecord, StepKind, StepRecord
from tests.browser import Windows

REASON = "This part does not follow from the one before."


def at_bench(page: Page, slug: str = "trial") -> Page:
    """Go to the labelling page and wait until its scripts have taken the item in hand."""
    page.goto(f"/p/{slug}/label/")
    ready(page)
    return page


def ready(page: Page) -> None:
    """Wait until a step of the item has the focus."""
    expect(page.locator("#steps .step:focus")).to_have_count(1)


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
    """Forget the complaints that a test has brought about itself."""
    windows.complaints[:] = [text for text in windows.complaints if not any(part in text for part in expected)]


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
