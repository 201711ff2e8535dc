"""The workbench as the first annotator has it before them, in Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from annotation.models import Project, User
from tests.annotation.bench import at_bench, still


@pytest.fixture
def workbench(project: Project, annotators: list[User], window_of: Callable[..., Page]) -> Page:
    """The first annotator at the first item."""
    return at_bench(window_of(annotators[0]))


@pytest.fixture
def still_workbench(project: Project, annotators: list[User], window_of: Callable[..., Page]) -> Page:
    """The same, where time stands still until the test lets it go on."""
    return at_bench(still(window_of(annotators[0])))
