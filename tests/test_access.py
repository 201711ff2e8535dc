"""Every page: a visitor is sent to the login, and what is not theirs is refused to annotators and strangers."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Project, User

AsUser = Callable[[User], Client]
OPEN_TO_ALL = {"login", "set_language"}
OPEN_TO_PEOPLE = {"home", "logout"}
OPEN_TO_MEMBERS = {
    "project", "label", "draft", "lease", "skip", "report", "preview", "raw", "revise", "mine", "guideline",
    "acknowledge",
}  # fmt: skip
FOR_ADMINISTRATORS = {"people", "account"}
API = ("api/", "schema/")


def pages(resolver: URLResolver | None = None, prefix: str = "") -> dict[str, list[str]]:
    """Every named page outside the API with the names of its arguments."""
    found: dict[str, list[str]] = {}
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if route.startswith(API):
            continue
        if isinstance(pattern, URLResolver):
            found |= pages(pattern, route)
        elif isinstance(pattern, URLPattern) and pattern.name:
            found[pattern.name] = list(pattern.pattern.converters)
    return found


PAGES = pages()
FOR_LEADS = sorted(PAGES.keys() - OPEN_TO_ALL - OPEN_TO_PEOPLE - OPEN_TO_MEMBERS - FOR_ADMINISTRATORS)


def address(name: str, slug: str = "trial") -> str:
    values = {"slug": slug, "pk": 1, "version": "1.0.0", "name": "items.jsonl"}
    return reverse(name, kwargs={part: values[part] for part in PAGES[name]})


def statuses(client: Client, url: str) -> set[int]:
    """What a GET and a POST answer, except that the page takes no such request."""
    return {client.get(url).status_code, client.post(url).status_code} - {405}


@pytest.mark.parametrize("name", sorted(PAGES.keys() - OPEN_TO_ALL - {"logout"}))
def test_a_visitor_is_sent_to_the_login(project: Project, client: Client, name: str) -> None:
    answer = client.get(address(name))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("name", FOR_LEADS)
def test_a_page_for_leads_is_refused_to_annotators(
    project: Project, annotators: list[User], as_user: AsUser, name: str
) -> None:
    assert statuses(as_user(annotators[0]), address(name)) == {403}


@pytest.mark.parametrize("name", sorted(FOR_ADMINISTRATORS))
def test_a_page_for_administrators_is_refused_to_leads(
    project: Project, lead: User, as_user: AsUser, name: str
) -> None:
    assert statuses(as_user(lead), address(name)) == {403}


@pytest.mark.parametrize("name", sorted(OPEN_TO_MEMBERS))
def test_a_campaign_does_not_exist_for_those_who_are_no_members(
    project: Project, make_user: Callable[..., User], as_user: AsUser, name: str
) -> None:
    assert statuses(as_user(make_user("stranger")), address(name)) == {404}


@pytest.mark.parametrize("name", sorted(name for name, parts in PAGES.items() if "slug" in parts))
def test_a_campaign_that_is_not_there_is_not_found(lead: User, as_user: AsUser, name: str) -> None:
    assert statuses(as_user(lead), address(name, slug="nowhere")) == {404}
