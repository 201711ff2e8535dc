"""Freezing on pages, verifying, and every way to take a release home."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import User
from exports.folder import FILES, MANIFEST, verify_folder
from exports.models import Release, ReleaseItem
from exports.releases import folder_of
from tests.exports.campaigns import Campaign
from tests.pages import words

AsUser = Callable[[User], Client]
RELEASES = reverse("releases", args=["trial"])


def of_release(name: str, *more: str) -> str:
    return reverse(name, args=["trial", "1.0.0", *more])


@pytest.fixture
def desk(campaign: Campaign, lead: User, as_user: AsUser) -> Client:
    return as_user(lead)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_freezing_leads_by_its_progress_to_the_release(desk: Client, django_capture_on_commit_callbacks: Any) -> None:
    assert "Nothing is released yet." in words(desk.get(RELEASES))
    assert "4 of 6 items are decided" in words(desk.get(RELEASES))
    with django_capture_on_commit_callbacks(execute=True):
        job = desk.post(RELEASES, {"version": "1.0.0", "notes": "The first."})
    progress = desk.get(job["Location"])
    assert "Done" in words(progress)
    assert progress.context["job"].result["url"] == of_release("release")
    page = words(desk.get(of_release("release")))
    for text in ("Trial 1.0.0", "The first.", "3 in 3 problems", Release.objects.get().content_hash, "math 1 2"):
        assert text in page
    assert "1.0.0" in words(desk.get(RELEASES))


@pytest.mark.parametrize(
    ("version", "said"), [("", "required"), ("../up", "letters, digits"), ("1.0.0", "exists already")]
)
def test_a_version_that_cannot_be_is_refused(desk: Client, release: Release, version: str, said: str) -> None:
    answer = desk.post(RELEASES, {"version": version, "notes": "Kept."})
    assert answer.status_code == 422
    assert said in words(answer)
    assert "Kept." in words(answer)
    assert Release.objects.count() == 1


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_as_many_queries_for_one_as_for_many(
    desk: Client, campaign: Campaign, django_assert_num_queries: Any, rows: int
) -> None:
    for n in range(rows):
        campaign.freeze(f"1.0.{n}")
    desk.get(RELEASES)  # the stages of the campaign are counted at the first look and kept
    with django_assert_num_queries(12):
        desk.get(RELEASES)


def test_an_intact_release_is_told_so(desk: Client, release: Release) -> None:
    assert "Intact: every item and file" in words(desk.post(of_release("verify-release"), follow=True))


def test_a_tampered_folder_is_put_right_before_anybody_takes_it(desk: Client, release: Release) -> None:
    items = folder_of(release) / "items.jsonl"
    before = items.read_bytes()
    items.write_bytes(before.replace(b"true", b"false", 1))
    assert content(desk.get(of_release("release-file", "items.jsonl"))) == before


@pytest.fixture
def tampered(release: Release) -> str:
    """The id of an item whose row was changed in the database."""
    item = release.items.get(position=1)
    ReleaseItem.objects.filter(pk=item.pk).update(record=item.record.replace("two", "three"))
    return item.item_id


def test_verifying_names_what_was_tampered_with_on_disk(desk: Client, release: Release) -> None:
    items = folder_of(release) / "items.jsonl"
    items.write_bytes(items.read_bytes().replace(b"true", b"false", 1))
    page = words(desk.post(of_release("verify-release"), follow=True))
    assert f"items.jsonl, line 1: item {release.items.get(position=0).item_id} was changed." in page


def test_verifying_names_what_was_tampered_with_in_the_database(desk: Client, tampered: str) -> None:
    page = words(desk.post(of_release("verify-release"), follow=True))
    assert f"In the database: items.jsonl, line 2: item {tampered} was changed." in page
    assert "Intact" not in page


@pytest.mark.parametrize(
    ("name", "more"), [("release-folder", []), ("release-file", ["items.jsonl"]), ("release-format", ["stepmark"])]
)
def test_a_tampered_release_is_given_to_nobody(desk: Client, tampered: str, name: str, more: list[str]) -> None:
    answer = desk.get(of_release(name, *more), follow=True)
    assert answer.redirect_chain[-1][0] == of_release("release")
    assert tampered in words(answer)


def test_the_folder_comes_as_a_zip_that_verifies(desk: Client, release: Release, tmp_path: Path) -> None:
    answer = desk.get(of_release("release-folder"))
    assert answer["Content-Disposition"] == 'attachment; filename="trial-1.0.0.zip"'
    with zipfile.ZipFile(BytesIO(content(answer))) as archive:
        archive.extractall(tmp_path)
    assert verify_folder(tmp_path / "trial-1.0.0") == []


@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_each_file_is_the_folders(desk: Client, release: Release, name: str) -> None:
    answer = desk.get(of_release("release-file", name))
    assert answer["Content-Disposition"] == f'attachment; filename="trial-1.0.0-{name}"'
    assert content(answer) == (folder_of(release) / name).read_bytes()


@pytest.mark.parametrize("name", ["secret_key", "..%2Fsecret_key", ".1.0.0.lock"])
def test_no_other_file_is_given_out(desk: Client, release: Release, name: str) -> None:
    assert desk.get(of_release("release-file", "items.jsonl").replace("items.jsonl", name)).status_code == 404


@pytest.mark.parametrize(("name", "suffix"), [("stepmark", "jsonl"), ("mr-ben", "json"), ("processbench", "json")])
def test_each_format_has_the_items(desk: Client, release: Release, name: str, suffix: str) -> None:
    answer = desk.get(of_release("release-format", name))
    assert answer["Content-Disposition"] == f'attachment; filename="trial-1.0.0-{name}.{suffix}"'
    text = content(answer).decode()
    found = [json.loads(line) for line in text.splitlines()] if suffix == "jsonl" else json.loads(text)
    assert len(found) == 3


def test_what_is_not_there_is_not_found(desk: Client, release: Release) -> None:
    assert desk.get(of_release("release-format", "excel")).status_code == 404
    assert desk.get(reverse("release", args=["trial", "9.9.9"])).status_code == 404
