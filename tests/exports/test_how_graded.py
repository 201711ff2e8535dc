"""How answers are read is chosen on the page and over the API: parser, base of numbers, threshold of scores."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import Job, Problem, User
from exports.models import JudgeRun, Release
from tests.exports.campaigns import Campaign
from tests.model_server import model_server
from tests.pages import words
from tests.programs import Program

AsUser = Callable[[User], Client]
Send = Callable[..., Any]


def answers(release: Release, said: dict[str, Any]) -> bytes:
    """The same answer to every item; scores are repeated for as many steps as it has."""
    lines = []
    for item in release.items.all():
        steps = len(json.loads(item.record)["steps"])
        told = {name: (value * steps)[:steps] if name == "step_scores" else value for name, value in said.items()}
        lines.append(json.dumps({"id": item.item_id, **told}))
    return "\n".join(lines).encode()


@pytest.fixture
def tunable(campaign: Campaign) -> Release:
    """A release of three problems, the second of which is the dev split."""
    Problem.objects.filter(solutions=campaign.solutions[1]).update(extra={"split": "dev"})
    return campaign.freeze("1.0.0")


@pytest.fixture
def send(lead: User, as_user: AsUser, django_capture_on_commit_callbacks: Any) -> Send:
    """Send the same answer to every item as a lead, with options of the form."""

    def sent(release: Release, said: dict[str, Any], **options: str) -> Any:
        form = {"name": "judge", "answers": SimpleUploadedFile("answers.jsonl", answers(release, said)), **options}
        with django_capture_on_commit_callbacks(execute=True):
            return as_user(lead).post(reverse("grade", args=["trial", release.version]), form)

    return sent


RAW = {"raw": "Solution Analysis: so\nSolution Correctness: incorrect\nFirst Error Step: 2\nError Reason: the sum"}


@pytest.mark.parametrize(
    ("options", "first_error", "status"),
    [
        ({}, 1, "parsed"),
        ({"base": "0"}, 2, "parsed"),
        ({"parser": "mr-ben-official"}, None, "partial"),  # that script takes "Step 2" and nothing else
        ({"parser": "processbench-official"}, None, "unparsed"),
    ],
)
def test_raw_replies_are_read_as_chosen(
    release: Release, send: Send, options: dict[str, str], first_error: int | None, status: str
) -> None:
    assert send(release, RAW, **options).status_code == 302
    run = JudgeRun.objects.get()
    assert run.report["how"]["parser"] == options.get("parser", "stepmark")
    assert set(run.verdicts.values_list("first_error", "status")) == {(first_error, status)}


def test_a_fixed_threshold_reads_scores_of_steps(release: Release, send: Send) -> None:
    send(release, {"step_scores": [0.9, 0.3]}, threshold="0.2")
    run = JudgeRun.objects.get()
    assert set(run.verdicts.values_list("correct", flat=True)) == {True}
    assert run.report["step_scores"]["threshold"] == 0.2


def test_a_tuned_threshold_leaves_the_dev_split_out(tunable: Release, send: Send, lead: User, as_user: AsUser) -> None:
    send(tunable, {"step_scores": [0.9, 0.7]}, tune="on")
    run = JudgeRun.objects.get()
    told = run.report["step_scores"]
    assert (told["tuned"]["n_items"], run.verdicts.count(), run.report["counts"]["n"]) == (1, 2, 2)
    assert 0.7 <= told["threshold"] < 0.9, "the item tuned on is wrong at its second step, which has the lowest score"
    assert set(run.verdicts.values_list("first_error", flat=True)) == {1}
    page = words(as_user(lead).get(reverse("run", args=["trial", "1.0.0", run.pk])))
    assert "tuned on the dev split" in page
    page = words(as_user(lead).get(reverse("release", args=["trial", "1.0.0"])))
    assert "judge 2 of 3 items" in page
    assert "baseline" not in page, "they are those of all items"


def test_where_nothing_can_be_tuned_on_the_choice_is_refused(tunable: Release, send: Send) -> None:
    answer = send(tunable, {"correct": True}, tune="on")
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"tune"}
    assert "No item of the dev split has scores" in words(answer)
    assert '<details class="further" open>' in answer.content.decode()
    assert not Job.objects.exists()


def test_what_few_change_is_folded_away_until_it_was_changed(release: Release, lead: User, as_user: AsUser) -> None:
    desk, url = as_user(lead), reverse("run-judge", args=["trial", "1.0.0"])
    form = {"name": "x", "model": "m", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 0, "threshold": 0.5}
    form |= {"parser": "stepmark", "votes": 1, "self_checks": 0, "step_tag": "<extra_0>", "estimate": 1}
    assert '<details class="further">' in desk.get(url).content.decode()
    assert '<details class="further">' in desk.post(url, form).content.decode()
    assert '<details class="further" open>' in desk.post(url, form | {"threshold": 0.4}).content.decode()


@pytest.mark.parametrize(
    ("preset", "words_of_it"), [("mr-ben", "Only scores of steps have a threshold"), ("step-scores", "both sides need")]
)
def test_a_run_that_could_not_be_tuned_afterwards_is_refused_before_it_is_paid_for(
    release: Release, lead: User, as_user: AsUser, preset: str, words_of_it: str
) -> None:
    Problem.objects.update(extra={"split": "test"})
    tested = Campaign(release.project, [], lead).freeze("1.0.1")
    form = {"name": "x", "model": "m", "preset": preset, "shots": 0, "samples": 1, "temperature": 0, "tune": "on"}
    answer = as_user(lead).post(reverse("run-judge", args=["trial", tested.version]), form)
    assert answer.status_code == 422
    assert words_of_it in words(answer)
    assert not Job.objects.exists()


def test_a_number_that_is_none_is_refused(release: Release, send: Send) -> None:
    assert send(release, {"correct": True}, threshold="nan").context["form"].errors.keys() == {"threshold"}
    assert send(release, {"correct": True}, parser="mine").context["form"].errors.keys() == {"parser"}


def test_a_program_chooses_the_same(tunable: Release, lead: User, django_capture_on_commit_callbacks: Any) -> None:
    program, url = Program(lead), "projects/trial/releases/1.0.0/runs"
    sent = {"name": "judge", "tune": "true"}

    assert (
        program.upload(
            f"{url}/", 400, **(sent | {"threshold": "nan"}), answers=answers(tunable, {"step_scores": [0.9, 0.7]})
        )["field"]
        == "threshold"
    )
    with django_capture_on_commit_callbacks(execute=True):
        program.upload(f"{url}/", 202, **sent, answers=answers(tunable, {"step_scores": [0.9, 0.7]}))
    assert JudgeRun.objects.get().report["step_scores"]["tuned"]["n_items"] == 1


def test_a_model_that_is_run_is_read_as_chosen(
    release: Release, lead: User, as_user: AsUser, monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    with model_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        server.answer = lambda _request: json.dumps({"step_scores": [0.9, 0.3, 0.9, 0.9]})
        form = {
            "name": "scorer", "model": "grader", "preset": "step-scores", "shots": 0, "samples": 1, "temperature": 0,
            "threshold": "0.2",
        }  # fmt: skip
        with django_capture_on_commit_callbacks(execute=True):
            as_user(lead).post(reverse("run-judge", args=["trial", "1.0.0"]), form)
    assert set(JudgeRun.objects.get().verdicts.values_list("correct", flat=True)) == {True}
