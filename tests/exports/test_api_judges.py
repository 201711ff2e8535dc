"""Over the API: a model is run, its reasons are checked blind, judges are compared, answers tagged and gold doubted."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.models import Role, Solution, User
from exports.judging import grade_run
from exports.models import JudgeRun, Release
from tests.exports.campaigns import Campaign
from tests.model_server import model_server, rule_grader
from tests.programs import Program, items

HERE = "projects/trial/releases/1.0.0"


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


def graded(release: Release, lead: User, name: str, said: dict[str, Any], model: str = "") -> JudgeRun:
    """A run in which a judge says the same of every item."""
    lines = [json.dumps({"id": item.item_id, **said}) for item in release.items.order_by("position")]
    return grade_run(release, name, "\n".join(lines).encode(), lead, model=model)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An endpoint whose model compares reasons by rule."""
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield server


# Running


RUN: dict[str, Any] = {"name": "asked", "model": "grader", "preset": "mr-ben"}


def test_a_run_is_estimated_without_asking_and_then_done_as_a_job(
    leading: Program, release: Release, served: Any, django_capture_on_commit_callbacks: Any
) -> None:
    told = leading.post(f"{HERE}/models/", dry_run=True, **RUN)
    assert (told["requests"], told["cached"], told["cost"], served.requests) == (3, 0, None, [])
    served.answer = lambda _request: "Solution Correctness: correct"
    with django_capture_on_commit_callbacks(execute=True):
        job = leading.post(f"{HERE}/models/", 202, **RUN)
    assert leading.get(f"jobs/{job['id']}/")["state"] == "done"
    (run,) = leading.get(f"{HERE}/runs/")["results"]
    assert (run["name"], len(served.requests)) == ("asked", 3)
    assert leading.get(f"{HERE}/runs/{run['id']}/verdicts/?status=parsed")["count"] == 3
    assert leading.post(f"{HERE}/models/", 409, dry_run=True, **RUN)["field"] == "name"


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"preset": "mine"}, "preset"), ({"model": ""}, "model"), ({"samples": 0}, "samples"), ({"shots": 99}, "shots"),
     ({"temperature": -1}, "temperature"), ({"max_tokens": 0}, "max_tokens"),
     ({"samples": 3}, None)],  # several samples at temperature 0 are one
)  # fmt: skip
def test_a_run_that_cannot_be_is_refused(
    leading: Program, release: Release, changed: dict[str, Any], field: str | None
) -> None:
    assert leading.post(f"{HERE}/models/", 400, **RUN | changed)["field"] == field
    assert not release.project.jobs.exists()


# Checking


def test_reasons_are_checked_without_the_models_verdict(
    leading: Program, release: Release, lead: User, served: Any
) -> None:
    reason = "The sign is lost."  # what gold says of the third item alone
    run = graded(release, lead, "judge", {"correct": False, "first_error": 1, "reason": reason}, model="grader")
    here = f"{HERE}/runs/{run.pk}"
    assert leading.get(f"{here}/checks/") == {
        "design": "by verdict", "mine": [], "done": 0, "checkers": [], "wanted": {"same": 1, "different": 1},
        "stale": False, "differing": [], "trust": {},
    }  # fmt: skip
    mine = leading.post(f"{here}/checks/")["mine"]
    assert [row["same"] for row in mine] == [None, None]
    assert leading.post(f"{here}/checks/")["mine"] == mine
    for row in mine:
        shown = leading.get(f"{here}/checks/items/{row['id']}/")
        assert set(shown) == {
            "id", "item_id", "question", "steps", "first_error", "gold_reasons", "reason"
        }, "nothing of what the model said"  # fmt: skip
        assert (shown["reason"], shown["first_error"]) == (reason, 1)
        said = leading.post(f"{here}/checks/items/{row['id']}/", same=reason in shown["gold_reasons"])
        assert said["same"] is (reason in shown["gold_reasons"])
    told = leading.get(f"{here}/checks/")
    assert (told["done"], told["checkers"]) == (2, [{"checker": "lena", "done": 2, "total": 2}])
    assert told["wanted"] == {"same": 0, "different": 0}, "all that the model gave are checked"
    assert (told["trust"]["agreement"]["n_checked"], told["trust"]["agreement"]["agreement"]) == (2, 1)
    assert leading.post(f"{here}/checks/items/{mine[0]['id']}/", 400, same=None)["field"] == "same"


