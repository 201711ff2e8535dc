"""The page of long work: how far it is, stopping it, and starting it again."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job, Project, User
from review.tasks import import_upload
from tests.pages import HTMX, is_whole, words

AsUser = Callable[[User], Client]


@pytest.fixture
def make_job(project: Project, lead: User) -> Callable[..., Job]:
    def make(**facts: Any) -> Job:
        arguments = {"title": "Importing set.jsonl", "upload": 0, "format": "stepmark", "text_format": ""}
        return Job.objects.create(
            project=project, kind=import_upload.module_path, started_by=lead, arguments=arguments, **facts
        )

    return make


def minutes_ago(minutes: float) -> Any:
    return timezone.now() - timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("facts", "said", "asks_again", "buttons"),
    [
        ({}, "no worker is running", True, {"Stop"}),
        ({"started_at": 9, "beat_at": 0.1, "done": 3, "total": 7}, "3 / 7, ends at about", True, {"Stop"}),
        ({"started_at": 9, "beat_at": 0.1}, "getting ready", True, {"Stop"}),
        ({"started_at": 9, "beat_at": 0.1, "stop_wanted_at": 0.1}, "Running", True, set()),
        ({"started_at": 9, "beat_at": 8}, "Interrupted", False, {"Resume"}),
        ({"started_at": 9, "finished_at": 8, "stop_wanted_at": 8}, "Stopped", False, {"Resume"}),
        ({"started_at": 9, "finished_at": 8, "error": "line 4: no text"}, "line 4: no text", False, {"Resume"}),
        ({"started_at": 9, "finished_at": 8, "result": {"url": "/there/"}}, "See the result", False, set()),
    ],
    ids=["waiting", "running", "reading", "stopping", "interrupted", "stopped", "failed", "done"],
)
def test_it_says_how_far_the_work_is_and_what_can_be_done(
    make_job: Callable[..., Job], lead: User, as_user: AsUser, facts: dict[str, Any], said: str, asks_again: bool,
    buttons: set[str],
) -> None:  # fmt: skip
    dates = {name: minutes_ago(value) if name.endswith("_at") else value for name, value in facts.items()}
    url = reverse("job", args=[make_job(**dates).pk])
    whole, part = as_user(lead).get(url), as_user(lead).get(url, headers=HTMX)
    assert (is_whole(whole), is_whole(part)) == (True, False)
    for answer in (whole, part):
        assert said in words(answer)
        assert ("hx-trigger" in answer.content.decode()) == asks_again
        assert {name for name in ("Stop", "Resume") if f"<button>{name}</button>" in answer.content.decode()} == buttons


def test_stopping_work_that_has_not_begun_ends_it(make_job: Callable[..., Job], lead: User, as_user: AsUser) -> None:
    job = make_job()
    answer = as_user(lead).post(reverse("stop-job", args=[job.pk]), follow=True)
    assert "Stopped" in words(answer)


def test_resuming_runs_it_again_and_tells_what_went_wrong(
    make_job: Callable[..., Job], lead: User, as_user: AsUser, django_capture_on_commit_callbacks: Any
) -> None:
    job = make_job(started_at=minutes_ago(9), finished_at=minutes_ago(8), stop_wanted_at=minutes_ago(8))
    with django_capture_on_commit_callbacks(execute=True):
        answer = as_user(lead).post(reverse("resume-job", args=[job.pk]))
    assert answer["Location"] == reverse("job", args=[job.pk])
    assert "Failed" in words(as_user(lead).get(answer["Location"])), "the upload it names is not there"


@pytest.mark.parametrize("name", ["stop-job", "resume-job"])
def test_a_link_does_neither(make_job: Callable[..., Job], lead: User, as_user: AsUser, name: str) -> None:
    assert as_user(lead).get(reverse(name, args=[make_job().pk])).status_code == 405
