"""Count what the labelling page costs over the wire as the quickstart serves it: `python -m tests.benchmark_workbench`

Prints every request of a first visit with an empty cache and its bytes (heads included), then those of each next item.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from playwright.sync_api import BrowserContext, Page

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[1]
ITEMS = 5
ALLOWED = 150_000  # bytes of a first visit


@dataclass
class Wire:
    """The requests of a page and the bytes their answers took, as the browser counts them."""

    answers: dict[str, tuple[str, str]] = field(default_factory=dict)
    sizes: list[tuple[str, str, int]] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.responseReceived", self._answer)
        session.on("Network.loadingFinished", self._finished)

    def _answer(self, event: dict[str, Any]) -> None:
        response = event["response"]
        self.answers[event["requestId"]] = (urlparse(response["url"]).path, response["mimeType"])

    def _finished(self, event: dict[str, Any]) -> None:
        path, kind = self.answers[event["requestId"]]
        self.sizes.append((path, kind, int(event["encodedDataLength"])))

    def tell(self, title: str) -> int:
        """Print the requests since the last time and forget them; returns their bytes."""
        total = sum(size for _path, _kind, size in self.sizes)
        pages = sum(kind == "text/html" for _path, kind, _size in self.sizes)
        print(f"\n{title}: {total:,} bytes, {len(self.sizes)} requests, {pages} of them HTML")
        for path, kind, size in self.sizes:
            print(f"  {size:>8,}  {kind:<24} {path}")
        self.sizes.clear()
        return total


@contextmanager
def quickstart() -> Iterator[tuple[str, str]]:
    """The example served as the README says, in a folder of its own: its address and the password it prints."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        names = os.environ | {"STEPMARK_DATA": folder, "LOG_LEVEL": "ERROR"}
        command = [sys.executable, "manage.py", "quickstart", "--port", str(port)]
        server = subprocess.Popen(
            command, cwd=ROOT, env=names, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )  # fmt: skip
        assert server.stdout is not None
        try:
            password = next(line.split()[1] for line in server.stdout if line.split()[:1] == ["password"])
            while server.poll() is None:
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.5)
            yield f"http://localhost:{port}", password
        finally:
            server.send_signal(signal.SIGINT)  # as a person ends it: the worker ends with it
            server.wait()


def log_in(context: BrowserContext, password: str) -> None:
    """Log ana in and let her read the guideline."""
    page = context.new_page()
    page.goto("/login/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", password)
    page.click("button.primary")
    page.goto("/p/example/guideline/")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/label/")


def main() -> None:
    """Measure and print; ends with status 1 when a first visit takes more than is allowed."""
    with quickstart() as (address, password), chromium() as browser:
        known = browser.new_context(base_url=address)
        known.set_default_timeout(120_000)
        log_in(known, password)
        page = browser.new_context(base_url=address, storage_state=known.storage_state()).new_page()
        wire = Wire()
        wire.watch(page)
        page.goto("/p/example/label/", wait_until="networkidle")
        first = wire.tell("first visit, empty cache")
        for n in range(ITEMS):
            page.keyboard.press("c")
            page.keyboard.press("Control+Enter")
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(1_000)
            wire.tell(f"item {n + 1}")
            if page.locator("#id_confirm_conflict").count():
                page.keyboard.press("y")
                page.keyboard.press("Control+Enter")
                page.wait_for_timeout(1_000)
                wire.tell(f"item {n + 1}, confirmed")
    print(f"\n{first:,} of {ALLOWED:,} bytes allowed")
    sys.exit(first > ALLOWED)


if __name__ == "__main__":
    main()