def test_a_check_is_its_checkers_own_until_two_differ(
    leading: Program, release: Release, lead: User, make_user: Any, served: Any
) -> None:
    run = graded(release, lead, "judge", {"correct": False, "first_error": 1, "reason": "Hm, well."}, model="grader")
    other, here = Program(make_user("luis", Role.LEAD)), f"{HERE}/runs/{run.pk}/checks/"
    mine, theirs = leading.post(here)["mine"][0], other.post(here)["mine"][0]
    other.get(f"{here}items/{mine['id']}/", 403)
    other.post(f"{here}items/{mine['id']}/", 403, same=True)
    leading.post(f"{here}items/{mine['id']}/", same=True)
    other.post(f"{here}items/{theirs['id']}/", same=False)
    (differing,) = leading.get(here)["differing"]
    third = Program(make_user("mona", Role.LEAD))
    settled = third.post(f"{here}items/{differing['id']}/", same=False)
    assert (settled["adjudicated"], settled["same"]) == (True, False)
    told = third.get(here)
    assert (told["differing"], told["mine"], told["done"]) == ([], [], 2)
    assert [row["checker"] for row in told["checkers"]] == ["lena", "luis"], "who settles has drawn no sample"
    plain = graded(release, lead, "plain", {"correct": True})
    leading.get(f"{HERE}/runs/{plain.pk}/checks/items/{mine['id']}/", 404)


def test_the_first_checker_says_how_the_sample_is_drawn(
    leading: Program, release: Release, lead: User, make_user: Any, served: Any
) -> None:
    run = graded(release, lead, "judge", {"correct": False, "first_error": 1, "reason": "Hm, well."}, model="grader")
    other, here = Program(make_user("luis", Role.LEAD)), f"{HERE}/runs/{run.pk}/checks/"
    assert leading.post(here, 400, design="handpicked")["field"] == "design"
    assert leading.post(here, design="random")["design"] == "random"
    assert "drawn before" in other.post(here, 409, design="by verdict")["detail"]
    assert len(other.post(here)["mine"]) == 2


def test_the_corrected_score_needs_checks(leading: Program, release: Release, lead: User) -> None:
    run = graded(release, lead, "judge", {"correct": True})
    assert "No model compared reasons" in leading.post(f"{HERE}/runs/{run.pk}/checks/", 409)["detail"]
    assert leading.post(f"{HERE}/runs/{run.pk}/correct/", 409)["detail"]


# Comparing


def test_judges_are_compared_down_to_the_items(leading: Program, release: Release, lead: User) -> None:
    one = graded(release, lead, "one", {"correct": True})  # right on the first item
    two = graded(release, lead, "two", {"correct": False, "first_error": 1})  # right on the other two
    row = leading.post(f"{HERE}/comparisons/", runs=[one.pk, two.pk])
    assert row["runs"] == [one.pk, two.pk]
    counts = row["report"]["pairs"][0]["flips"]["verdict"]["total"]["counts"]
    assert counts == {"repaired": 2, "broken": 1, "both_right": 0, "both_wrong": 0}
    here = f"{HERE}/comparisons/{row['id']}/"
    assert leading.get(here)["report"] == row["report"]
    ids = [item.item_id for item in release.items.order_by("position")]
    assert items(leading.get(f"{here}items/?kind=verdict&flip=repaired")) == ids[1:]
    assert items(leading.get(f"{here}items/?kind=verdict&flip=broken")) == ids[:1]
    assert leading.get(f"{here}items/?kind=verdict", 400)["field"] == "flip"
    assert leading.get(f"{here}items/?kind=beauty&flip=broken", 400)["field"] == "kind"
    assert leading.get(f"{here}items/?kind=verdict&flip=broken&pair=1", 400)["field"] == "pair"
    (kept,) = leading.get(f"{HERE}/comparisons/")["results"]
    assert (kept["id"], kept["runs"]) == (row["id"], [one.pk, two.pk])
    assert leading.post(f"{HERE}/comparisons/", runs=[one.pk, two.pk])["computed_at"] == row["computed_at"]


