"""The whole job, from a file to a graded judge: over HTTP, and once in Chromium by three people."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Assignment, Project, Solution, User
from exports.models import JudgeRun, Release
from fixtures.files import EXAMPLE, JUDGES
from review.disagreements import current_labels
from review.models import Adjudication, AgreementSnapshot
from tests.conftest import ROOT
from tests.model_server import ModelServer, model_server, rule_grader
from tests.pages import HTMX, fields, words

Line = dict[str, Any]
LINES: list[Line] = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
# Of the example's solutions: four on which ana, ben and chen agree, three on which they do not.
AGREED = ["sm-6c9c8ce6a1aaa8af", "sm-b6107e031c05ed61", "sm-a1b533384996d677", "sm-d1700ab7b4b108b7"]
DISPUTED = ["sm-8e6c4f2cc7b5c6ca", "sm-a070ecb8ae471c10", "sm-0293f7c7afc0ddf6"]
CHOSEN = {line["id"]: line for line in LINES if line["id"] in AGREED + DISPUTED}
ADOPTED, DISCARDED = {DISPUTED[0]: "ana", DISPUTED[1]: "ana"}, DISPUTED[2]
RELEASED = AGREED + list(ADOPTED)


def file_of(lines: list[Line]) -> bytes:
    """The lines without anything that was said of them."""
    kept = [{name: part for name, part in line.items() if name not in ("gold", "labels")} for line in lines]
    return "\n".join(json.dumps(line) for line in kept).encode()


def said_by(name: str, item: str) -> Line:
    label: Line = next(label for label in CHOSEN[item]["labels"] if label["annotator"] == name)
    return label


def answers_of(judge: str, items: list[str]) -> bytes:
    lines = [line for line in JUDGES[judge].read_text(encoding="utf-8").splitlines() if json.loads(line)["id"] in items]
    assert len(lines) == len(items)
    return "\n".join(lines).encode()


@pytest.fixture
def grader(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model on this machine that compares reasons by rule."""
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield server


# --- over HTTP ----------------------------------------------------------------------------------------------------


def result_of(client: Client, started: Any) -> str:
    """The address that a finished piece of work leads to."""
    job = client.get(started["Location"]).context["job"]
    assert job.state == "done", job.error
    return str(job.result["url"])


def import_file(lead: Client, data: bytes) -> None:
    form = {"file": SimpleUploadedFile("chosen.jsonl", data), "format": "stepmark", "labels": "ignore"}
    preview = lead.post(reverse("import", args=["flow"]), form, follow=True)
    assert f"Import {len(CHOSEN)} new solutions" in words(preview)
    report = lead.get(result_of(lead, lead.post(preview.request["PATH_INFO"])))
    assert f"New solutions {len(CHOSEN)}" in words(report)


def label_everything(client: Client, name: str, headers: dict[str, str]) -> int:
    """Fill in the page's form as this annotator would, item by item, until nothing is open; returns how many."""
    url, done = reverse("label", args=["flow"]), 0
    page = client.get(url)
    while "assignment" in fields(page):
        item = page.context["slot"].solution.item_id
        label = said_by(name, item)
        typed = {"correct": str(label["correct"]).lower(), "confirm_conflict": "on", "active_seconds": "20"}
        if not label["correct"]:
            typed |= {part: str(label.get(part) or "") for part in ("first_error", "category", "reason", "rectified")}
            typed["placement"] = label.get("placement") or "at"
        page = client.post(url, fields(page) | typed, headers=headers, follow=not headers)
        assert page.status_code == 200, words(page)
        done += 1
    assert "labelled" in words(page)
    return done


def check_agreement(lead: Client) -> None:
    page = lead.get(reverse("agreement", args=["flow"]))
    assert "21 labels of 7 items by 3 annotators" in words(page)
    unanimous = AgreementSnapshot.objects.get(project__slug="flow", dimension="", value="").report["first_error"][
        "figures"
    ]["unanimous"]
    assert (unanimous["value"], unanimous["n_units"]) == (pytest.approx(4 / 7), 7)
    differing = lead.get(reverse("items", args=["flow"]), {"figure": "first_error", "outcome": "differs"})
    assert {row.item_id for row in differing.context["page_obj"]} == set(DISPUTED)


