"""Long work of the exports floor, as the workers run it."""

from django.tasks import task
from django.urls import reverse

from annotation.jobs import at_work
from annotation.models import Upload
from exports.judging import grade_run
from exports.models import Release
from exports.releases import folder_of, freeze


@task()
def freeze_release(job_id: int) -> None:
    """Freeze what is decided."""
    with at_work(job_id) as (job, progress):
        wanted = job.arguments
        release = freeze(job.project, wanted["version"], wanted["notes"], job.started_by, progress)
        folder_of(release)
        job.result = {"url": reverse("release", args=[job.project.slug, release.version])}


@task()
def grade_answers(job_id: int) -> None:
    """Grade a judge's answers."""
    with at_work(job_id) as (job, progress):
        wanted = job.arguments
        release = Release.objects.get(pk=wanted["release"])
        people = Upload.objects.filter(pk=wanted["people"]).first()
        answers = Upload.objects.get(pk=wanted["answers"])
        run = grade_run(
            release, wanted["name"], bytes(answers.content), job.started_by, model=wanted["model"],
            reasons_file=bytes(people.content) if people else None, progress=progress,
        )  # fmt: skip
        job.result = {"url": reverse("run", args=[job.project.slug, release.version, run.pk])}
