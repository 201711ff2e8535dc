"""Long work: its progress, stopping and resuming it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation import jobs
from annotation.access import leads_only, person, visible_projects
from annotation.models import Job


def job_for(request: HttpRequest, pk: int) -> Job:
    """The piece of work, if this person may see its campaign."""
    rows = Job.objects.select_related("project", "started_by").filter(project__in=visible_projects(person(request)))
    return get_object_or_404(rows, pk=pk)


@leads_only
@require_safe
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far the work is; the fragment asks again by itself until the work is over."""
    row = job_for(request, pk)
    part = "#progress" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"annotation/job.html{part}", {"job": row, "project": row.project})


@leads_only
@require_POST
def stop_job(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the work to stop."""
    jobs.stop(job_for(request, pk))
    return redirect("job", pk)


@leads_only
@require_POST
def resume_job(request: HttpRequest, pk: int) -> HttpResponse:
    """Start the work again where it stopped."""
    jobs.resume(job_for(request, pk))
    return redirect("job", pk)
