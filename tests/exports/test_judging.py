"""Grading in the app: a row for every item, reasons from people or a model, one run a name."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.llm import EndpointError
from annotation.models import User
from exports.judging import NameTaken, grade_run
from exports.models import JudgeRun, JudgeVerdict, Release
from exports.parsing import AnswerError
from tests.at_once import at_once
from tests.exports.campaigns import Campaign, decided_campaign
from tests.model_server import ModelServer, Trouble, model_server, rule_grader


def lines(*objects: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(each) for each in objects).encode()


@pytest.fixture
def ids(release: Release) -> list[str]:
    return [item.item_id for item in release.items.order_by("position")]


@pytest.fixture
def answers(ids: list[str]) -> bytes:
    """The correct one is recognised; one error found for another reason; the last is not answered."""
    return lines(
        {"id": ids[0], "correct": True},
        {"id": ids[1], "correct": False, "first_error": 1, "reason": "One and one is two, surely.", "confidence": 0.7},
    )


@pytest.fixture
def grader(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield server


def test_every_item_of_the_release_has_a_row_answered_or_not(
    release: Release, ids: list[str], answers: bytes, lead: User
) -> None:
    run = grade_run(release, "judge", answers, lead)
    rows = run.verdicts.order_by("item__position")
    assert [(row.item.item_id, row.status, row.correct, row.first_error) for row in rows] == [
        (ids[0], "parsed", True, None), (ids[1], "parsed", False, 1), (ids[2], "missing", None, None),
    ]  # fmt: skip
    assert rows[1].confidence == 0.7
    assert run.report["counts"]["n"] == 3
    assert run.report["answers"]["missing"] == [ids[2]]
    assert run.report["acc_step"] == 0.5, "one of two errors found; the item without an answer counts as wrong"
    assert run.report["acc_reason"] is None
    assert run.report["how"]["release"] == {"project": "trial", "version": "1.0.0", "hash": release.content_hash}


def test_people_judge_the_reasons(release: Release, ids: list[str], answers: bytes, lead: User) -> None:
    people = lines({"id": ids[1], "same": True, "note": "As I said."})
    run = grade_run(release, "judge", answers, lead, reasons_file=people)
    row = run.verdicts.get(item__item_id=ids[1])
    assert (row.reason_same, row.reason_explanation) == (True, "As I said.")
    assert (run.report["acc_reason"], run.report["reasons"]["mode"]) == (0.5, "file")


def test_a_model_judges_the_reasons_and_its_replies_are_kept(
    release: Release, ids: list[str], answers: bytes, lead: User, grader: ModelServer
) -> None:
    run = grade_run(release, "judge", answers, lead, model="grader")
    assert len(grader.requests) == 1, "only the error found at the right step has its reason compared"
    assert run.verdicts.get(item__item_id=ids[1]).reason_same is True
    assert (run.report["acc_reason"], run.options["model"]) == (0.5, "grader")
    again = grade_run(release, "judge again", answers, lead, model="grader")
    assert len(grader.requests) == 1, "the same comparison is not paid for twice"
    assert again.report == run.report


def test_an_endpoint_that_refuses_leaves_no_half_run(
    release: Release, answers: bytes, lead: User, grader: ModelServer
) -> None:
    grader.troubles = [Trouble(401)]
    with pytest.raises(EndpointError):
        grade_run(release, "judge", answers, lead, model="grader")
    assert not JudgeRun.objects.exists()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ('{"id": "sm-unknown", "correct": true}', "Line 1"),
        ('{"id": "ID", "correct": true}\n{"id": "ID", "correct": false, "first_error": 0}', "Line 2"),
        ("not json", "Line 1"),
        ("", "no answers"),
    ],
    ids=["stranger", "two answers", "no JSON", "nothing"],
)
def test_answers_that_do_not_fit_are_refused_by_line(
    release: Release, ids: list[str], lead: User, sent: str, said: str
) -> None:
    with pytest.raises(AnswerError, match=said):
        grade_run(release, "judge", sent.replace("ID", ids[0]).encode(), lead)
    assert not JudgeVerdict.objects.exists()


def test_a_name_is_used_once_a_release(campaign: Campaign, release: Release, answers: bytes, lead: User) -> None:
    grade_run(release, "judge", answers, lead)
    with pytest.raises(NameTaken):
        grade_run(release, "judge", answers, lead)
    grade_run(campaign.freeze("1.0.1"), "judge", answers, lead)
    assert JudgeRun.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_name_used_at_once_makes_one_run(make_project: Any, annotators: list[User], lead: User) -> None:
    release = decided_campaign(make_project, annotators, lead).freeze()
    answers = lines({"id": release.items.get(position=0).item_id, "correct": True})
    got = at_once(*[lambda: grade_run(release, "judge", answers, lead)] * 3, refusals=NameTaken)
    assert sum(isinstance(each, JudgeRun) for each in got) == 1
    assert JudgeVerdict.objects.count() == 3
