"""What many tests need: people, a campaign with work in it, and tasks that run at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.intake import take_in
from annotation.models import Project, Role, User
from annotation.projects import create_project
from annotation.sources.records import Option, ProblemRecord, SolutionRecord, StepRecord

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
PASSWORD = "a-password-for-tests"


@pytest.fixture(autouse=True)
def own_data_folder(settings: Any, tmp_path: Path) -> None:
    """No test writes into the folder of a running Stepmark, and long work is done at once."""
    settings.RELEASES_DIR = tmp_path / "releases"
    settings.MODEL_CACHE_DIR = tmp_path / "model-replies"
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"}}
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
