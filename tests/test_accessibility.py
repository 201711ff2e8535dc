"""Every page, for each role: nothing serious for axe in light and dark; no size and no language that cuts text off."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from annotation import guidelines
from annotation.models import User
from tests.addresses import World, make_world
from tests.annotation.bench import at_bench, call_it_wrong, press
from tests.test_roles import PAGES

pytestmark = pytest.mark.browser
WindowOf = Callable[..., Page]
SIZES = {"200 % of 1280": (640, 900), "tablet": (820, 1180), "small": (1280, 720), "large": (1440, 900)}
LANGUAGES = ("en", "zh-hans")
# What sticks out of the window, is cut off by its own box, or runs over its border.
FAULTS = """() => {
    const found = [];
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) found.push(`the page is ${page.scrollWidth} wide`);
    for (const each of document.body.querySelectorAll("*")) {
        if (each.closest(".visually-hidden, .skip-link, math, svg, dialog:not([open])") || !each.clientWidth) continue;
        const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        const style = getComputedStyle(each);
        const cut = ["hidden", "clip"].includes(style.overflowX) && own;
        const boxed = each.matches("button, .button, .tag, kbd, legend, h1, h2, h3, .seg label, .chips label, .notice");
        if ((cut || boxed) && each.scrollWidth > each.clientWidth + 1 && style.display !== "inline")
            found.push(`${each.outerHTML.slice(0, 120)} needs ${each.scrollWidth} of ${each.clientWidth}`);
    }
    return found;
}"""


@pytest.fixture
def world(transactional_db: None, make_project: Any, annotators: list[User], make_user: Callable[..., User]) -> World:
    """The campaign in which every address leads somewhere, with a guideline that all have read."""
    made = make_world(make_project, annotators, make_user, nullcontext)
    text = "# Rules\n\nMark the **first** step that is wrong: $x^2$.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    guideline = guidelines.publish(made.project, text, "First version.", made.people["lead"])
    for person in (*annotators, *made.people.values()):
        guidelines.acknowledge(guideline, person)
    return made


def pages_of(world: World, who: str, client: Client) -> Iterator[str]:
    """The addresses that are pages for this role."""
    for route, (pk, statuses) in PAGES.items():
        if statuses[who][0] == 200:
            address = world.filled(route, pk)
            answer = client.get(address)
            if answer.headers["Content-Type"].startswith("text/html") and b"<html" in answer.content[:2000].lower():
                yield address


def serious(page: Page) -> list[str]:
    """What axe holds for serious or critical."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['id']} ({each['help']}): {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"][:3]
    ]


def in_both_lights(page: Page, name: str) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{name}, {scheme}: {fault}" for fault in serious(page)]
    return found


def at_all_sizes(page: Page, name: str) -> list[str]:
    found = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{name}, {size}: {fault}" for fault in page.evaluate(FAULTS)]
    return found


@pytest.mark.parametrize("who", ["member", "lead", "admin"])
def test_nothing_serious_on_any_page(
    world: World, window_of: WindowOf, as_user: Callable[[User], Client], who: str
) -> None:
    client, page = as_user(world.people[who]), window_of(world.people[who])
    found: list[str] = []
    for address in pages_of(world, who, client):
        page.goto(address, timeout=60_000)
        found += in_both_lights(page, address)
    assert not found, "\n".join(found)


def test_nothing_serious_on_the_way_in(world: World, window_of: WindowOf) -> None:
    page = window_of()
    page.goto("/login/", timeout=60_000)
    page.fill("[name=username]", "nobody")
    page.fill("[name=password]", "wrong")
    press(page, "Enter")
    expect(page.locator(".errorlist")).to_be_visible()
    assert not in_both_lights(page, "login")


def test_nothing_serious_in_any_state_of_the_workbench(world: World, window_of: WindowOf) -> None:
    page = at_bench(window_of(world.people["member"]))
    call_it_wrong(page, reason="See step 1: $x$.")
    expect(page.locator("#preview-reason .notice")).to_be_visible()
    found = in_both_lights(page, "incorrect")
    press(page, "Control+a Delete Control+Enter")
    expect(page.locator("#reason-errors")).to_be_visible()
    found += in_both_lights(page, "with a fault")
    press(page, "Escape")
    for key, panel in (
        ("f", "#aside-panel select"),
        ("s", "#aside-panel textarea"),
        ("v", "#raw-text .raw"),
        ("g", "#guideline-body"),
        ("?", "#keys dl"),
    ):
        press(page, key)
        expect(page.locator(panel).first).to_be_visible()
        found += in_both_lights(page, f"panel {key}")
        press(page, "Escape Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("who", ["member", "lead", "admin"])
def test_no_size_cuts_text_off(
    world: World, window_of: WindowOf, as_user: Callable[[User], Client], live_server: Any, who: str, language: str
) -> None:
    client, page = as_user(world.people[who]), window_of(world.people[who])
    page.context.add_cookies([{"name": "django_language", "value": language, "url": live_server.url}])
    found: list[str] = []
    for address in pages_of(world, who, client):
        page.goto(address, timeout=60_000)
        assert page.evaluate("document.documentElement.lang").lower() == language
        if address.endswith("/label/"):
            call_it_wrong(page)
        found += at_all_sizes(page, address)
    assert not found, "\n".join(found)
