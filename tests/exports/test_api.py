"""Freezing, verifying, downloading and grading over the API."""

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import User
from exports.folder import read_folder
from exports.models import JudgeRun, Release, ReleaseItem
from tests.exports.campaigns import Campaign
from tests.programs import Program, items

HERE = "projects/trial/releases"


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


def answers(campaign: Campaign, *said: dict[str, Any]) -> bytes:
    """A judge's answers to the first gold items, in their order."""
    lines = [{"id": solution.item_id, **parts} for solution, parts in zip(campaign.solutions, said, strict=False)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


# Releases


def test_a_release_is_frozen_as_a_job(
    leading: Program, campaign: Campaign, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = leading.post(f"{HERE}/", 202, version="1.0.0", notes="First.")
    result = leading.get(f"jobs/{job['id']}/")["result"]
    row = leading.get(f"{HERE}/1.0.0/")
    assert (row["items"], row["notes"], row["frozen_by"]) == (3, "First.", "lena")
    assert (result["version"], result["content_hash"]) == ("1.0.0", row["content_hash"])
    assert [each["version"] for each in leading.get(f"{HERE}/")["results"]] == ["1.0.0"]


def test_a_version_is_frozen_once(leading: Program, release: Release) -> None:
    assert leading.post(f"{HERE}/", 409, version="1.0.0")["field"] == "version"
    for odd in ("", "a b", "../up", "x" * 41):
        assert leading.post(f"{HERE}/", 400, version=odd)["field"] == "version"
    assert Release.objects.count() == 1


def test_nothing_decided_is_a_conflict(leading: Program, project: object) -> None:
    assert "Nothing is decided" in leading.post(f"{HERE}/", 409, version="1.0.0")["detail"]


def test_the_files_are_handed_out_as_frozen(leading: Program, release: Release) -> None:
    lines = [item.record for item in release.items.order_by("position")]
    assert leading.get(f"{HERE}/1.0.0/items/") == "".join(f"{line}\n" for line in lines)
    assert leading.get(f"{HERE}/1.0.0/files/items.jsonl/") == leading.get(f"{HERE}/1.0.0/items/")
    assert leading.get(f"{HERE}/1.0.0/files/votes.jsonl/") == release.votes_text
    assert leading.get(f"{HERE}/1.0.0/manifest/") == json.loads(release.manifest_text)
    leading.get(f"{HERE}/1.0.0/files/secret_key/", 404)
    leading.get(f"{HERE}/2.0.0/items/", 404)


def test_a_file_is_given_whatever_the_client_accepts(leading: Program, release: Release) -> None:
    answer = leading.client.get(f"/api/{HERE}/1.0.0/items/", headers={"Accept": "application/jsonl"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/jsonl")


def test_the_folder_can_be_graded_against_elsewhere(leading: Program, release: Release, tmp_path: Path) -> None:
    packed = leading.client.get(f"/api/{HERE}/1.0.0/folder/").getvalue()
    zipfile.ZipFile(BytesIO(packed)).extractall(tmp_path)
    held = read_folder(tmp_path / "trial-1.0.0")
    assert (len(held.items), held.hash) == (3, release.content_hash)


def test_a_release_comes_in_each_format(leading: Program, release: Release) -> None:
    names = [row["name"] for row in leading.get(f"{HERE}/1.0.0/formats/")]
    assert names == ["stepmark", "mr-ben", "processbench"]
    assert all(leading.get(f"{HERE}/1.0.0/formats/{name}/") for name in names)
    leading.get(f"{HERE}/1.0.0/formats/excel/", 404)


def test_tampering_is_found(leading: Program, release: Release) -> None:
    assert leading.post(f"{HERE}/1.0.0/verify/") == {"intact": True, "faults": []}
    item = release.items.order_by("position")[0]
    ReleaseItem.objects.filter(pk=item.pk).update(record=item.record.replace("Question 0", "Question 9"))
    verified = leading.post(f"{HERE}/1.0.0/verify/")
    assert verified["intact"] is False
    assert item.item_id in verified["faults"][0]
    assert "tampered" in leading.get(f"{HERE}/1.0.0/items/", 409)["detail"]


def test_the_list_takes_as_many_queries_for_three_releases_as_for_one(leading: Program, campaign: Campaign) -> None:
    counts = []
    for version in ("1", "2", "3"):
        campaign.freeze(version)
        with CaptureQueriesContext(connection) as counted:
            leading.get(f"{HERE}/")
        counts.append(len(counted))
    assert counts[0] == counts[2]


# Judges


def test_a_judge_is_graded_as_a_job_and_read_down_to_the_items(
    leading: Program, campaign: Campaign, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    said = answers(campaign, {"correct": True}, {"correct": False, "first_error": 1, "reason": "It is two."})
    people = json.dumps({"id": campaign.solutions[1].item_id, "same": True}).encode()
    with django_capture_on_commit_callbacks(execute=True):
        job = leading.upload(f"{HERE}/1.0.0/runs/", 202, name="judge", answers=said, people=people)
    run = leading.get(f"jobs/{job['id']}/")["result"]["run"]
    assert [row["id"] for row in leading.get(f"{HERE}/1.0.0/runs/")["results"]] == [run]
    report = leading.get(f"{HERE}/1.0.0/runs/{run}/")["report"]
    assert report["how"]["release"]["hash"] == release.content_hash
    rows = leading.get(f"{HERE}/1.0.0/runs/{run}/verdicts/")["results"]
    assert [(row["status"], row["correct"], row["gold"]["correct"]) for row in rows] == [
        ("parsed", True, True), ("parsed", False, False), ("missing", None, False),
    ]  # fmt: skip
    assert items(leading.get(f"{HERE}/1.0.0/runs/{run}/verdicts/?outcome=reason-right")) == [rows[1]["item_id"]]
    assert items(leading.get(f"{HERE}/1.0.0/runs/{run}/verdicts/?status=missing")) == [rows[2]["item_id"]]
    assert leading.get(f"{HERE}/1.0.0/runs/{run}/verdicts/?subject=law")["count"] == 0
    assert leading.get(f"{HERE}/1.0.0/runs/{run}/verdicts/?outcome=nice", 400)["field"] == "outcome"


def test_what_cannot_be_graded_is_refused_at_once(leading: Program, campaign: Campaign, release: Release) -> None:
    said = answers(campaign, {"correct": True})
    stranger = json.dumps({"id": "sm-0000000000000000", "correct": True, "same": True}).encode()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"answers": said}, "name"),
        ({"name": "judge"}, "answers"),
        ({"name": "judge", "answers": stranger}, "answers"),
        ({"name": "judge", "answers": b"no JSON"}, "answers"),
        ({"name": "judge", "answers": said, "people": stranger}, "people"),
        ({"name": "judge", "answers": said, "people": b"{}", "model": "gpt"}, "model"),
    ]
    for sent, field in refused:
        assert leading.upload(f"{HERE}/1.0.0/runs/", 400, **sent)["field"] == field
    assert not campaign.project.jobs.exists()


def test_a_name_of_a_run_is_used_once(
    leading: Program, campaign: Campaign, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    sent = {"name": "judge", "answers": answers(campaign, {"correct": True})}
    with django_capture_on_commit_callbacks(execute=True):
        leading.upload(f"{HERE}/1.0.0/runs/", 202, **sent)
    assert leading.upload(f"{HERE}/1.0.0/runs/", 409, **sent)["field"] == "name"
    assert JudgeRun.objects.count() == 1