def adjudicate_everything(lead: Client) -> None:
    page = lead.get(reverse("adjudicate", args=["flow"]))
    for _n in DISPUTED:
        solution = page.context["solution"]
        url = reverse("adjudicate-item", args=["flow", solution.pk])
        form = fields(page) | {"outcome": "discarded", "rationale": "The text is cut off."}
        if solution.item_id != DISCARDED:
            label = next(
                label
                for label in current_labels([solution])[solution.pk]
                if label.assignment.annotator and label.assignment.annotator.username == ADOPTED[solution.item_id]
            )
            form = fields(lead.get(url, {"adopt": label.pk})) | {
                name: "" if part is None else str(part) for name, part in label.verdict.as_dict().items()
            }
            form |= {"correct": str(label.correct).lower(), "outcome": "gold", "cause": "slip"}
        page = lead.post(url, form, follow=True)
        assert page.status_code == 200, words(page)
    assert "Nothing is disputed" in words(page)


def confirm_consensus(lead: Client) -> None:
    consensus = reverse("consensus", args=["flow"])
    page = lead.post(consensus, follow=True)
    for look in page.context["looks"]:
        lead.post(reverse("look", args=["flow", look.pk]), {"finding": "agrees"})
    result_of(lead, lead.post(reverse("confirm", args=["flow"])))


def release_and_take_home(lead: Client, folder: Path) -> Path:
    """Freeze, verify, download and unpack."""
    page = lead.get(result_of(lead, lead.post(reverse("releases", args=["flow"]), {"version": "1.0.0"})))
    assert f"6 in {len({CHOSEN[item]['external_id'] for item in RELEASED})} problems" in words(page)
    address = ["flow", "1.0.0"]
    assert "Intact" in words(lead.post(reverse("verify-release", args=address), follow=True))
    download: Any = lead.get(reverse("release-folder", args=address))
    packed = b"".join(download.streaming_content)
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        archive.extractall(folder)
    return folder / "flow-1.0.0"


