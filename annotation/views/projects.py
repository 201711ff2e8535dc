"""The list of campaigns, one campaign, and its set-up."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import in_project, leads_only, person, project_for, visible_projects
from annotation.forms import ProjectForm
from annotation.projects import PRESETS, PolicyError, change_policy, create_project


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Every campaign this person has to do with."""
    projects = visible_projects(person(request)).order_by("name", "pk")
    page = Paginator(projects, 25).get_page(request.GET.get("page"))
    return render(request, "annotation/home.html", {"page_obj": page})


@leads_only
@require_http_methods(["GET", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Set up a campaign."""
    preset = request.GET.get("preset", "")
    form = ProjectForm(request.POST or None, initial=dict(PRESETS.get(preset, {})))
    if request.method == "POST" and form.is_valid():
        project = create_project(form.save(commit=False), form.cleaned_data["members"])
        messages.success(request, _("The project is set up. Import problems next."))
        return redirect("project", project.slug)
    context = {"form": form, "presets": PRESETS, "preset": preset}
    return render(request, "annotation/project_form.html", context, status=422 if form.errors else 200)


@leads_only
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a campaign's policy and members."""
    project = project_for(person(request), slug)
    form = ProjectForm(request.POST or None, instance=project_for(person(request), slug))
    if request.method == "POST" and form.is_valid():
        try:
            change_policy(form.save(commit=False), form.cleaned_data["members"], person(request))
        except PolicyError as error:
            form.add_error("overlap", str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("project", slug)
    context = {"form": form, **in_project(request, project, "project")}
    return render(request, "annotation/project_form.html", context, status=422 if form.errors else 200)
