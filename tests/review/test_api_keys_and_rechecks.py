"""Over the API: other answer keys with a second approval, and gold decided again by somebody who does not see it."""

import json
from typing import Any

import pytest

from annotation.models import Problem, Project, Solution, User
from review.adjudication import Decision, decide
from review.models import Outcome, RecheckItem
from tests.labels import RIGHT, say_all, wrong
from tests.programs import Program

HERE = "projects/trial"
OTHER = {"accepted": ["B"], "standing": "usable", "reason": "The table says B."}
SECRET = "Only the first lead wrote this."


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


@pytest.fixture
def decided(project: Project, annotators: list[User], admin: User) -> list[Solution]:
    """Three solutions; ada has decided that the first is wrong at its second step and the second is right."""
    ana, ben, _chen = annotators
    fault = wrong(1, reason=SECRET)
    found = say_all(project, {0: {ana: fault, ben: RIGHT}, 1: {ana: RIGHT, ben: RIGHT}})
    decide(found[0], admin, Decision(Outcome.GOLD, fault))
    decide(found[1], admin, Decision(Outcome.GOLD, RIGHT))
    return found


# Keys


def test_a_key_is_proposed_by_one_lead_and_approved_by_another(
    leading: Program, decided: list[Solution], admin: User
) -> None:
    Project.objects.update(second_approval=True)
    here = f"{HERE}/problems/{decided[1].problem_id}/key/"
    told = leading.get(here)
    assert (told["accepted"], told["standing"], [each["version"] for each in told["versions"]]) == (
        ["A"],
        "usable",
        [1],
    )
    assert told["evidence"] == {
        "final_answers": {"A": 1}, "correct_elsewhere": 0, "incorrect_with_key": 0, "reports": 0
    }  # fmt: skip
    row = leading.post(here, 201, **OTHER)
    assert (row["approved"], row["proposed_by"], row["problem"]) == (None, "lena", decided[1].problem_id)
    decision = f"{HERE}/keys/{row['id']}/decide/"
    assert "Another lead" in leading.post(decision, 409, approved=True)["detail"]
    assert Problem.objects.get(pk=decided[1].problem_id).answer_key == ["A"]
    done = Program(admin).post(decision, approved=True, note="Looked it up.")
    assert (done["approved"], done["decided_by"], done["note"], done["reopened"]) == (True, "ada", "Looked it up.", 1)
    assert leading.get(here)["accepted"] == ["B"]
    assert "decided already" in Program(admin).post(decision, 409, approved=False)["detail"]
    assert leading.get(f"{HERE}/keys/?approved=true")["count"] == 1


def test_a_refused_proposal_changes_nothing(leading: Program, decided: list[Solution]) -> None:
    Project.objects.update(second_approval=True)
    here = f"{HERE}/problems/{decided[1].problem_id}/key/"
    row = leading.post(here, 201, **OTHER)
    assert leading.post(here, 400, **OTHER)["field"] == "accepted", "one proposal waits at a time"
    assert leading.post(f"{HERE}/keys/{row['id']}/decide/", approved=False, note="No.")["approved"] is False
    assert leading.get(here)["accepted"] == ["A"]
    decided[1].refresh_from_db()
    assert decided[1].settled_at is not None


def test_proposals_that_wait_come_first(leading: Program, decided: list[Solution]) -> None:
    Project.objects.update(second_approval=True)
    first, second, third = (
        leading.post(f"{HERE}/problems/{solution.problem_id}/key/", 201, **OTHER)["id"] for solution in decided
    )
    leading.post(f"{HERE}/keys/{third}/decide/", approved=False)
    assert [row["id"] for row in leading.get(f"{HERE}/keys/")["results"]] == [second, first, third]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"accepted": "B"}, "accepted"),
        ({"standing": "lost"}, "standing"),
        ({"reason": " "}, "reason"),
        ({"accepted": ["A"]}, "accepted"),
    ],
)
def test_a_proposal_that_says_nothing_is_refused(
    leading: Program, decided: list[Solution], changed: dict[str, Any], field: str
) -> None:
    assert leading.post(f"{HERE}/problems/{decided[1].problem_id}/key/", 400, **OTHER | changed)["field"] == field


# Rechecks


def test_gold_is_decided_again_blind_and_its_error_measured(leading: Program, decided: list[Solution]) -> None:
    drawn = leading.post(f"{HERE}/recheck/", size=5)
    assert (len(drawn["waiting"]), drawn["gold_error"]["n"], drawn["gold_error"]["rate"]) == (2, 0, None)
    for pk in drawn["waiting"]:
        item = leading.get(f"{HERE}/recheck/items/{pk}/")
        assert SECRET not in json.dumps(item)
        assert not {"correct", "gold", "first_error"} & set(item) | set(item["solution"]) & {"settled_at", "provenance"}
        leading.post(f"{HERE}/recheck/items/{pk}/", correct=True)
    told = leading.get(f"{HERE}/recheck/")
    assert told["waiting"] == []
    error = told["gold_error"]
    assert (error["n"], error["changed_verdict"], error["changed_place"], error["rate"]) == (2, 1, 1, 0.5)
    rows = leading.get(f"{HERE}/recheck/items/")["results"]
    changed = [(row["item_id"], row["gold"]["reason"]) for row in rows if row["changed"]]
    assert changed == [(decided[0].item_id, SECRET)]
    assert Solution.objects.filter(settled_at=None).count() == 1, "gold stays as it is"


def test_a_sample_of_gold_is_its_leads_own(leading: Program, decided: list[Solution], admin: User) -> None:
    assert "neither decided nor labelled" in Program(admin).post(f"{HERE}/recheck/", 409, size=2)["detail"]
    pk = leading.post(f"{HERE}/recheck/", size=1)["waiting"][0]
    Program(admin).get(f"{HERE}/recheck/items/{pk}/", 404)
    Program(admin).post(f"{HERE}/recheck/items/{pk}/", 404, correct=True)
    leading.post(f"{HERE}/recheck/items/{pk}/", correct=True)
    leading.get(f"{HERE}/recheck/items/{pk}/", 404)
    assert leading.post(f"{HERE}/recheck/", 400, size=0)["field"] == "size"


@pytest.mark.parametrize(
    ("sent", "field"),
    [({}, "correct"), ({"correct": False, "first_error": 9}, "first_error"),
     ({"correct": False, "first_error": 1, "category": "astrology"}, "category")],
)  # fmt: skip
def test_a_second_verdict_keeps_to_the_rules(
    leading: Program, decided: list[Solution], sent: dict[str, Any], field: str
) -> None:
    pk = leading.post(f"{HERE}/recheck/", size=1)["waiting"][0]
    assert leading.post(f"{HERE}/recheck/items/{pk}/", 400, **sent)["field"] == field
    assert RecheckItem.objects.get().decided_at is None
