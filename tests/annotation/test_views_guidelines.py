"""Reading an earlier guideline, writing the next one with a look at it first."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation import guidelines
from annotation.models import Guideline, Project, User
from tests.pages import HTMX, is_whole, words

AsUser = Callable[[User], Client]
ADDRESS = "/p/trial/guideline/"
NEXT = {"text": "# Rules\n\nMark the first wrong step: $x^2$.", "changes": "A rule on squares."}


@pytest.fixture
def desk(project: Project, lead: User, as_user: AsUser) -> Client:
    guidelines.publish(project, "The old rules.", "First version.", lead)
    return as_user(lead)


def versions() -> list[int]:
    return list(Guideline.objects.order_by("version").values_list("version", flat=True))


def test_a_preview_puts_nothing_in_force(desk: Client) -> None:
    page = desk.post(f"{ADDRESS}write/", NEXT | {"preview": "1"})
    assert "<math" in page.content.decode()
    assert "A rule on squares." in page.content.decode()
    assert versions() == [1]


def test_the_next_version_is_put_in_force(desk: Client) -> None:
    page = desk.post(f"{ADDRESS}write/", NEXT, follow=True)
    assert "Version 2 is in force." in words(page)
    assert "<math" in page.content.decode()
    assert versions() == [1, 2]


def test_an_empty_guideline_comes_back(desk: Client) -> None:
    page = desk.post(f"{ADDRESS}write/", {"text": " ", "changes": "All gone."})
    assert page.status_code == 422
    assert "All gone." in page.content.decode()
    assert versions() == [1]


def test_an_earlier_version_stays_readable(desk: Client) -> None:
    desk.post(f"{ADDRESS}write/", NEXT)
    assert "The old rules." in words(desk.get(ADDRESS, {"version": 1}))
    assert "The old rules." not in words(desk.get(ADDRESS))
    assert "A rule on squares." in words(desk.get(ADDRESS))


@pytest.mark.parametrize("version", ["7", "9" * 40])
def test_a_version_that_is_not_there_is_not_found(desk: Client, version: str) -> None:
    assert desk.get(ADDRESS, {"version": version}).status_code == 404


def test_the_panel_gets_a_part(desk: Client) -> None:
    part = desk.get(ADDRESS, headers=HTMX)
    assert not is_whole(part)
    assert "The old rules." in words(part)


def test_hostile_markdown_is_text(desk: Client) -> None:
    desk.post(f"{ADDRESS}write/", {"text": "<script>x</script> [a](javascript:x)", "changes": ""})
    html = desk.get(ADDRESS, headers=HTMX).content.decode()
    assert "<script>" not in html
    assert 'href="javascript' not in html
    assert "&lt;script&gt;" in html
