"""Chromium for tests: one window for each person, and every complaint of a page kept."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, expect, sync_playwright

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 30_000  # ms; a busy machine is slow, not wrong
expect.set_options(timeout=PATIENCE)
REFUSED_FORM = re.compile(r"Failed to load resource: the server responded with a status of 422\b")


def program() -> str | None:
    """The browser's program, None when there is none on this machine."""
    return shutil.which("chromium")


def version() -> str:
    """The browser's main version ("156"); empty when there is none."""
    path = program()
    if path is None:
        return ""
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"\d+", told)
    return number.group() if number else told.strip()


@dataclass
class Windows:
    """One window with cookies of its own for each person; `complaints` are what was said to be wrong."""

    browser: Browser
    complaints: list[str] = field(default_factory=list)
    expected: set[str] = field(default_factory=set)

    def open(self, address: str = "", cookies: dict[str, str] | None = None, **options: object) -> Page:
        """A window; `cookies` are those of the server at `address`."""
        context: BrowserContext = self.browser.new_context(base_url=address or None, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        context.set_default_navigation_timeout(2 * PATIENCE)
        context.add_cookies([{"name": name, "value": value, "url": address} for name, value in (cookies or {}).items()])
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("response", self._response)
        return page

    def unexpected(self) -> list[str]:
        """The complaints without those in which a test expects some words."""
        return [text for text in self.complaints if not any(part in text for part in self.expected)]

    def close(self) -> None:
        """Close every window."""
        for context in self.browser.contexts:
            context.close()

    def _console(self, message: ConsoleMessage) -> None:
        # The browser logs every status from 400 on; 422 is how a form with faults comes back.
        if message.type == "error" and not REFUSED_FORM.match(message.text):
            self.complaints.append(f"{message.location.get('url')}: {message.text}")

    def _response(self, response: Response) -> None:
        if response.status >= 500:
            self.complaints.append(f"{response.url}: status {response.status}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