def test_each_pair_of_a_comparison_has_its_own_items(
    leading: Program, campaign: Campaign, release: Release, lead: User
) -> None:
    said: dict[str, dict[str, Any]] = {
        "one": {"correct": True},
        "same": {"correct": True},
        "two": {"correct": False, "first_error": 1},
    }
    runs = [graded(release, lead, name, told).pk for name, told in said.items()]
    row = leading.post(f"{HERE}/comparisons/", runs=runs)
    here = f"{HERE}/comparisons/{row['id']}/"
    assert [len(items(leading.get(f"{here}items/?kind=verdict&flip=broken&pair={n}"))) for n in (0, 1)] == [0, 1]
    assert leading.post(f"{HERE}/comparisons/", 400, runs=runs[:2], references=runs[2:])["field"] == "references.0"
    later = leading.post(f"{HERE}/comparisons/", runs=runs[:2])
    assert [each["id"] for each in leading.get(f"{HERE}/comparisons/")["results"]] == [later["id"], row["id"]]
    campaign.freeze("1.0.1")
    leading.get(f"projects/trial/releases/1.0.1/comparisons/{row['id']}/", 404)
    assert items(leading.get("projects/trial/releases/1.0.1/comparisons/")) == []


def test_what_a_worker_has_not_computed_yet_is_said_to_be_under_way(
    leading: Program, release: Release, lead: User, settings: Any
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.dummy.DummyBackend"}}
    runs = [graded(release, lead, name, {"correct": True}).pk for name in ("one", "two")]
    row = leading.post(f"{HERE}/comparisons/", 202, runs=runs)
    assert (row["id"], row["report"], row["computed_at"]) == (None, {}, None)


@pytest.mark.parametrize(
    ("runs", "field"), [([], "runs"), ([1], "runs"), ([1, 10**12], "runs.1"), (["x", 1], "runs.0")]
)
def test_a_comparison_names_runs_of_the_release(
    leading: Program, release: Release, lead: User, runs: list[Any], field: str
) -> None:
    one = graded(release, lead, "one", {"correct": True})
    wanted = [one.pk if pk == 1 else pk for pk in runs]
    assert leading.post(f"{HERE}/comparisons/", 400, runs=wanted)["field"] == field
    assert leading.post(f"{HERE}/comparisons/", 400, runs=[one.pk, one.pk])["field"] == "runs"


# Reading answers


def test_an_answer_is_tagged_and_its_gold_doubted(leading: Program, release: Release, lead: User) -> None:
    run = graded(release, lead, "judge", {"correct": True})
    item = release.items.order_by("position")[1].item_id
    here = f"{HERE}/runs/{run.pk}/verdicts/{item}/"
    assert leading.post(f"{here}tags/", tag="sign") == {"tags": ["sign"]}
    assert leading.post(f"{here}tags/", tag="units") == {"tags": ["sign", "units"]}
    assert items(leading.get(f"{HERE}/runs/{run.pk}/verdicts/?tag=sign")) == [item]
    assert leading.post(f"{here}tags/", tag="sign") == {"tags": ["units"]}
    assert leading.post(f"{here}tags/", 400, tag=" ")["field"] == "tag"
    leading.post(f"{here}doubt/", 204)
    assert Solution.objects.get(item_id=item).settled_at is None
    assert "waits for adjudication" in leading.post(f"{here}doubt/", 409)["detail"]
