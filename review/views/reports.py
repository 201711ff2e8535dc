"""What annotators reported or skipped, for a lead to answer."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Report, Skip
from annotation.reports import close, take_back_skip


@leads_only
@require_safe
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """The reports of a campaign, open ones first, and the skips."""
    project = project_for(person(request), slug)
    rows = Report.objects.filter(solution__problem__project=project).select_related(
        "annotator", "solution__problem", "closed_by"
    )
    if request.GET.get("state") != "all":
        rows = rows.filter(closed_at=None)
    skips = Skip.objects.filter(solution__problem__project=project).select_related("annotator", "solution")
    context = in_project(request, project, "project") | {
        "page_obj": Paginator(rows.order_by("-pk"), 25).get_page(request.GET.get("page")),
        "state": request.GET.get("state", ""),
        "skips": Paginator(skips.order_by("-pk"), 25).get_page(request.GET.get("skips")),
    }
    return render(request, "review/reports.html", context)


@leads_only
@require_POST
def close_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Answer a report; its writer may get the item again."""
    project = project_for(person(request), slug)
    row = get_object_or_404(Report, pk=pk, solution__problem__project=project)
    close(row, person(request), request.POST.get("answer", "")[:5000])
    messages.success(request, _("Answered."))
    return redirect("reports", slug)


@leads_only
@require_POST
def take_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Offer a skipped item to its annotator again."""
    project = project_for(person(request), slug)
    take_back_skip(get_object_or_404(Skip, pk=pk, solution__problem__project=project), person(request))
    messages.success(request, _("The item is offered again."))
    return redirect("reports", slug)
