"""Long work of the review floor: how it is started, and what the workers do."""

from typing import Any

from django.conf import settings
from django.tasks import task
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.jobs import at_work
from annotation.llm import Endpoint
from annotation.models import Job, Project, Solution, Upload, User
from review import adjudication, kept_figures, published, reason_pairs
from review.disagreements import current_labels
from review.models import Confirmation


def start_import(upload: Upload, by: User, options: dict[str, Any]) -> Job:
    """Have a kept file taken in; `options` are format, labels, text_format and skip_bad."""
    title = _("Importing %s") % upload.name
    return jobs.start(import_upload, upload.project, by, **options, upload=upload.pk, title=title)


def start_confirmation(confirmation: Confirmation, by: User) -> Job:
    """Have the consensus confirmed. Raises: SampleNotSeen."""
    adjudication.check_sample(confirmation)
    title = _("Confirming what all annotators agree on")
    return jobs.start(confirm_consensus, confirmation.project, by, confirmation=confirmation.pk, title=title)


@task()
def hint_reasons(solution_id: int) -> None:
    """Ask the project's model whether the reasons of an item say the same."""
    solution = Solution.objects.select_related("problem__project").prefetch_related("steps").get(pk=solution_id)
    model = solution.problem.project.hint_model
    if model:
        labels = current_labels([solution])[solution.pk]
        reason_pairs.hint(solution, labels, Endpoint(model, cache=settings.MODEL_CACHE_DIR))


@task()
def refresh_agreement(project_id: int, view: str = "") -> None:
    """Compute a campaign's agreement figures unless somebody has done it meanwhile."""
    project = Project.objects.get(pk=project_id)
    if not kept_figures.is_fresh(project, kept_figures.snapshots(project, view)):
        kept_figures.refresh(project, view)


@task()
def import_upload(job_id: int) -> None:
    """Take an uploaded file in."""
    with at_work(job_id) as (job, progress):
        options = job.arguments
        upload = Upload.objects.get(pk=options["upload"])
        reading = published.read(
            bytes(upload.content), upload.name, options["format"], text_format=options["text_format"] or None
        )
        report = published.import_file(
            job.project, reading, job.started_by,
            labels=options["labels"], skip_bad=options["skip_bad"], progress=progress,
        )  # fmt: skip
        job.result = report.as_dict() | {"url": reverse("import-report", args=[job.project.slug, job.pk])}


@task()
def confirm_consensus(job_id: int) -> None:
    """Make gold of what all annotators agree on."""
    with at_work(job_id) as (job, progress):
        confirmation = Confirmation.objects.get(pk=job.arguments["confirmation"])
        confirmed = adjudication.confirm(confirmation, progress)
        job.result = {"confirmed": confirmed, "url": reverse("project", args=[job.project.slug])}
