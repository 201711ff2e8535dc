"""Long work: start it, see it move, stop it, start it again."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.tasks import Task
from django.utils import timezone
from django.utils.module_loading import import_string

from annotation.models import Job, Project, User

logger = logging.getLogger(__name__)
BEAT_SECONDS = 20.0

Progress = Callable[[int, int], None]


class Stopped(Exception):
    """Somebody asked this work to stop; what is done so far stays."""


def no_progress(done: int, total: int) -> None:
    """For callers that show none."""


def start(task: "Task[..., Any]", project: Project, by: User, **arguments: Any) -> Job:
    """Record the work and hand it to the workers once the surrounding transaction is through."""
    job = Job.objects.create(project=project, kind=task.module_path, started_by=by, arguments=arguments)
    transaction.on_commit(lambda: _enqueue(job))
    return job


@transaction.atomic
def resume(job: Job) -> Job:
    """Start stopped, failed or interrupted work again; anything else is left alone."""
    job = Job.objects.select_for_update().get(pk=job.pk)
    if job.can_resume:
        job.started_at = job.beat_at = job.finished_at = job.stop_wanted_at = None
        job.error = ""
        job.save()
        transaction.on_commit(lambda: _enqueue(job))
    return job


def stop(job: Job) -> None:
    """Ask the work to stop at the next safe place; work that no worker has begun stops at once."""
    now = timezone.now()
    Job.objects.filter(pk=job.pk, finished_at=None, started_at=None).update(stop_wanted_at=now, finished_at=now)
    Job.objects.filter(pk=job.pk, finished_at=None).update(stop_wanted_at=now)


def _enqueue(job: Job) -> None:
    import_string(job.kind).enqueue(job.pk)


@contextmanager
def _beating(job_id: int) -> Iterator[None]:
    """Keep giving signs of life, however long one step of the work takes."""
    over = Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            with suppress(DatabaseError):  # it is busy; the next beat tells the same
                Job.objects.filter(pk=job_id).update(beat_at=timezone.now())
        connection.close()

    thread = Thread(target=beat, name=f"signs of life of job {job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def at_work(job_id: int) -> Iterator[tuple[Job, Progress]]:
    """Run the body as the work of a job: its progress, its end and its failure are recorded.

    The progress function raises Stopped when somebody asked for a stop.
    """
    now = timezone.now()
    if not Job.objects.filter(pk=job_id, started_at=None, finished_at=None).update(started_at=now, beat_at=now):
        raise Stopped  # another worker has it, or it was stopped before it began
    job = Job.objects.select_related("project", "started_by").get(pk=job_id)

    def progress(done: int, total: int) -> None:
        Job.objects.filter(pk=job_id).update(done=done, total=total, beat_at=timezone.now())
        if Job.objects.filter(pk=job_id, stop_wanted_at__isnull=False).exists():
            raise Stopped

    ending: dict[str, Any] = {}
    try:
        with _beating(job_id):
            yield job, progress
        ending["result"] = job.result
    except Stopped:
        logger.info("job %s was stopped", job_id)
    except Exception as error:
        logger.exception("job %s failed", job_id)
        ending["error"] = str(error) or type(error).__name__
    finally:
        Job.objects.filter(pk=job_id).update(finished_at=timezone.now(), **ending)
