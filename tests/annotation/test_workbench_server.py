"""A server that is killed in the middle of the work and started again has lost nothing and stored nothing twice."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import postgres_server
from tests.annotation.bench import REASON, at_bench, call_it_wrong, press, ready, without
from tests.browser import Windows
from tests.conftest import PASSWORD
from tests.killable_server import Server

pytestmark = [pytest.mark.browser, pytest.mark.postgres]


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    on_postgres = request.param == "PostgreSQL"
    if on_postgres and postgres_server.programs() is None:
        pytest.skip("there is no PostgreSQL server program on this machine")
    database: AbstractContextManager[str] = postgres_server.postgres_server() if on_postgres else nullcontext("")
    with database as address:
        own = Server(tmp_path, address, PASSWORD)
        try:
            own.start()
            yield own
        finally:
            own.close()


@pytest.fixture
def ana(server: Server, windows: Windows) -> Page:
    page = windows.open(f"http://127.0.0.1:{server.port}")
    page.set_default_timeout(60_000)
    page.goto("/login/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", PASSWORD)
    page.click("button.primary")
    expect(page.locator("h1")).to_contain_text("Projects")
    return at_bench(page)


def test_a_killed_server_costs_nothing_and_stores_nothing_twice(server: Server, ana: Page, windows: Windows) -> None:
    call_it_wrong(ana, reason="Typed before. ")
    expect(ana.locator("#save-state")).to_contain_text("Saved")
    server.kill()
    ana.keyboard.type(REASON)
    expect(ana.locator("#save-state")).to_contain_text("Offline")
    press(ana, "Control+Enter")
    expect(ana.locator("#save-state")).to_contain_text("Not sent yet")
    assert server.stored() == ["1"]
    server.start()
    expect(ana.locator(".problem")).to_contain_text("Question 1?")
    assert server.stored() == [f"Typed before. {REASON}", "0"]

    def kill_when_done(route: Any) -> None:
        route.fetch()
        server.kill()
        route.abort()

    ready(ana)
    call_it_wrong(ana)
    ana.route("**/p/trial/label/", kill_when_done)
    press(ana, "Control+Enter")
    expect(ana.locator("#save-state")).to_contain_text("Not sent yet")
    ana.unroute("**/p/trial/label/")
    server.start()
    expect(ana.locator(".problem")).to_contain_text("Question 2?")
    assert server.stored() == [f"Typed before. {REASON}", REASON, "0"]
    without(windows, "net::ERR_", "htmx:")
