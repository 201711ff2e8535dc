"""What many tests need: people, a campaign with work in it, tasks that run at once, windows of a browser."""

import os
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_started
from django.test import Client
from playwright.sync_api import Browser, Page

from annotation.intake import take_in
from annotation.models import Project, Role, User
from annotation.projects import create_project
from annotation.sources.records import Option, ProblemRecord, SolutionRecord, StepRecord
from tests import browser, postgres_server

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
PASSWORD = "a-password-for-tests"
NO_SKIPS = "STEPMARK_TEST_EVERYTHING"  # set where every service has to be there: a skipped test then fails


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The whole suite takes every core; some files named on the command line run at once, in this process."""
    return (os.cpu_count() or 1) if config.args_source == pytest.Config.ArgsSource.TESTPATHS else 0


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Mark what needs a database, and begin with what takes longest, whatever order others wish for."""
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if names & {"db", "transactional_db", "live_server"} or item.get_closest_marker("django_db"):
            item.add_marker("database")
    yield
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("postgres", "browser")])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get(NO_SKIPS) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped though {NO_SKIPS} is set: {report.longrepr}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line which services the run had, and which it had to do without."""
    found = {
        "Chromium": browser.version(),
        "PostgreSQL": postgres_server.version(),
        "shared data": "here" if (SHARED / "data").is_dir() else "",
    }
    have = ", ".join(f"{name} {told}".removesuffix(" here") for name, told in found.items() if told)
    lack = ", ".join(name for name, told in found.items() if not told)
    parts = [f"with {have}" if have else "", f"without {lack} (tests that need them were skipped)" if lack else ""]
    terminalreporter.write_line("; ".join(part for part in parts if part))


@pytest.fixture(autouse=True)
def own_data_folder(settings: Any, tmp_path: Path) -> None:
    """No test writes into the folder of a running Stepmark, and long work is done at once."""
    settings.RELEASES_DIR = tmp_path / "releases"
    settings.MODEL_CACHE_DIR = tmp_path / "model-replies"
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"}}
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def shared_data() -> Path:
    """The real files; a test that needs them is skipped without them."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder with the real data files is not here")
    return SHARED / "data"


@pytest.fixture
def make_user(db: None) -> Callable[..., User]:
    """Make an account."""

    def make(name: str, role: str = Role.ANNOTATOR) -> User:
        return User.objects.create_user(name, password=PASSWORD, role=role)

    return make


@pytest.fixture
def annotators(make_user: Callable[..., User]) -> list[User]:
    return [make_user(name) for name in ("ana", "ben", "chen")]


@pytest.fixture
def lead(make_user: Callable[..., User]) -> User:
    return make_user("lena", Role.LEAD)


@pytest.fixture
def admin(make_user: Callable[..., User]) -> User:
    return make_user("ada", Role.ADMIN)


def solution_record(n: int, *, subject: str = "math", steps: int = 3, final_answer: str = "A") -> SolutionRecord:
    """A small solution of problem number n, with its steps printed as in real data."""
    lines = [f"Step {i + 1}: part {i} of {n}" for i in range(steps)]
    raw = "\n".join([*lines, f"Solution: Choice_{final_answer}"])
    found, at = [], 0
    for i, line in enumerate(lines):
        start = at + len(f"Step {i + 1}: ")
        found.append(StepRecord(line.split(": ", 1)[1], start, at + len(line), str(i + 1)))
        at += len(line) + 1
    found.append(StepRecord(raw[at:], at, len(raw), "", "answer"))
    problem = ProblemRecord(
        source="tests", external_id=f"p{n}", question=f"Question {n}?", subject=subject,
        options=(Option("A", "one"), Option("B", "two")), answer_keys=(("A",),),
    )  # fmt: skip
    return SolutionRecord(problem, "model-x", raw, tuple(found), where=f"record {n}", final_answer=final_answer)


@pytest.fixture
def make_project(annotators: list[User]) -> Callable[..., Project]:
    """Make a campaign with a number of solutions, open to the three annotators."""

    def make(solutions: int = 3, *, slug: str = "trial", **policy: Any) -> Project:
        policy = {"overlap": 2, "min_reason": 5, **policy}
        project = create_project(Project(slug=slug, name=slug.title(), **policy), annotators)
        take_in(project, [solution_record(n) for n in range(solutions)])
        return project

    return make


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    return make_project()


@pytest.fixture
def as_user() -> Callable[[User], Client]:
    """A client logged in as somebody."""

    def logged_in(user: User) -> Client:
        own = Client()
        own.force_login(user)
        return own

    return logged_in


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A running browser. Its driver keeps an event loop in this thread, which the ORM would refuse to work beside."""
    if browser.program() is None:
        pytest.skip("there is no chromium on this machine")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    try:
        with browser.chromium() as running:
            yield running
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def windows(chromium: Browser) -> Iterator[browser.Windows]:
    """Windows whose every complaint fails the test: console errors, policy violations, page errors, failed answers."""
    opened = browser.Windows(chromium)
    yield opened
    opened.close()
    assert not opened.unexpected(), "\n".join(opened.unexpected())


@pytest.fixture
def answered(live_server: Any, windows: browser.Windows) -> Iterator[None]:
    """Wait at the end until the site has answered everything: the database is emptied then, under its feet."""
    threads: set[threading.Thread] = set()

    def begins(**_sent: Any) -> None:
        threads.add(threading.current_thread())

    request_started.connect(begins)
    yield
    windows.close()
    request_started.disconnect(begins)
    for thread in threads - {threading.current_thread()}:
        thread.join(timeout=10)


@pytest.fixture
def window_of(
    live_server: Any, answered: None, windows: browser.Windows, as_user: Callable[[User], Client]
) -> Callable[..., Page]:
    """Open a window of the running site for somebody who is logged in, or for a visitor who is not."""

    def opened(user: User | None = None, **options: Any) -> Page:
        cookies = {name: morsel.value for name, morsel in as_user(user).cookies.items()} if user else {}
        return windows.open(live_server.url, cookies, **options)

    return opened
