"""Reading, acknowledging and writing the guideline."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import guidelines
from annotation.access import in_project, leads_only, number_in, person, project_for
from annotation.forms import GuidelineForm
from annotation.models import Guideline


@require_safe
def guideline(request: HttpRequest, slug: str) -> HttpResponse:
    """The guideline in force, or an earlier version; as a page or for the panel of the workbench."""
    project = project_for(person(request), slug)
    versions = Guideline.objects.filter(project=project)
    wanted = request.GET.get("version", "")
    row = get_object_or_404(versions, version=wanted) if wanted.isdecimal() else guidelines.in_force(project)
    context = in_project(request, project, "guideline") | {
        "guideline": row, "versions": versions.select_related("written_by").defer("text"),
        "unread": guidelines.unread(project, person(request)),
    }  # fmt: skip
    part = "#text" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"annotation/guideline.html{part}", context)


@require_POST
def acknowledge(request: HttpRequest, slug: str) -> HttpResponse:
    """Note that this annotator has read the guideline in force, and go on with the work."""
    project = project_for(person(request), slug)
    row = get_object_or_404(Guideline, project=project, version=number_in(request.POST, "version"))
    guidelines.acknowledge(row, person(request))
    return redirect("label", slug)


@leads_only
@require_http_methods(["GET", "POST"])
def write_guideline(request: HttpRequest, slug: str) -> HttpResponse:
    """Write the next version; a preview shows it before it is put in force."""
    project = project_for(person(request), slug)
    newest = guidelines.in_force(project)
    form = GuidelineForm(request.POST or None, initial={"text": newest.text if newest else ""})
    previewed = request.method == "POST" and "preview" in request.POST and form.is_valid()
    if request.method == "POST" and not previewed and form.is_valid():
        row = guidelines.publish(project, form.cleaned_data["text"], form.cleaned_data["changes"], person(request))
        messages.success(request, _("Version %d is in force. Annotators read it before their next item.") % row.version)
        return redirect("guideline", slug)
    context = in_project(request, project, "guideline") | {"form": form, "newest": newest, "previewed": previewed}
    return render(request, "annotation/guideline_form.html", context, status=422 if form.errors else 200)
