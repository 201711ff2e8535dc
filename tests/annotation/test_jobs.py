"""Long work: its facts tell its state; stopped, failed and interrupted work starts again, finished work does not."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.tasks import task
from django.utils import timezone

from annotation import jobs
from annotation.models import Job, JobState, Project, User
from annotation.models.jobs import SILENCE_MEANS_DEAD

DONE: list[int] = []


@task()
def three_pieces(job_id: int) -> None:
    """Three pieces of work, each done once; `fails_at` and `stops_at` are the pieces at which something happens."""
    with jobs.at_work(job_id) as (job, progress):
        for piece in range(3):
            if piece == job.arguments.get("fails_at") and not job.arguments.get("mended"):
                raise ValueError(f"piece {piece} cannot be done")
            if piece == job.arguments.get("stops_at"):
                jobs.stop(job)
            if piece not in DONE:
                DONE.append(piece)
            progress(piece + 1, 3)
        job.result = {"pieces": len(DONE)}


@pytest.fixture(autouse=True)
def _nothing_done() -> None:
    DONE.clear()


@pytest.fixture
def started(project: Project, lead: User, django_capture_on_commit_callbacks: Any) -> Any:
    def start(**arguments: Any) -> Job:
        with django_capture_on_commit_callbacks(execute=True):
            job = jobs.start(three_pieces, project, lead, **arguments)
        job.refresh_from_db()
        return job

    return start


@pytest.fixture
def resumed(django_capture_on_commit_callbacks: Any) -> Any:
    def resume(job: Job) -> Job:
        with django_capture_on_commit_callbacks(execute=True):
            jobs.resume(job)
        job.refresh_from_db()
        return job

    return resume


def test_finished_work_has_its_result_and_all_its_progress(started: Any) -> None:
    job = started()
    assert (job.state, job.done, job.total, job.result, job.error) == (JobState.DONE, 3, 3, {"pieces": 3}, "")
    assert not job.can_resume


def test_failed_work_says_why_and_can_be_started_again(started: Any, resumed: Any) -> None:
    job = started(fails_at=1)
    assert (job.state, job.error, job.done) == (JobState.FAILED, "piece 1 cannot be done", 1)
    assert job.can_resume
    Job.objects.update(arguments={"fails_at": 1, "mended": True})
    job = resumed(job)
    assert (job.state, job.error, DONE) == (JobState.DONE, "", [0, 1, 2])


def test_work_asked_to_stop_keeps_what_it_did_and_goes_on_from_there(started: Any, resumed: Any) -> None:
    job = started(stops_at=1)
    assert (job.state, job.done, DONE) == (JobState.STOPPED, 2, [0, 1])
    Job.objects.update(arguments={})
    assert resumed(job).state == JobState.DONE
    assert DONE == [0, 1, 2], "what was done is not done twice"


def test_finished_work_is_not_done_again(started: Any, resumed: Any) -> None:
    job = started()
    DONE.clear()
    assert resumed(job).state == JobState.DONE
    assert DONE == []


def test_work_no_worker_has_begun_stops_at_once(project: Project, lead: User) -> None:
    job = jobs.start(three_pieces, project, lead)
    assert str(job.state) == "waiting"
    jobs.stop(job)
    job.refresh_from_db()
    assert str(job.state) == "stopped"
    with pytest.raises(jobs.Stopped):
        three_pieces.call(job.pk)
    assert DONE == [], "a worker that finds it afterwards does not begin"


def test_two_workers_do_not_do_the_same_work(project: Project, lead: User) -> None:
    job = jobs.start(three_pieces, project, lead)
    Job.objects.update(started_at=timezone.now(), beat_at=timezone.now())
    with pytest.raises(jobs.Stopped):
        three_pieces.call(job.pk)
    assert DONE == []


def test_silence_means_interrupted_and_only_then_it_can_be_started_again(
    project: Project, lead: User, resumed: Any
) -> None:
    job = jobs.start(three_pieces, project, lead)
    now = timezone.now()
    job.started_at = now - timedelta(hours=1)
    job.beat_at = now - SILENCE_MEANS_DEAD / 2
    assert (job.state, job.can_resume) == (JobState.RUNNING, False)
    job.beat_at = now - SILENCE_MEANS_DEAD * 2
    assert (job.state, job.can_resume) == (JobState.INTERRUPTED, True)
    job.save()
    assert resumed(job).state == JobState.DONE


@task()
def one_long_piece(job_id: int) -> None:
    """A piece that tells nothing for a long while: it waits for a sign of life that others see."""
    with jobs.at_work(job_id) as (job, _progress):
        began, deadline = job.beat_at, time.monotonic() + 60
        while time.monotonic() < deadline and Job.objects.get(pk=job_id).beat_at == began:
            time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
def test_work_gives_signs_of_life_through_a_long_piece(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    job = jobs.start(one_long_piece, project, lead)
    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert job.beat_at
    assert job.started_at
    assert job.beat_at > job.started_at


def test_the_end_is_foretold_from_the_pace_so_far() -> None:
    now = timezone.now()
    job = Job(started_at=now - timedelta(minutes=3), beat_at=now, done=1, total=4)
    assert job.expected_end == now + timedelta(minutes=9)
    job.done = 0
    assert job.expected_end is None, "no pace yet"
    job.done, job.total = 1, 2000
    assert job.expected_end is None, "what came before the first piece is no pace"
    job.done, job.finished_at = 4, now
    assert job.expected_end is None, "it has ended"
