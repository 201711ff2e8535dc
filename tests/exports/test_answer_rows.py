"""A judge's answers beside gold and annotators: found by filters, on the page and in the table."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from annotation.models import Solution, User
from exports import comparisons
from exports.answer_rows import COLUMNS
from exports.judging import grade_run
from exports.models import JudgeRun, Release
from tests.pages import words


@pytest.fixture
def ids(release: Release) -> list[str]:
    return [item.item_id for item in release.items.order_by("position")]


@pytest.fixture
def run(release: Release, ids: list[str], lead: User) -> JudgeRun:
    """Calls the correct one incorrect at a step that is none; finds an error; abstains."""
    said = [
        {"id": ids[0], "correct": False, "first_error": 99, "reason": "+1 is missing", "confidence": 0.25},
        {"id": ids[1], "correct": False, "first_error": 1, "reason": "=SUM(A1)", "rectified": "@two"},
        {"id": ids[2], "correct": None},
    ]
    people = json.dumps({"id": ids[1], "same": True, "note": "-As gold says."}).encode()
    run = grade_run(release, "careful", "\n".join(map(json.dumps, said)).encode(), lead, reasons_file=people)
    for word in ("=sign", "units"):
        comparisons.tag(run.verdicts.get(item__item_id=ids[1]), word, lead)
    return run


@pytest.fixture
def desk(run: JudgeRun, lead: User, as_user: Callable[[User], Client]) -> Client:
    return as_user(lead)


def of_run(name: str, run: JudgeRun) -> str:
    return reverse(name, args=["trial", "1.0.0", run.pk])


def table(desk: Client, run: JudgeRun, **wanted: str) -> list[dict[str, str]]:
    """The rows of the file."""
    answer: Any = desk.get(of_run("run-csv", run), wanted)
    assert isinstance(answer, StreamingHttpResponse)
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


def test_the_table_says_all_and_a_spreadsheet_computes_nothing(desk: Client, run: JudgeRun, ids: list[str]) -> None:
    first, second, third = table(desk, run)
    assert tuple(first) == COLUMNS
    assert (first["id"], first["gold_correct"], first["gold_first_error"]) == (ids[0], "True", "")
    assert (first["status"], first["flags"], first["confidence"]) == ("partial", "step_out_of_range", "0.25")
    assert (first["reason"], first["gold_reasons"]) == ("'+1 is missing", "")
    assert (second["correct"], second["first_error"], second["gold_first_error"]) == ("False", "1", "1")
    assert (second["reason"], second["rectified"]) == ("'=SUM(A1)", "'@two")
    assert (second["reason_same"], second["explanation"]) == ("True", "'-As gold says.")
    assert second["gold_reasons"] == "One and one is two."
    assert second["annotators_reasons"] == "a1: One and one is two.\na2: It should be two."
    assert second["tags"] == "'=sign\nunits"
    assert (third["status"], third["correct"]) == ("abstained", "")


FILTERS: list[tuple[dict[str, str], list[int]]] = [
    ({}, [0, 1, 2]), ({"outcome": "reason-right"}, [1]), ({"outcome": "verdict-wrong"}, [0, 2]),
    ({"status": "abstained"}, [2]), ({"tag": "units"}, [1]), ({"tag": "units", "status": "partial"}, []),
    ({"subject": "math"}, [0, 1, 2]), ({"subject": "law"}, []), ({"outcome": "unheard"}, [0, 1, 2]),
    ({"item": "sm-zzz"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "places"), FILTERS)
def test_the_table_holds_what_the_page_shows(
    desk: Client, run: JudgeRun, ids: list[str], wanted: dict[str, str], places: list[int]
) -> None:
    shown = desk.get(of_run("run-items", run), wanted).context["page_obj"]
    assert [row.item.item_id for row in shown] == [ids[place] for place in places]
    assert [row["id"] for row in table(desk, run, **wanted)] == [ids[place] for place in places]


def test_the_page_leads_to_the_table_of_the_same_filters(desk: Client, run: JudgeRun) -> None:
    page = desk.get(of_run("run-items", run), {"tag": "=sign", "status": "parsed", "page": "1"})
    assert f'href="{of_run("run-csv", run)}?tag=%3Dsign&amp;status=parsed"' in page.content.decode()


def test_an_item_is_found_by_a_part_of_its_id(desk: Client, run: JudgeRun, ids: list[str]) -> None:
    page = desk.get(of_run("run-items", run), {"item": f" {ids[2][3:14].upper()} "})
    assert [row.item.item_id for row in page.context["page_obj"]] == [ids[2]]


def test_annotators_labels_stand_beside_gold_and_the_judge(desk: Client, run: JudgeRun) -> None:
    page = words(desk.get(of_run("run-items", run), {"status": "parsed"}))
    told = "Gold incorrect at Step 2 One and one is two. Annotators a1: incorrect at Step 2, with a reason that stands"
    assert f"{told} above a2: incorrect at Step 2 It should be two. Judge incorrect at Step 2 same reason" in page
    assert "a1: correct" in words(desk.get(of_run("run-items", run), {"status": "partial"}))


def test_an_item_that_waits_for_adjudication_says_so(desk: Client, run: JudgeRun, ids: list[str]) -> None:
    page = desk.get(of_run("run-items", run))
    assert page.content.count(b'class="doubt"') == 3
    row = run.verdicts.get(item__item_id=ids[1])
    desk.post(of_run("doubt", run), {"verdict": row.pk})
    assert Solution.objects.get(item_id=ids[1]).settled_at is None
    page = desk.get(of_run("run-items", run))
    assert page.content.count(b'class="doubt"') == 2
    assert words(page).count("waits for adjudication") == 1


@pytest.mark.parametrize("step", [99, -7, 10**300])
def test_a_step_that_does_not_exist_is_flagged_and_shown(release: Release, desk: Client, lead: User, step: int) -> None:
    item = release.items.order_by("position")[1].item_id
    said = json.dumps({"id": item, "correct": False, "first_error": step}).encode()
    run = grade_run(release, "far off", said, lead)
    assert run.report["answers"]["flags"] == {"step_out_of_range": 1}
    page = words(desk.get(of_run("run-items", run), {"status": "partial"}))
    assert "step does not exist" in page
    assert "Judge incorrect, no step" in page


@pytest.mark.parametrize(("status", "rows"), [("parsed", 1), ("", 3)])
def test_the_page_takes_as_many_queries_for_one_answer_as_for_many(
    desk: Client, run: JudgeRun, django_assert_num_queries: Any, status: str, rows: int
) -> None:
    with django_assert_num_queries(12):
        page = desk.get(of_run("run-items", run), {"status": status})
    assert len(page.context["page_obj"]) == rows
