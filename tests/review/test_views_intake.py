"""Importing on pages: a file, its preview, the import, the report; rubbish is refused in words."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import Project, Solution, Upload, User
from review.models import Adjudication
from tests.pages import HTMX, words

AsUser = Callable[[User], Client]
IMPORT = reverse("import", args=["trial"])


def line(name: str, **parts: Any) -> dict[str, Any]:
    text = f"Step 1: begin {name}\nStep 2: end {name}"
    return {"external_id": name, "question": f"What is {name}?", "sampled_from": "m", "raw_text": text, **parts}


GOLD = {"correct": False, "first_error": 1, "reason": "No."}
BAD = {"external_id": "bad", "question": "no text?", "sampled_from": "m"}


@pytest.fixture
def client_of_lead(make_project: Callable[..., Project], lead: User, as_user: AsUser) -> Client:
    make_project(0)
    return as_user(lead)


def send(client: Client, *lines: dict[str, Any], **options: str) -> Any:
    """Send a file of lines; returns the preview, or the form that refuses it."""
    return send_bytes(client, "\n".join(json.dumps(each) for each in lines).encode(), **options)


def send_bytes(client: Client, data: bytes, **options: str) -> Any:
    file = SimpleUploadedFile("set.jsonl", data)
    form = {"file": file, "format": "stepmark", "labels": "ignore", "text_format": "", **options}
    return client.post(IMPORT, form, follow=True)


def test_a_preview_says_what_would_happen_and_writes_nothing(client_of_lead: Client) -> None:
    preview = send(client_of_lead, line("a", gold=GOLD), line("b"), labels="gold")
    assert preview.redirect_chain[0][0] == reverse("import-preview", args=["trial", Upload.objects.get().pk])
    for text in ("Preview of set.jsonl", "Import 2 new solutions", "New problems 2", "Gold 1", "What is a?", "begin b"):
        assert text in words(preview)
    assert not Solution.objects.exists()


def test_confirming_the_preview_imports_and_leads_to_the_report(
    client_of_lead: Client, django_capture_on_commit_callbacks: Any
) -> None:
    preview = send(client_of_lead, line("a", gold=GOLD), line("b"), labels="gold")
    with django_capture_on_commit_callbacks(execute=True):
        job = client_of_lead.post(preview.request["PATH_INFO"])
    part = client_of_lead.get(job["Location"], headers=HTMX)
    assert "Done" in words(part)
    assert (Solution.objects.count(), Adjudication.objects.count()) == (2, 1)
    report = client_of_lead.get(part.context["job"].result["url"])
    for text in ("Importing set.jsonl", "Records 2", "New solutions 2", "Gold 1", "Skipped 0"):
        assert text in words(report)


def test_importing_the_same_file_again_adds_nothing(
    client_of_lead: Client, django_capture_on_commit_callbacks: Any
) -> None:
    for _n in range(2):
        preview = send(client_of_lead, line("a"))
        with django_capture_on_commit_callbacks(execute=True):
            client_of_lead.post(preview.request["PATH_INFO"])
    assert (Upload.objects.count(), Solution.objects.count()) == (1, 1)
    assert "Here already 1" in words(send(client_of_lead, line("a")))


def test_a_file_with_a_bad_record_cannot_be_imported_until_one_skips_it(client_of_lead: Client) -> None:
    refused = send(client_of_lead, line("a"), BAD)
    assert "1 record has errors" in words(refused)
    assert "line 2" in words(refused)
    assert "Import 1 new" not in words(refused)
    left_out = client_of_lead.post(refused.request["PATH_INFO"], {"skip_bad": "on"}, follow=True)
    for preview in (left_out, send(client_of_lead, line("a"), BAD, skip_bad="on")):
        assert "Import 1 new solution" in words(preview)
        assert "Skipped 1" in words(preview)


def test_oddities_are_filtered_by_kind(client_of_lead: Client) -> None:
    preview = send(client_of_lead, line("a", colour="red"), line("a"), line("b", gold=GOLD | {"first_error": 9}))
    url = preview.request["PATH_INFO"]
    assert "colour" in words(preview)
    (kind,) = {oddity.kind for oddity in preview.context["report"].oddities if oddity.field == "colour"}
    shown = client_of_lead.get(url, {"kind": kind}).context["page_obj"].object_list
    assert {oddity.kind for oddity in shown} == {kind}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "The file is empty."),
        (b"\x00\xff\xfe", "not UTF-8"),
        (b"PK\x03\x04 a zip file", "neither a JSON array nor JSON objects"),
        (b"[1, 2", "not JSON"),
        (b"[]", "empty list"),
        (b'{"id": 1}\n' * 3, "errors. Mend the file"),
        (b"[" * 100_000, "set.jsonl"),
        (b"null", "set.jsonl"),
        (b'{"external_id": "a", "question": 7, "sampled_from": null, "raw_text": ["x"]}', "errors. Mend the file"),
        (b'{"external_id": "\\ud800", "question": "?", "sampled_from": "m", "raw_text": "Step 1: a\\u0000"}', "errors"),
    ],
    ids=["empty", "binary", "zip", "cut off", "no records", "fields missing", "deep", "null", "wrong types", "no text"],
)
def test_rubbish_is_refused_in_words(client_of_lead: Client, data: bytes, said: str) -> None:
    answer = send_bytes(client_of_lead, data)
    assert answer.status_code in (200, 422)
    assert said in words(answer)
    assert "new solution" not in words(answer)
    assert not Solution.objects.exists()


def test_a_file_of_another_format_says_which_it_looks_like(client_of_lead: Client) -> None:
    assert "look like stepmark" in words(send(client_of_lead, line("a"), format="processbench"))


@pytest.mark.parametrize(
    "options", [{"format": "excel"}, {"labels": "some"}, {"text_format": "word"}, {"file": ""}], ids=str
)
def test_a_form_with_faults_comes_back(client_of_lead: Client, options: dict[str, str]) -> None:
    answer = send(client_of_lead, line("a"), **options)
    assert answer.status_code == 422
    assert not Upload.objects.exists()


def test_a_preview_of_somebody_elses_choice_starts_anew(
    client_of_lead: Client, make_user: Callable[..., User], as_user: AsUser
) -> None:
    send(client_of_lead, line("a"))
    other = as_user(make_user("otto", "lead"))
    url = reverse("import-preview", args=["trial", Upload.objects.get().pk])
    assert other.get(url)["Location"] == IMPORT
    assert other.post(url)["Location"] == IMPORT


def test_hostile_texts_are_shown_not_run(client_of_lead: Client) -> None:
    hostile = line("<script>alert(1)</script>", raw_text="Step 1: <img src=x onerror=alert(1)>")
    page = send(client_of_lead, hostile).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
