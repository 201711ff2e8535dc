"""The agreement page: figures kept at hand, what is undefined explained, each number opened to its items."""

import csv
import io
import re
from collections.abc import Callable
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import reverse
from django_tasks_db.models import DBTaskResult
from playwright.sync_api import Page

from annotation.models import Project, User
from annotation.verdicts import Verdict
from review import kept_figures
from review.pairwise import HIDDEN
from review.questions import Warn
from review.slices import DIMENSIONS
from tests.labels import RIGHT, say_all, solutions_of, wrong
from tests.pages import HTMX, fields, is_whole, words

AsUser = Callable[[User], Client]
URL = reverse("agreement", args=["trial"])
ITEMS = reverse("items", args=["trial"])


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
    part = page.context["kept"][0].report[question]["figures"][name]
    assert isinstance(part, dict)
    return part


def exhibit(page: Any, key: str) -> list[list[Any]]:
    """The table of an exhibit as its CSV file has it."""
    (found,) = [each for each in page.context["exhibits"] if each.key == key]
    return list(found.csv_rows())


def csv_rows(response: Any) -> list[list[str]]:
    """The rows of a file that is handed out."""
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in response["Content-Disposition"]
    return list(csv.reader(io.StringIO(response.getvalue().decode())))


def test_the_first_visit_computes_the_figures(labelled: Project, lead: User, as_user: AsUser) -> None:
    page = as_user(lead).get(URL)
    assert figure(page, "correctness", "percent")["value"] == 0.75
    assert figure(page, "first_error", "percent")["value"] == 0.5
    assert figure(page, "first_error", "within_one")["value"] == 0.75
    assert figure(page, "given_both_incorrect", "percent")["value"] == 0.5
    assert "All 8 labels so far are counted" in words(page)
    assert "8 labels of 4 items by 2 annotators" in words(page)
    assert "whole problems resampled 200 times" in words(page)
    # Of the labels 3 say correct and 5 incorrect; observed 2 of 8, expected 2 * 3 * 5 / (8 * 7).
    assert "What was said: incorrect 62.5 %, correct 37.5 %." in words(page)
    assert "observed disagreement .250, expected by chance .536; 1 − observed / expected = .533" in words(page)


def test_newer_labels_are_counted_at_the_next_look(
    labelled: Project, annotators: list[User], lead: User, as_user: AsUser
) -> None:
    client = as_user(lead)
    first = client.get(URL)
    seen = first.context["seen"]
    assert client.get(URL, {"seen": seen}, headers=HTMX).status_code == 204, "nothing is new"
    solutions_of(labelled)[0].assignments.create()
    say_all(labelled, {0: {annotators[2]: wrong(0)}})
    part = client.get(URL, {"seen": seen}, headers=HTMX)
    assert not is_whole(part)
    assert figure(part, "correctness", "unanimous")["n_labels"] == 9


def test_the_page_says_as_of_when_while_workers_count(
    labelled: Project, annotators: list[User], lead: User, as_user: AsUser, settings: Any
) -> None:
    client = as_user(lead)
    client.get(URL)
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    solutions_of(labelled)[0].assignments.create()
    say_all(labelled, {0: {annotators[2]: wrong(0)}})
    for _look in range(3):
        page = client.get(URL)
    assert "with 8 labels; newer labels or intervals are being counted" in words(page)
    assert 'hx-trigger="every 2s"' in page.content.decode()
    assert figure(page, "correctness", "unanimous")["n_labels"] == 8
    client.get(URL, {"by": "subject"})
    assert DBTaskResult.objects.count() == 1, "one refresh of a campaign at a time"


