"""The agreement page: figures kept at hand, what is undefined explained, each number opened to its items."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project, User
from review import kept_figures
from tests.labels import RIGHT, say_all, wrong
from tests.pages import HTMX, is_whole, words

AsUser = Callable[[User], Client]
URL = reverse("agreement", args=["trial"])


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "RESAMPLES", 200)


@pytest.fixture
def labelled(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Four items by two annotators: they agree on two; on one they differ by a step, on one by the verdict."""
    ana, ben, _chen = annotators
    project = make_project(4)
    say_all(
        project,
        {
            0: {ana: RIGHT, ben: RIGHT},
            1: {ana: wrong(1), ben: wrong(1)},
            2: {ana: wrong(1), ben: wrong(2)},
            3: {ana: RIGHT, ben: wrong(0)},
        },
    )
    return project


def figure(page: Any, question: str, name: str) -> dict[str, Any]:
    """One figure of the whole campaign as the page was given it."""
    _snapshot, questions = page.context["snapshots"][0]
    (found,) = [figures for key, _name, _question, figures in questions if key == question]
    (part,) = [part for figure_name, _title, part in found if figure_name == name]
    assert isinstance(part, dict)
    return part


def test_the_first_visit_computes_the_figures(labelled: Project, lead: User, as_user: AsUser) -> None:
    page = as_user(lead).get(URL)
    assert figure(page, "correctness", "percent")["value"] == 0.75
    assert figure(page, "first_error", "percent")["value"] == 0.5
    assert figure(page, "first_error", "within_one")["value"] == 0.75
    assert figure(page, "given_both_incorrect", "percent")["value"] == 0.5
    assert "All labels so far are counted" in words(page)
    assert "8 labels of 4 items by 2 annotators" in words(page)
    assert "hx-trigger" not in page.content.decode(), "nothing more is awaited"


def test_newer_labels_are_counted_at_the_next_visit_and_the_part_waits_for_them(
    labelled: Project, annotators: list[User], lead: User, as_user: AsUser, make_project: Callable[..., Project]
) -> None:
    client = as_user(lead)
    client.get(URL)
    labelled.overlap = 3
    for slot_of in (0, 1):
        solution = labelled.problems.order_by("pk")[slot_of].solutions.get()
        solution.assignments.create()
    say_all(labelled, {0: {annotators[2]: wrong(0)}, 1: {annotators[2]: wrong(1)}})
    part = client.get(URL, headers=HTMX)
    assert not is_whole(part)
    assert "newer labels are being counted" in words(part)
    assert "hx-trigger" in part.content.decode()
    assert figure(part, "correctness", "unanimous")["n_labels"] == 8
    page = client.get(URL)
    assert is_whole(page)
    assert figure(page, "correctness", "unanimous")["n_labels"] == 10


def test_every_number_opens_to_as_many_items(labelled: Project, lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    page = client.get(URL)
    links = re.findall(r'<a href="([^"]*figure=[^"]*)">(\d+)</a>', page.content.decode())
    assert len(links) > 20
    for link, number in links:
        rows = client.get(unescape(link)).context["page_obj"].paginator
        assert rows.count == int(number), link


def test_what_is_undefined_says_why(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = annotators
    say_all(make_project(2), {0: {ana: RIGHT, ben: RIGHT}, 1: {ana: RIGHT, ben: RIGHT}})
    page = as_user(lead).get(URL)
    alpha = figure(page, "correctness", "alpha")
    assert alpha["value"] is None
    assert f"not defined: {alpha['undefined']}" in words(page)
    assert figure(page, "correctness", "percent")["value"] == 1
    assert figure(page, "given_both_incorrect", "percent")["value"] is None
    assert "Fewer than 20 items" in words(page)


@pytest.mark.parametrize("said", [{}, {0: 0}], ids=["no label", "one label"])
def test_without_two_labels_to_compare_nothing_is_defined(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser, said: dict[int, int]
) -> None:
    say_all(make_project(1), {place: {annotators[who]: RIGHT} for place, who in said.items()})
    page = as_user(lead).get(URL)
    assert page.status_code == 200
    for _snapshot, questions in page.context["snapshots"]:
        for _key, _name, _question, figures in questions:
            assert all(part["value"] is None and part["undefined"] for _figure, _title, part in figures)


@pytest.mark.parametrize("subjects", [1, 3])
def test_it_takes_as_many_queries_for_one_subject_as_for_many(
    labelled: Project, lead: User, as_user: AsUser, django_assert_num_queries: Any, subjects: int
) -> None:
    for n, problem in enumerate(labelled.problems.all()):
        problem.subject = f"subject {n % subjects}"
        problem.save()
    client = as_user(lead)
    client.get(URL)
    with django_assert_num_queries(6):
        client.get(URL)
