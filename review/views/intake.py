"""Importing a file: send it, look at what would happen, do it, read the report."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Job, Project, Upload
from annotation.sources import SourceError
from annotation.sources.records import Oddity
from annotation.uploads import keep
from review import published
from review.forms import ImportForm
from review.tasks import import_upload, start_import


@leads_only
@require_http_methods(["GET", "POST"])
def send_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the file and lead on to its preview."""
    project = project_for(person(request), slug)
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        upload = keep(project, form.cleaned_data["file"], person(request))
        options = {name: form.cleaned_data[name] for name in ("format", "labels", "text_format")}
        request.session[f"import-{upload.pk}"] = options | {"skip_bad": form.cleaned_data["skip_bad"]}
        return redirect("import-preview", slug, upload.pk)
    context = in_project(request, project, "project") | {"form": form}
    return render(request, "review/import.html", context, status=422 if form.errors else 200)


@leads_only
@require_http_methods(["GET", "POST"])
def preview(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show what the import would do; a post starts it, or leaves out what is bad and shows that."""
    project = project_for(person(request), slug)
    upload = get_object_or_404(Upload, pk=pk, project=project)
    options = request.session.get(f"import-{pk}")
    if options is None:
        return redirect("import", slug)
    if request.method == "POST" and "skip_bad" in request.POST:
        request.session[f"import-{pk}"] = options | {"skip_bad": True}
        return redirect("import-preview", slug, pk)
    if request.method == "POST":
        return redirect("job", start_import(upload, person(request), options).pk)
    context = in_project(request, project, "project") | {"upload": upload, "options": options}
    return render(request, "review/import_preview.html", context | _foreseen(request, project, upload, options))


def _foreseen(request: HttpRequest, project: Project, upload: Upload, options: dict[str, Any]) -> dict[str, Any]:
    text_format = options["text_format"] or None
    try:
        reading = published.read(bytes(upload.content), upload.name, options["format"], text_format=text_format)
    except SourceError as error:
        return {"unreadable": str(error)}
    report, refused = published.foresee(
        project, reading, person(request), labels=options["labels"], skip_bad=options["skip_bad"]
    )
    return {
        "report": report, "refused": refused, "samples": reading.records[:3],
        "page_obj": _oddities(request, report.oddities),
    }  # fmt: skip


def _oddities(request: HttpRequest, oddities: list[Oddity]) -> Any:
    kind = request.GET.get("kind")
    shown = [o for o in oddities if not kind or o.kind == kind]
    shown.sort(key=lambda oddity: oddity.severity != "blocking")
    return Paginator(shown, 50).get_page(request.GET.get("page"))


@leads_only
@require_safe
def report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What an import did, with every oddity it met."""
    project = project_for(person(request), slug)
    job = get_object_or_404(Job, pk=pk, project=project, kind=import_upload.module_path)
    result = {name: value for name, value in job.result.items() if name != "url"}
    oddities = [Oddity(**parts) for parts in result.pop("oddities", [])]
    row = published.ImportReport(**result, oddities=oddities)
    context = {"job": job, "report": row, "page_obj": _oddities(request, oddities)}
    return render(request, "review/import_report.html", in_project(request, project, "project") | context)