def graded_here(release: Path, answers: Path, seed: int) -> dict[str, Any]:
    """The report of the console script on the unpacked folder."""
    script = [sys.executable, "-m", "exports.cli", "grade", str(release), str(answers), "--json", "--seed", str(seed)]
    environment = os.environ | {"XDG_CACHE_HOME": str(answers.parent / "cache"), "DJANGO_SETTINGS_MODULE": "nowhere"}
    done = subprocess.run(
        [*script, "--reasons", "llm", "--model", "grader"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def graded_in_app(lead: Client, answers: Path) -> dict[str, Any]:
    """The report of the page on the same answers, downloaded."""
    form = {"name": "careful", "answers": SimpleUploadedFile(answers.name, answers.read_bytes()), "model": "grader"}
    url = result_of(lead, lead.post(reverse("grade", args=["flow", "1.0.0"]), form))
    assert "careful" in words(lead.get(url))
    report: dict[str, Any] = json.loads(lead.get(f"{url}report.json").content)
    return report


@pytest.mark.django_db(transaction=True)
def test_from_a_file_to_a_graded_judge(
    annotators: list[User], lead: User, as_user: Callable[[User], Client], grader: ModelServer, tmp_path: Path
) -> None:
    desk = as_user(lead)
    policy = {
        "name": "Flow", "slug": "flow", "overlap": 3, "lease_minutes": 45, "min_reason": 10,
        "ask_category": "on", "ask_rectified": "on", "show_answer_key": "on", "after_error": "unlabelled",
        "categories": "calculation\nlogic\nfact\nmisread\nmissing-case\nother",
        "members": [annotator.pk for annotator in annotators], "daily_goal": 0, "description": "",
    }  # fmt: skip
    assert desk.post(reverse("new-project"), policy).status_code == 302
    import_file(desk, file_of(list(CHOSEN.values())))

    for annotator, headers in zip(annotators, (HTMX, HTMX, {}), strict=True):
        assert label_everything(as_user(annotator), annotator.username, headers) == len(CHOSEN)
    assert Annotation.objects.count() == 3 * len(CHOSEN)

    check_agreement(desk)
    adjudicate_everything(desk)
    confirm_consensus(desk)
    folder = release_and_take_home(desk, tmp_path)
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {item["id"] for item in items} == set(RELEASED)
    for item in items:
        said = said_by(ADOPTED.get(item["id"], "ana"), item["id"])
        assert (item["gold"]["correct"], item["gold"]["first_error"]) == (said["correct"], said["first_error"])
    left_out = json.loads((folder / "left_out.jsonl").read_text(encoding="utf-8"))
    assert (left_out["id"], left_out["outcome"]) == (DISCARDED, "discarded")

    answers = tmp_path / "answers.jsonl"
    answers.write_bytes(answers_of("careful", RELEASED))
    in_app = graded_in_app(desk, answers)
    here = graded_here(folder, answers, seed=in_app["how"]["bootstrap"]["seed"])
    assert in_app["how"].pop("judge") == {"name": "careful"}, "a file of answers alone names no judge"
    assert here["how"].pop("judge") is None
    assert here == in_app
    assert (here["counts"]["n"], here["reasons"]["mode"], here["answers"]["statuses"]["parsed"]) == (6, "llm", 6)
    assert here["acc_reason"] is not None
    assert len(grader.requests) == 2 * here["reasons"]["compared"], "each of the two asked for every comparison once"


# --- in Chromium --------------------------------------------------------------------------------------------------


@pytest.fixture
def trio(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Two annotators label every solution; nothing is in it yet."""
    project = make_project(0, overlap=2, min_reason=10)
    project.members.remove(annotators[2])
    return project


def import_in_browser(page: Page, data: bytes) -> None:
    page.goto("/p/trial/import/")
    page.set_input_files("input[name=file]", {"name": "chosen.jsonl", "mimeType": "text/plain", "buffer": data})
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Preview of chosen.jsonl")).to_be_visible()
    page.get_by_role("button", name=re.compile("Import 3 new solutions")).click()
    page.get_by_role("link", name="See the result").click()
    expect(page.get_by_text("New solutions")).to_be_visible()


def label_in_browser(page: Page, annotator: User) -> None:
    """Label what is offered by hand until nothing is open."""
    page.goto("/p/trial/label/")
    for done in range(1, 4):
        slot = Assignment.objects.select_related("solution").get(annotator=annotator, submitted_at=None)
        label = said_by(annotator.username, slot.solution.item_id)
        if label["correct"]:
            page.locator("label", has=page.locator("#correct-true")).click()
        else:
            page.locator(f"#step-{label['first_error']} label.which").click()
            page.locator(f".chips label:has(input[value={label['category']}])").click()
            page.get_by_label("Reason").first.fill(label["reason"])
        page.get_by_role("button", name="Submit and next").click()
        expect(page.locator(f"form.work input[name=assignment][value='{slot.pk}']")).to_have_count(0)
        assert Annotation.objects.filter(assignment__annotator=annotator).count() == done
    expect(page.get_by_text("Nothing to label right now")).to_be_visible()


@pytest.mark.browser
def test_three_people_in_their_browsers(
    trio: Project, annotators: list[User], lead: User, window_of: Callable[..., Page], grader: ModelServer
) -> None:
    chosen = [CHOSEN[item] for item in (AGREED[0], AGREED[1], DISPUTED[0])]
    desk, ana, ben = window_of(lead), window_of(annotators[0]), window_of(annotators[1])
    import_in_browser(desk, file_of(chosen))
    label_in_browser(ana, annotators[0])
    label_in_browser(ben, annotators[1])

    desk.goto("/p/trial/agreement/")
    expect(desk.get_by_text("6 labels of 3 items by 2 annotators")).to_be_visible()
    desk.get_by_role("link", name="Adjudicate").click()
    expect(desk.get_by_text("1 disputed item")).to_be_visible()
    label = Annotation.objects.get(assignment__annotator=annotators[0], assignment__solution__item_id=DISPUTED[0])
    desk.locator(f"a[href$='adopt={label.pk}']").click()
    expect(desk.locator("#id_reason")).to_have_value(label.reason)
    desk.get_by_role("button", name="Decide and next").click()
    expect(desk.get_by_text("Nothing is disputed")).to_be_visible()

    desk.get_by_role("link", name="Look at them").click()
    desk.get_by_role("button", name="Draw a sample").click()
    desk.get_by_role("link", name="Look at the sample").click()
    for place in (1, 2):
        expect(desk.get_by_role("heading", name=f"Sample, item {place} of 2")).to_be_visible()
        desk.get_by_role("button", name="I agree").click()
    desk.get_by_role("button", name="Confirm 2 items").click()
    desk.get_by_role("link", name="See the result").click()
    assert Adjudication.objects.filter(outcome="gold").count() == 3

    desk.goto("/p/trial/releases/")
    desk.get_by_label("Version").fill("1.0.0")
    desk.get_by_role("button", name="Freeze").click()
    desk.get_by_role("link", name="See the result").click()
    desk.get_by_role("button", name="Verify").click()
    expect(desk.get_by_text("Intact: every item")).to_be_visible()

    items = list(Solution.objects.values_list("item_id", flat=True))
    desk.get_by_label("Judge").fill("careful")
    desk.set_input_files(
        "input[name=answers]",
        {"name": "answers.jsonl", "mimeType": "text/plain", "buffer": answers_of("careful", items)},
    )
    desk.get_by_label("Model that compares the reasons").fill("grader")
    desk.get_by_role("button", name="Grade").click()
    desk.get_by_role("link", name="See the result").click()
    expect(desk.get_by_role("heading", name="careful")).to_be_visible()
    report = JudgeRun.objects.get(release=Release.objects.get()).report
    assert (report["counts"]["n"], report["reasons"]["compared"], len(grader.requests)) == (3, 2, 2)
