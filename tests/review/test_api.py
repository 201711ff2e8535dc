"""Importing, watching, deciding and confirming over the API."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.intake import take_in
from annotation.models import Project, Solution, User
from fixtures.files import EXAMPLE, JUDGES
from review import pending
from review.adjudication import Decision, decide
from review.models import Adjudication, Confirmation, Outcome
from tests.conftest import solution_record
from tests.labels import RIGHT, say, say_all, solutions_of, wrong
from tests.programs import Program, items

GOLD = {"correct": False, "first_error": 1, "category": "logic", "reason": "One and one is two."}


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


@pytest.fixture
def disputed(project: Project, annotators: list[User]) -> Solution:
    """The first solution: ana says wrong at the second step, ben says right. On the second they agree."""
    ana, ben, _chen = annotators
    own = wrong(1, reason="One and one is two.")
    return say_all(project, {0: {ana: own, ben: RIGHT}, 1: {ana: RIGHT, ben: RIGHT}})[0]


# Importing


def test_a_dry_run_says_what_an_import_would_do_and_does_nothing(leading: Program, project: Project) -> None:
    before = Solution.objects.count()
    foreseen = leading.upload(
        "projects/trial/imports/", 200, file=EXAMPLE.read_bytes(), format="stepmark", dry_run="true"
    )
    assert (foreseen["records"], foreseen["solutions"], foreseen["refused"]) == (74, 74, "")
    assert Solution.objects.count() == before


def test_an_import_is_a_job(leading: Program, project: Project, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = leading.upload("projects/trial/imports/", 202, file=EXAMPLE.read_bytes(), format="stepmark")
    done = leading.get(f"jobs/{job['id']}/")
    assert (done["state"], done["result"]["solutions"], done["title"]) == ("done", 74, "Importing file.jsonl")
    assert Solution.objects.filter(problem__source="stepmark-example").count() == 74


def test_a_dry_run_counts_records_with_errors_and_lists_them(leading: Program, project: Project) -> None:
    sent = {"file": JUDGES["hasty"].read_bytes(), "format": "stepmark", "dry_run": "true"}
    foreseen = leading.upload("projects/trial/imports/", 200, **sent)
    assert foreseen["refused"].startswith("Nothing was imported: 39 records have errors")
    first = foreseen["oddities"][0]
    assert (first["severity"], first["record"], first["field"]) == ("blocking", "line 1", "external_id")
    assert leading.upload("projects/trial/imports/", 200, **sent, skip_bad="true")["refused"] == ""


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"format": "stepmark"}, "file"),
        ({"file": b"", "format": "stepmark"}, "file"),
        ({"file": b"[", "format": "mr-ben", "dry_run": "true"}, "file"),
        ({"file": b"{}", "format": "excel"}, "format"),
        ({"file": b"{}"}, "format"),
        ({"file": b"{}", "format": "stepmark", "labels": "some"}, "labels"),
        ({"file": b"{}", "format": "stepmark", "text_format": "rtf"}, "text_format"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_at_once(
    leading: Program, project: Project, sent: dict[str, Any], field: str
) -> None:
    refused = leading.upload("projects/trial/imports/", 400, **sent)
    assert refused["field"] == field
    assert not project.jobs.exists()


# Watching


def test_progress_is_ones_own_part_and_the_stages_for_leads(
    leading: Program, disputed: Solution, annotators: list[User]
) -> None:
    own = Program(annotators[0]).get("projects/trial/progress/")
    assert (own["wanted"], own["submitted"], own["mine"], own["stages"]) == (6, 4, 2, None)
    stages = leading.get("projects/trial/progress/")["stages"]
    assert (stages["all"], stages["disputed"], stages["agreed"], stages["unlabelled"]) == (3, 1, 1, 1)


def test_agreement_is_kept_dated_and_counted_again_when_labels_come(
    leading: Program, disputed: Solution, annotators: list[User]
) -> None:
    stale = leading.get("projects/trial/agreement/")
    assert (stale["fresh"], stale["snapshots"]) == (False, [])
    fresh = leading.get("projects/trial/agreement/")
    whole = fresh["snapshots"][0]
    assert (fresh["fresh"], whole["labels"]) == (True, 4)
    assert whole["computed_at"]
    assert whole["report"]["correctness"]["figures"]["percent"]["value"] == 0.5  # one of two solutions
    say(solutions_of(disputed.problem.project)[2], annotators[0], RIGHT)
    assert leading.get("projects/trial/agreement/")["fresh"] is False


def test_a_figure_is_opened_down_to_its_items(leading: Program, disputed: Solution) -> None:
    found = leading.get("projects/trial/agreement/items/?question=correctness")["results"]
    assert [(row["item_id"] == disputed.item_id, row["differs"]) for row in found] == [(True, True), (False, False)]
    differing = leading.get("projects/trial/agreement/items/?question=correctness&differs=true")
    assert items(differing) == [disputed.item_id]
    assert leading.get("projects/trial/agreement/items/?question=beauty", 400)["field"] == "question"
    assert leading.get("projects/trial/agreement/items/?question=correctness&differs=2", 400)["field"] == "differs"


# Deciding


def test_the_queue_shows_disputes_with_nameless_labels(leading: Program, disputed: Solution) -> None:
    page = leading.get("projects/trial/disputes/")
    assert items(page) == [disputed.item_id]
    row = page["results"][0]
    assert (row["opinions"], row["decision"]) == (2, None)
    assert [label["number"] for label in row["labels"]] == [1, 2]
    assert sorted(label["reason"] for label in row["labels"]) == ["", "One and one is two."]
    assert not any(name in str(page) for name in ("ana", "ben"))


def test_the_queue_takes_as_many_queries_for_three_disputes_as_for_one(
    leading: Program, lead: User, make_project: Callable[..., Project], annotators: list[User]
) -> None:
    ana, ben, _chen = annotators
    project = make_project(3)
    pending.build(project)
    counts = []
    for place, solution in enumerate(solutions_of(project)):
        say(solution, ana, wrong(1))
        say(solution, ben, wrong(2))
        decide(solution, lead, Decision(Outcome.OPEN, rationale="Later."))
        with CaptureQueriesContext(connection) as counted:
            assert leading.get("projects/trial/disputes/")["count"] == place + 1
        with CaptureQueriesContext(connection) as listed:
            assert leading.get("projects/trial/adjudications/")["count"] == place + 1
        counts.append((len(counted), len(listed)))
    assert counts[0] == counts[2]


def test_a_label_is_adopted(leading: Program, disputed: Solution) -> None:
    labels = leading.get("projects/trial/disputes/")["results"][0]["labels"]
    adopted = next(label for label in labels if not label["correct"])
    sent = {**GOLD, "item_id": disputed.item_id, "adopted": adopted["id"], "cause": "slip"}
    stored = leading.post("projects/trial/adjudications/", 201, **sent)
    assert (stored["basis"], stored["cause"], stored["decided_by"]) == ("adopted", "slip", "lena")
    disputed.refresh_from_db()
    assert disputed.settled_at is not None
    assert leading.get("projects/trial/disputes/")["count"] == 0
    said = leading.get(f"projects/trial/solutions/{disputed.item_id}/labels/")
    assert [row["id"] for row in said["decisions"]] == [stored["id"]]
    assert len(said["labels"]) == 2


def test_two_leads_cannot_decide_past_each_other(leading: Program, disputed: Solution, admin: User) -> None:
    sent = {**GOLD, "item_id": disputed.item_id, "outcome": "open", "rationale": "Later."}
    first = leading.post("projects/trial/adjudications/", 201, **sent)
    gold = {**GOLD, "item_id": disputed.item_id}
    refused = Program(admin).post("projects/trial/adjudications/", 409, **gold)
    assert refused["field"] == "seen"
    row = leading.get("projects/trial/disputes/")["results"][0]
    assert row["decision"]["id"] == first["id"]
    Program(admin).post("projects/trial/adjudications/", 201, **gold, seen=first["id"])
    assert leading.get("projects/trial/adjudications/?outcome=gold")["count"] == 1
    assert leading.get("projects/trial/adjudications/")["count"] == 2


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"outcome": "gold"}, "correct"),
        ({"correct": False, "first_error": 1}, "reason"),
        ({**GOLD, "first_error": 9}, "first_error"),
        ({**GOLD, "category": "astrology"}, "category"),
        ({**GOLD, "adopted": 0}, "adopted"),
        ({**GOLD, "cause": "whim"}, "cause"),
        ({**GOLD, "first_error": 3}, "rationale"),  # overrules both
        ({"outcome": "discarded"}, "rationale"),
        ({"outcome": "lost"}, "outcome"),
    ],
)
def test_a_decision_that_cannot_be_is_refused(
    leading: Program, disputed: Solution, sent: dict[str, Any], field: str
) -> None:
    refused = leading.post("projects/trial/adjudications/", 400, item_id=disputed.item_id, **sent)
    assert refused["field"] == field
    assert not Adjudication.objects.exists()


def test_an_item_of_another_campaign_cannot_be_decided_here(
    leading: Program, disputed: Solution, make_project: Callable[..., Project]
) -> None:
    other = make_project(0, slug="other")
    take_in(other, [solution_record(77)])
    leading.post("projects/trial/adjudications/", 404, item_id=solutions_of(other)[0].item_id, **GOLD)


# Confirming


def test_consensus_is_confirmed_after_looking_at_the_sample(
    leading: Program, disputed: Solution, django_capture_on_commit_callbacks: Any
) -> None:
    assert leading.get("projects/trial/consensus/") == {"agreed": 1, "confirmation": None}
    leading.post("projects/trial/consensus/confirm/", 404)  # no sample was drawn
    sample = leading.post("projects/trial/consensus/")
    assert leading.post("projects/trial/consensus/")["id"] == sample["id"]
    assert "Look at every item" in leading.post("projects/trial/consensus/confirm/", 409)["detail"]
    (look,) = sample["looks"]
    assert leading.post(f"projects/trial/consensus/looks/{look['id']}/", 400, finding="fine")["field"] == "finding"
    assert leading.post(f"projects/trial/consensus/looks/{look['id']}/", finding="agrees")["finding"] == "agrees"
    with django_capture_on_commit_callbacks(execute=True):
        job = leading.post("projects/trial/consensus/confirm/", 202)
    assert leading.get(f"jobs/{job['id']}/")["result"]["confirmed"] == 1
    gold = leading.get("projects/trial/adjudications/?basis=consensus")
    assert items(gold) == [look["item_id"]]


def test_a_sample_is_its_leads_own(leading: Program, disputed: Solution, admin: User) -> None:
    look = leading.post("projects/trial/consensus/")["looks"][0]["id"]
    Program(admin).post(f"projects/trial/consensus/looks/{look}/", 404, finding="agrees")
    Program(admin).post("projects/trial/consensus/confirm/", 404)
    assert Confirmation.objects.get().looks.filter(finding="").count() == 1
