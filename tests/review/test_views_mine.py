"""My work: one's own labels with what became of them, in a lead's words, and nothing of anybody else."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation import reports
from annotation.models import Annotation, Project, ReportKind, User
from review import discussion, returns
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import RIGHT, revise, say, solutions_of, wrong
from tests.pages import words

AsUser = Callable[[User], Client]
ADDRESS = "/p/trial/mine/"


@pytest.fixture
def ana(annotators: list[User], as_user: AsUser) -> Client:
    return as_user(annotators[0])


@pytest.fixture
def labels(make_project: Callable[..., Project], annotators: list[User], lead: User) -> list[Annotation]:
    """Ana's labels: open, decided as she said, decided otherwise, discarded."""
    solutions = solutions_of(make_project(4, overlap=2))
    given = [say(solution, annotators[0], wrong(1, reason=f"Reason {n}.")) for n, solution in enumerate(solutions)]
    for solution in solutions:
        say(solution, annotators[1], RIGHT)
    decide(solutions[1], lead, Decision(Outcome.GOLD, wrong(1, reason="Agreed.")))
    decide(solutions[2], lead, Decision(Outcome.GOLD, wrong(2, reason="Rather here."), rationale="Look at part two."))
    decide(solutions[3], lead, Decision(Outcome.DISCARDED, rationale="The figure is missing."))
    return given


def reasons(client: Client, **asked: Any) -> list[str]:
    shown = words(client.get(ADDRESS, asked))
    return [f"Reason {n}." for n in range(4) if f"Reason {n}." in shown]


def test_each_label_stands_with_its_step_and_what_became_of_it(ana: Client, labels: list[Annotation]) -> None:
    shown = words(ana.get(ADDRESS))
    assert "✗ Step 2 Reason 0. Revise" in shown
    assert "✗ Step 2 Reason 1. as you said" in shown
    assert "✗ Step 2 Reason 2. decided otherwise ✗ Step 3: Rather here. Lead: Look at part two." in shown
    assert "✗ Step 2 Reason 3. discarded Lead: The figure is missing." in shown


@pytest.mark.parametrize(
    ("state", "places"),
    [("open", [0]), ("decided", [1, 2, 3]), ("upheld", [1]), ("overruled", [2]), ("discarded", [3]), ("", [0, 1, 2, 3]),
     ("no such", [0, 1, 2, 3])],
)  # fmt: skip
def test_labels_are_found_by_state(ana: Client, labels: list[Annotation], state: str, places: list[int]) -> None:
    assert reasons(ana, state=state) == [f"Reason {n}." for n in places]


def test_a_leads_question_is_announced_on_every_page_and_comes_first(
    ana: Client, annotators: list[User], lead: User, make_project: Callable[..., Project]
) -> None:
    solutions = solutions_of(make_project(4, overlap=2))
    for n, solution in enumerate(solutions):
        say(solution, annotators[0], wrong(1, reason=f"Reason {n}."))
        say(solution, annotators[1], RIGHT)
    returns.ask_annotators(solutions[0], lead, "First question?")
    discussion.say(solutions[0].problem.project, annotators[0], "Answered.", solution=solutions[0])
    returns.ask_annotators(solutions[1], lead, "Second question?")
    assert "My work 1 question" in words(ana.get("/p/trial/guideline/"))
    shown = words(ana.get(ADDRESS))
    assert "First question?" not in shown
    assert shown.index("Second question?") < shown.index("Reason 3.")
    assert reasons(ana, state="asked") == ["Reason 1."]


def test_the_latest_version_is_shown_once(ana: Client, labels: list[Annotation]) -> None:
    revise(labels[0], wrong(2, reason="On second thoughts."))
    shown = words(ana.get(ADDRESS))
    assert "✗ Step 3 On second thoughts. version 2" in shown
    assert "Reason 0." not in shown


def test_only_ones_own_are_there(labels: list[Annotation], annotators: list[User], as_user: AsUser) -> None:
    assert "Reason" not in words(as_user(annotators[1]).get(ADDRESS)).replace("Rather here.", "")
    assert "No label fits." in words(as_user(annotators[2]).get(ADDRESS))


def test_long_lists_come_in_pages(make_project: Callable[..., Project], annotators: list[User], ana: Client) -> None:
    for solution in solutions_of(make_project(27)):
        say(solution, annotators[0], RIGHT)
    assert "Page 1 of 2, 27 in all" in words(ana.get(ADDRESS))
    assert words(ana.get(ADDRESS, {"page": 2})).count("Revise") == 2


def test_reports_and_skips_stand_with_their_answers(
    project: Project, annotators: list[User], lead: User, ana: Client
) -> None:
    first, second, third = solutions_of(project)
    reports.skip(annotators[0], first, "Not my subject.")
    reports.report(annotators[0], second, ReportKind.WRONG_KEY, "B is right.")
    row = reports.report(annotators[0], third, ReportKind.BAD_SPLIT, "Two in one.")
    reports.close(row, lead, "It stays so.")
    shown = words(ana.get(ADDRESS))
    assert "Not my subject." in shown
    assert "The answer key is wrong B is right. open" in shown
    assert "The steps are badly split Two in one. answered: It stays so." in shown


def test_a_list_takes_as_many_queries_with_one_label_as_with_three(
    make_project: Callable[..., Project], annotators: list[User], ana: Client, django_assert_num_queries: Any
) -> None:
    solutions = solutions_of(make_project(3))
    say(solutions[0], annotators[0], wrong(1))
    with django_assert_num_queries(11) as one:
        ana.get(ADDRESS)
    for solution in solutions[1:]:
        say(solution, annotators[0], wrong(0))
    with django_assert_num_queries(len(one)):
        ana.get(ADDRESS)
