"""The log of acts, and why readers differ: found by words, handed out as a file, each number opened to its items."""

import csv
import io
import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import guidelines
from annotation.models import Project, Solution, User
from annotation.verdicts import Verdict
from review import discussion
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import RIGHT, say_all, wrong
from tests.pages import words

AsUser = Callable[[User], Client]
LOG, FILE, CAUSES = (reverse(name, args=["trial"]) for name in ("log", "log-csv", "causes"))


@pytest.fixture
def talked(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    """Two people labelled an item and said something of it: TeX, Chinese, and what a spreadsheet would compute."""
    ana, ben, _chen = annotators
    solution, _other = say_all(make_project(2), {0: {ana: RIGHT, ben: wrong(1)}, 1: {ana: RIGHT}})
    for who, text in ((ana, r"Why \frac{1}{2}?"), (ben, "符号丢了"), (ana, "=1+1")):
        discussion.say(solution.problem.project, who, text, solution=solution)
    return solution


def acts(page: Any) -> list[tuple[str, str]]:
    """Who did what, as a page of the log lists it."""
    return [(event.actor.username, event.act) for event in page.context["page_obj"]]


def test_every_act_stands_in_the_log_newest_first(talked: Solution, lead: User, as_user: AsUser) -> None:
    page = as_user(lead).get(LOG)
    assert acts(page) == [
        ("ana", "commented"), ("ben", "commented"), ("ana", "commented"), ("ana", "submitted"), ("ben", "submitted"),
        ("ana", "submitted"),
    ]  # fmt: skip
    assert talked.item_id in words(page)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": r"\frac{1}{2}"}, 1), ({"q": "符号"}, 1), ({"q": "does not follow"}, 1), ({"q": "nothing like it"}, 0),
        ({"act": "submitted"}, 3), ({"who": "ben"}, 2), ({"who": "ben", "act": "commented"}, 1),
        ({"act": "rubbish"}, 6),
    ],
)  # fmt: skip
def test_the_log_is_searched(
    talked: Solution, lead: User, as_user: AsUser, query: dict[str, str], found: int
) -> None:  # fmt: skip
    client = as_user(lead)
    assert len(acts(client.get(LOG, query))) == found
    told = client.get(FILE, query)
    rows = list(csv.reader(io.StringIO(b"".join(told.streaming_content).decode())))  # type: ignore[attr-defined]
    assert len(rows) == found + 1, "the file has what the page shows"


def test_an_item_is_found_by_its_id(talked: Solution, lead: User, as_user: AsUser) -> None:
    assert len(acts(as_user(lead).get(LOG, {"q": talked.item_id}))) == 5


def test_the_file_has_every_part_of_an_act(talked: Solution, lead: User, as_user: AsUser) -> None:
    told = as_user(lead).get(FILE, {"act": "commented", "who": "ben"})
    head, row = csv.reader(io.StringIO(b"".join(told.streaming_content).decode()))  # type: ignore[attr-defined]
    assert head == ["at", "who", "act", "item", "problem", "detail"]
    assert row[1:5] == ["ben", "commented", talked.item_id, "p0"]
    assert json.loads(row[5])["text"] == "符号丢了"


@pytest.mark.parametrize("rows", [1, 3])
def test_the_log_takes_as_many_queries_for_one_act_as_for_many(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser,
    django_assert_num_queries: Any, rows: int,
) -> None:  # fmt: skip
    say_all(make_project(rows), {n: {annotators[0]: RIGHT} for n in range(rows)})
    client = as_user(lead)
    with django_assert_num_queries(7):
        client.get(LOG)


def test_why_readers_differ_is_summed_up_and_opens_to_the_items(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = annotators
    project = make_project(3)
    guidelines.publish(project, "# Scope\n\nAll.\n\n# Units\n\nThey count.", "", lead)
    solutions = say_all(project, {n: {ana: RIGHT, ben: wrong(1)} for n in range(3)})
    gold = Verdict(correct=True)
    decide(solutions[0], lead, Decision(Outcome.GOLD, gold, cause="guideline-gap", clause="Units"))
    decide(solutions[1], lead, Decision(Outcome.GOLD, gold, cause="guideline-gap", clause="Units", rationale="Kelvin?"))
    decide(solutions[2], lead, Decision(Outcome.GOLD, gold, cause="slip"))
    client = as_user(lead)
    page = client.get(CAUSES)
    assert "Guideline gap 2" in words(page)
    assert "Slip 1" in words(page)
    assert "Units Guideline gap 2" in words(page)
    assert "Kelvin?" in words(page)
    links = re.findall(r'<a href="([^"]*/items/[^"]*)">(\d+)</a>', page.content.decode())
    assert [number for _link, number in links] == ["2", "1", "2"]
    for link, number in links:
        listed = client.get(unescape(link))
        assert listed.context["page_obj"].paginator.count == int(number)
        assert "Why readers differ" in words(listed)