@pytest.mark.parametrize(
    "query",
    [
        {},
        *({"by": dimension} for dimension in DIMENSIONS),
        {"by": "subject", "part": "math"},
        {"by": "guideline", "part": ""},
        {"tab": "annotators"},
        {"tab": "annotators", "question": "correctness"},
        {"tab": "confusion"},
    ],
)
def test_every_number_opens_to_as_many_items(
    labelled: Project, lead: User, as_user: AsUser, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review.pairwise.MINIMUM_COMMON", 1)
    client = as_user(lead)
    page = client.get(URL, query)
    links = re.findall(r'<a href="([^"]*/items/[^"]*)">(\d+)</a>', page.content.decode())
    assert links
    for link, number in links:
        rows = client.get(unescape(link)).context["page_obj"].paginator
        assert rows.count == int(number), link


def test_consensus_opens_to_its_items(
    make_project: Callable[..., Project], make_user: Callable[..., User], annotators: list[User], lead: User,
    as_user: AsUser,
) -> None:  # fmt: skip
    everybody = [*annotators, make_user("dora"), make_user("emil")]
    project = make_project(7, overlap=5)
    project.members.set(everybody)
    said: list[list[Verdict]] = [
        [wrong(1), wrong(1), wrong(1)],
        [wrong(1), wrong(2), wrong(1), wrong(1)],
        [RIGHT, RIGHT, RIGHT],
        [RIGHT, wrong(0), RIGHT, wrong(1), RIGHT],
        [RIGHT, wrong(0), wrong(1), wrong(2), wrong(1)],
        [wrong(1), wrong(1)],
    ]
    say_all(project, {place: dict(zip(everybody, given, strict=False)) for place, given in enumerate(said)})
    client = as_user(lead)
    page = client.get(URL, {"tab": "consensus"})
    header, row = exhibit(page, "consensus")
    found = dict(zip(header, row, strict=True))
    assert (found["error items"], found["error 3/3"], found["error 3/4"], found["error 3/5"]) == (2, 1, 1, 0)
    assert (found["correct items"], found["correct 3/3"], found["correct 3/5"]) == (2, 1, 1)
    assert found["correct 3/5 share"] == 0.5
    assert (found["no consensus"], found["too few labels"]) == (1, 1)
    places = {solution.pk: place for place, solution in enumerate(solutions_of(project))}
    wanted = {
        "error": [0, 1], "error-3": [0], "error-4": [1], "error-5": [], "correct": [2, 3], "correct-3": [2],
        "correct-5": [3], "none": [4], "waiting": [5],
    }  # fmt: skip
    for which, items in wanted.items():
        rows = client.get(ITEMS, {"by": "subject", "part": "math", "consensus": which}).context["page_obj"]
        assert [places[solution.pk] for solution in rows] == items, which


def test_annotators_beside_each_other(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, chen = annotators
    project = make_project(20, overlap=3)
    # Ana and Ben agree throughout; Chen differs from both on five items, always a step later.
    say_all(
        project,
        {n: {ana: wrong(1), ben: wrong(1), **({chen: wrong(2 if n < 5 else 1)} if n < 19 else {})} for n in range(20)},
    )
    client = as_user(lead)
    page = client.get(URL, {"tab": "annotators"})
    pairs = {(row[0], row[1]): row[2:] for row in exhibit(page, "pairs")[1:]}
    assert pairs["ana", "ben"][:3] == [20, 1.0, ""]
    assert pairs["ana", "chen"] == [19, None, HIDDEN, None, HIDDEN]
    assert HIDDEN in words(page)
    against = {row[0]: row[1:] for row in exhibit(page, "against-others")[1:]}
    # Chen: 14 of 19; Wilson by hand (14 + 1.92 -+ 1.96 sqrt(14 * 5 / 19 + .96)) / (19 + 3.84).
    assert against["chen"][:2] == [19, pytest.approx(14 / 19)]
    assert against["chen"][2:4] == pytest.approx([0.512, 0.882], abs=1e-3)
    assert against["chen"][4:] == [5, 0, pytest.approx(5 / 19)]
    # Ana's others part on the five items of Chen's, so these are ties; on the item without Chen, Ben is the majority.
    assert against["ana"][:2] == [15, 1.0]
    assert against["ana"][5] == 5
    rows = client.get(ITEMS, {"figure": "first_error", "annotator": str(chen.pk), "outcome": "differs"})
    assert rows.context["page_obj"].paginator.count == 5
    rising = {row[0]: row[-1] for row in exhibit(page, "influence")[1:]}
    assert rising == {"ana": 0, "ben": 0, "chen": 0}


def test_what_is_undefined_says_why(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = annotators
    say_all(make_project(2), {0: {ana: RIGHT, ben: RIGHT}, 1: {ana: RIGHT, ben: RIGHT}})
    page = as_user(lead).get(URL)
    alpha = figure(page, "correctness", "alpha")
    assert alpha["value"] is None
    assert alpha["undefined"] in words(page)
    assert figure(page, "correctness", "percent")["value"] == 1
    assert figure(page, "given_both_incorrect", "percent")["value"] is None
    assert "Fewer than 20 items" in words(page)
    assert "More than 90 % of the labels are the same" in words(page)


@pytest.mark.parametrize("said", [{}, {0: [0]}, {0: [0], 1: [0]}], ids=["no label", "one label", "one annotator"])
def test_without_two_labels_to_compare_nothing_is_defined(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser,
    said: dict[int, list[int]],
) -> None:  # fmt: skip
    say_all(make_project(2), {place: {annotators[who]: wrong(1) for who in people} for place, people in said.items()})
    client = as_user(lead)
    page = client.get(URL)
    for question in page.context["kept"][0].report.values():
        for part in question["figures"].values() if isinstance(question, dict) else ():
            assert part["value"] is None
            assert part["undefined"] == "No item has two labels to compare."
    for query in ({"tab": "annotators"}, {"tab": "confusion"}, {"tab": "consensus"}, {"by": "week"}):
        assert client.get(URL, query).status_code == 200


def test_a_cut_says_which_parts_are_too_small(labelled: Project, lead: User, as_user: AsUser) -> None:
    problem = labelled.problems.all()[0]
    problem.subject = "logic"
    problem.save()
    page = words(as_user(lead).get(URL, {"by": "subject"}))
    assert "logic, math: " + str(Warn.FEW_UNITS) in page


@pytest.mark.parametrize("subjects", [1, 3])
@pytest.mark.parametrize("query", [{}, {"by": "subject"}, {"tab": "annotators"}, {"tab": "consensus"}])
def test_it_takes_as_many_queries_for_one_subject_as_for_many(
    labelled: Project, lead: User, as_user: AsUser, django_assert_max_num_queries: Any, subjects: int,
    query: dict[str, str],
) -> None:  # fmt: skip
    for n, problem in enumerate(labelled.problems.all()):
        problem.subject = f"subject {n % subjects}"
        problem.save()
    client = as_user(lead)
    client.get(URL, query)
    with django_assert_max_num_queries(9):
        client.get(URL, query)


@pytest.mark.parametrize(
    "query",
    [
        {"figure": "first_error", "by": "week", "part": "2026-W05"},
        {"figure": "category", "by": "guideline", "part": "1"},
        {"figure": "first_error", "annotator": "ana"},
        {"figure": "correctness", "first": "ana", "second": "ben"},
        {"consensus": "error-3"},
    ],
)
def test_lists_behind_figures_take_a_few_queries(
    labelled: Project, annotators: list[User], lead: User, as_user: AsUser, django_assert_max_num_queries: Any,
    query: dict[str, str],
) -> None:  # fmt: skip
    client, ids = as_user(lead), {who.username: str(who.pk) for who in annotators}
    query = {name: ids.get(value, value) for name, value in query.items()}
    with django_assert_max_num_queries(10):
        client.get(ITEMS, query)


def test_a_list_says_what_it_was_asked_for(
    labelled: Project, annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = (str(who.pk) for who in annotators)
    told = {
        "Subject: math": {"figure": "category", "by": "subject", "part": "math"},
        "Guideline version: none": {"figure": "category", "by": "guideline", "part": ""},
        "ana beside ben": {"figure": "correctness", "first": ana, "second": ben},
        "ana against the majority of the others": {"figure": "correctness", "annotator": ana},
        "one says step 2, the other no error": {"figure": "first_error", "one": "1", "other": "-1"},
        "error 3/4": {"consensus": "error-4"},
    }
    client = as_user(lead)
    for sentence, query in told.items():
        page = client.get(ITEMS, query)
        assert sentence in words(page)
        assert fields(page).items() >= query.items(), "its form keeps what was asked"


@pytest.mark.parametrize(
    "query",
    [
        {"by": "colour"}, {"tab": "colour"}, {"by": "subject", "part": "nothing like it"},
        {"tab": "annotators", "question": "reason"}, {"by": "week", "part": "x" * 300},
    ],
)  # fmt: skip
def test_an_unheard_of_query_is_answered(labelled: Project, lead: User, as_user: AsUser, query: dict[str, str]) -> None:
    assert as_user(lead).get(URL, query).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        {"figure": "first_error", "by": "week", "part": "2026-W99"},
        {"figure": "first_error", "by": "steps", "part": "none"},
        {"figure": "first_error", "one": "x", "other": "1"},
        {"figure": "first_error", "first": "x", "second": "9" * 30},
    ],
)
def test_a_list_of_what_cannot_be_is_empty(
    labelled: Project, lead: User, as_user: AsUser, query: dict[str, str]
) -> None:
    assert as_user(lead).get(ITEMS, query).context["page_obj"].paginator.count == 0


def test_tables_and_pictures_are_files_too(labelled: Project, lead: User, as_user: AsUser) -> None:
    labelled.problems.update(subject="=1+1")
    client = as_user(lead)
    rows = csv_rows(client.get(reverse("agreement-table", args=["trial", "correctness"]), {"by": "subject"}))
    assert rows[0][:3] == ["subject", "units", "unanimous"]
    assert rows[1][:3] == ["'=1+1", "4", "0.75"], "no spreadsheet computes a subject"
    picture = client.get(reverse("agreement-picture", args=["trial", "correctness"]), {"by": "subject"})
    assert picture["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(picture.content)
    assert drawn.find("{*}style") is not None, "a file brings its own looks"
    assert "=1+1" in [text.text for text in drawn.findall(".//{*}text")]
    for name in ("agreement-table", "agreement-picture"):
        assert client.get(reverse(name, args=["trial", "nothing"])).status_code == 404


def test_working_is_refused_for_what_there_is_not(labelled: Project, lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    for name in ("agreement-units", "agreement-coincidences"):
        assert client.get(reverse(name, args=["trial"]), {"question": "colour"}).status_code == 404
    coincidences = csv_rows(
        client.get(reverse("agreement-coincidences", args=["trial"]), {"question": "first_error"})
    )  # fmt: skip
    # Two say step 2 together, once step 2 against 3, once step 1 against no error, two say no error together.
    assert coincidences == [
        ["value", "step 1", "step 2", "step 3", "no error", "total"],
        ["step 1", "0.0", "0.0", "0.0", "1.0", "1.0"],
        ["step 2", "0.0", "2.0", "1.0", "0.0", "3.0"],
        ["step 3", "0.0", "1.0", "0.0", "0.0", "1.0"],
        ["no error", "1.0", "0.0", "0.0", "2.0", "3.0"],
        ["total", "1.0", "3.0", "1.0", "3.0", "8.0"],
    ]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_pages_keep_the_policy_and_are_accessible(
    labelled: Project, lead: User, window_of: Callable[..., Page]
) -> None:
    """The fixture fails the test for anything the browser complains of, policy violations first."""
    for scheme in ("light", "dark"):
        page = window_of(lead, color_scheme=scheme, viewport={"width": 820, "height": 1100})
        for query in ("", "?by=subject", "?by=week", "?tab=annotators", "?tab=confusion", "?tab=consensus"):
            page.goto(f"{URL}{query}")
            page.wait_for_selector(".exhibit svg, .exhibit td")
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), query
