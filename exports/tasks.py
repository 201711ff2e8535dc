"""Long work of the exports floor: how it is started, and what the workers do."""

from dataclasses import asdict
from typing import Any

from django.core.files import File
from django.tasks import task
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.jobs import at_work
from annotation.models import Job, Project, Upload, User
from annotation.uploads import keep
from exports import comparisons
from exports.how_graded import AS_USUAL, HowGraded
from exports.judging import check_files, check_name, grade_run
from exports.models import Release
from exports.releases import check_version, folder_of, freeze
from exports.running import run_model


def start_freezing(project: Project, by: User, *, version: str, notes: str) -> Job:
    """Have what is decided frozen. Raises: CannotFreeze."""
    check_version(project, version)
    title = _("Freezing release %s") % version
    return jobs.start(freeze_release, project, by, version=version, notes=notes, title=title)


def start_grading(
    release: Release, by: User, *, name: str, answers: "File[bytes]", people: "File[bytes] | None", model: str,
    how: HowGraded = AS_USUAL,
) -> Job:  # fmt: skip
    """Check a judge's answers at once and have them graded. Raises: NameTaken, FileRefused."""
    check_name(release, name)
    uploads = {"answers": keep(release.project, answers, by)}
    if people:
        uploads["people"] = keep(release.project, people, by)
    check_files(release, how, *(bytes(upload.content) for upload in uploads.values()))
    kept: dict[str, Any] = {"people": None} | {part: upload.pk for part, upload in uploads.items()}
    title = _("Grading %s") % name
    return jobs.start(
        grade_answers, release.project, by, release=release.pk, name=name, model=model,
        how=asdict(how), **kept, title=title,
    )  # fmt: skip


@task()
def freeze_release(job_id: int) -> None:
    """Freeze what is decided."""
    with at_work(job_id) as (job, progress):
        wanted = job.arguments
        release = freeze(job.project, wanted["version"], wanted["notes"], job.started_by, progress)
        folder_of(release)
        url = reverse("release", args=[job.project.slug, release.version])
        job.result = {"version": release.version, "content_hash": release.content_hash, "url": url}


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
            how=HowGraded(**wanted.get("how", {})), reasons_file=bytes(people.content) if people else None,
            progress=progress,
        )  # fmt: skip
        job.result = {"run": run.pk, "url": reverse("run", args=[job.project.slug, release.version, run.pk])}


@task()
def compare_judges(release_id: int, run_ids: list[int], references: list[int]) -> None:
    """Compare some runs of a release, unless that was done already."""
    release = Release.objects.select_related("project").get(pk=release_id)
    found = release.runs.in_bulk(run_ids)
    runs = [found[pk] for pk in run_ids]
    if comparisons.kept(release, runs, references) is None:
        comparisons.compare_runs(release, runs, references)


def start_run(release: Release, by: User, name: str, options: dict[str, Any]) -> Job:
    """Have a model asked and graded. Raises: NameTaken."""
    check_name(release, name)
    title = _("Running %s") % name
    return jobs.start(run_judge_model, release.project, by, release=release.pk, name=name, options=options, title=title)


@task()
def run_judge_model(job_id: int) -> None:
    """Ask a judge model and grade its answers."""
    with at_work(job_id) as (job, progress):
        release = Release.objects.get(pk=job.arguments["release"])
        run = run_model(release, job.arguments["name"], job.arguments["options"], job.started_by, progress)
        job.result = {"url": reverse("run", args=[job.project.slug, release.version, run.pk])}
