"""Running a judge model from the app: asked once, graded, and never paid twice."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from annotation.models import Job, User
from exports.models import JudgeRun, Release
from exports.running import foreseen, run_model
from tests.model_server import ModelServer, model_server
from tests.pages import fields

OPTIONS = {
    "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 0.0, "max_tokens": None,
    "grader": "",
}  # fmt: skip
REPLY = "Solution Analysis: fine.\nSolution Correctness: incorrect\nFirst Error Step: Step 2\nError Reason: Wrong."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server() as running:
        running.answer = lambda _body: REPLY
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", running.key)
        yield running


def test_a_model_is_asked_once_for_each_item_and_graded(release: Release, lead: User, server: ModelServer) -> None:
    run = run_model(release, "judge", OPTIONS, lead)
    assert len(server.requests) == release.items.count() == 3
    assert [row.first_error for row in run.verdicts.order_by("item__position")] == [1, 1, 1]
    assert run.report["acc_step"] == 1.0
    assert run.options["run"]["preset"] == "mr-ben"
    run_model(release, "again", OPTIONS, lead)
    assert len(server.requests) == 3, "the second run is answered from the cache"


def test_every_ballot_of_a_run_is_kept_and_handed_out(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client]
) -> None:
    server.answer = lambda body: f"\\boxed{{{body['seed']}}}"
    run = run_model(release, "judge", OPTIONS | {"samples": 3, "temperature": 0.5, "seed": 0}, lead)
    client = as_user(lead)
    for address in (
        "/p/trial/releases/1.0.0/runs/{}/answers.jsonl",
        "/api/projects/trial/releases/1.0.0/runs/{}/answers/",
    ):
        sent = client.get(address.format(run.pk)).content
        assert hashlib.sha256(sent).hexdigest() == run.answers_sha256
        ballots = [json.loads(line)["ballots"] for line in sent.splitlines()]
        assert ballots == [["\\boxed{0}", "\\boxed{1}", "\\boxed{2}"]] * 3


def test_the_estimate_tells_what_is_answered_already(release: Release, lead: User, server: ModelServer) -> None:
    assert (foreseen(release, OPTIONS)["requests"], foreseen(release, OPTIONS)["cached"]) == (3, 0)
    run_model(release, "judge", OPTIONS, lead)
    assert foreseen(release, OPTIONS)["cached"] == 3


def test_the_page_estimates_first_and_starts_then(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    client, url = as_user(lead), "/p/trial/releases/1.0.0/run/"
    form = {"name": "judge", "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 0}
    assert "3 requests" in client.post(url, form | {"estimate": "1"}).content.decode()
    assert not JudgeRun.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url, form)
    assert JudgeRun.objects.get().name == "judge"
    assert Job.objects.get().state == "done"
    assert client.post(url, form).status_code == 422, "the name is taken"


def test_what_was_changed_since_the_estimate_is_estimated_again(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client]
) -> None:
    client, url = as_user(lead), "/p/trial/releases/1.0.0/run/"
    form = {"name": "judge", "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 0.5}
    estimated = fields(client.post(url, form | {"estimate": "1"}))["estimated"]
    changed = client.post(url, form | {"samples": 3, "estimated": estimated})
    assert "9 requests" in changed.content.decode()
    assert not Job.objects.exists()
    told = {"samples": 3, "estimated": fields(changed)["estimated"]}
    assert client.post(url, form | told).status_code == 302
    assert Job.objects.get().arguments["options"]["samples"] == 3


@pytest.mark.parametrize("by", ["page", "api"])
def test_the_responses_api_and_top_p_are_chosen_on_the_page_too(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client], by: str,
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    server.offers = ("/v1/responses",)
    form = {"name": "judge", "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 1,
            "top_p": 0.9, "api": "responses"}  # fmt: skip
    url = "/p/trial/releases/1.0.0/run/" if by == "page" else "/api/projects/trial/releases/1.0.0/models/"
    with django_capture_on_commit_callbacks(execute=True):
        client = as_user(lead)
        _answer = client.post(url, form) if by == "page" else client.post(url, form, content_type="application/json")
    assert JudgeRun.objects.get().report["acc_step"] == 1.0
    assert set(server.paths) == {"/v1/responses"}
    assert {request["top_p"] for request in server.requests} == {0.9}


def test_prices_make_the_estimate_and_the_bill(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client],
    django_capture_on_commit_callbacks: Any,
) -> None:  # fmt: skip
    client, url = as_user(lead), "/p/trial/releases/1.0.0/run/"
    form = {"name": "judge", "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 1, "temperature": 0,
            "seed": 7, "price_in": 1000, "price_out": 2000}  # fmt: skip
    told = foreseen(release, OPTIONS | {"price_in": 1000.0, "price_out": 2000.0})
    assert told["cost"] == pytest.approx((1000 * told["prompt_tokens"] + 2000 * told["completion_tokens"]) / 1e6)
    assert f"About {told['cost']:.4f} in money" in client.post(url, form | {"estimate": "1"}).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url, form)
    run = JudgeRun.objects.get()
    assert {request["seed"] for request in server.requests} == {7}
    assert run.report["cost"]["cost_per_item"] == pytest.approx((1000 * 11 + 2000 * 7) / 1e6)
    one = {name: value for name, value in form.items() if name != "price_in"}
    assert client.post(url, one | {"name": "two"}).status_code == 422


def test_what_makes_no_sense_is_said_before_anything_is_asked(
    release: Release, lead: User, server: ModelServer, as_user: Callable[[User], Client]
) -> None:
    form = {"name": "judge", "model": "grader", "preset": "mr-ben", "shots": 0, "samples": 5, "temperature": 0}
    answer = as_user(lead).post("/p/trial/releases/1.0.0/run/", form)
    assert answer.status_code == 422
    assert "temperature" in answer.content.decode()
    assert json.dumps(server.requests) == "[]"


def test_half_a_character_in_a_choice_is_refused(
    release: Release, lead: User, as_user: Callable[[User], Client]
) -> None:
    url = "/api/projects/trial/releases/1.0.0/models/"
    sent = '{"name": "judge", "model": "grader", "preset": "\\ud83d"}'
    answer = as_user(lead).post(url, sent, content_type="application/json")
    assert (answer.status_code, answer.json()["field"]) == (400, "preset")
