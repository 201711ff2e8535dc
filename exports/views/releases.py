"""Freezing, reading and downloading releases."""

from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import View, in_project, leads_only, person, project_for
from annotation.models import User
from exports.downloads import DOWNLOADS, HALVES, file_name, format_file_name, in_format, open_file, packed
from exports.folder import FolderError
from exports.formats import FORMATS
from exports.forms import JudgeForm, ReleaseForm
from exports.models import Release
from exports.releases import CannotFreeze, tampering
from exports.tasks import start_freezing
from review.stages import stage_counts


def release_for(user: User, slug: str, version: str) -> Release:
    """The release of that version, if this person may see it."""
    project = project_for(user, slug)
    release: Release = get_object_or_404(Release.objects.select_related("project"), project=project, version=version)
    return release


@leads_only
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """List the releases of a campaign; a post freezes the next one."""
    project = project_for(person(request), slug)
    form = ReleaseForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        return redirect("job", start_freezing(project, person(request), **form.cleaned_data).pk)
    rows = project.releases.annotate(n=Count("items")).order_by("-pk").select_related("frozen_by")
    rows = rows.defer("manifest_text", "votes_text", "left_out_text")
    context = in_project(request, project, "releases") | {
        "form": form, "page_obj": Paginator(rows, 25).get_page(request.GET.get("page")), "counts": stage_counts(project)
    }  # fmt: skip
    return render(request, "exports/releases.html", context, status=422 if form.errors else 200)


@leads_only
@require_safe
def release(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """One release: what is in it, its files, and the judges graded against it."""
    row = release_for(person(request), slug, version)
    runs = row.runs.select_related("graded_by").order_by("name")
    ranked = sorted(runs, key=lambda run: run.ranking, reverse=True)
    counts = row.manifest["counts"]
    whole: dict[str, Any] = next((run.report for run in ranked if run.report["counts"]["n"] == counts["items"]), {})
    context = in_project(request, row.project, "releases") | {
        "release": row, "counts": counts, "counted": counts["items"], "runs": ranked, "formats": list(FORMATS),
        "baselines": whole.get("baselines"),
        "files": DOWNLOADS, "form": JudgeForm(release=row),
        "errata": row.manifest["errata"],
    }  # fmt: skip
    return render(request, "exports/release.html", context)


@leads_only
@require_POST
def verify(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Check the release's folder and rows against their hashes."""
    faults = tampering(release_for(person(request), slug, version))
    if faults:
        messages.error(request, "\n".join(faults))
    else:
        messages.success(request, _("Intact: every item and file is as it was frozen."))
    return redirect("release", slug, version)


def only_intact[**P](view: View[P]) -> View[P]:
    """Give nothing out of a release whose rows were tampered with; the release's page says what was found."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except (CannotFreeze, FolderError) as error:
            messages.error(request, str(error))
            return redirect("release", kwargs["slug"], kwargs["version"])

    return guarded


@leads_only
@only_intact
@require_safe
def download_file(request: HttpRequest, slug: str, version: str, name: str) -> FileResponse:
    """One file of the release's folder, byte for byte."""
    row = release_for(person(request), slug, version)
    if name not in DOWNLOADS:
        raise Http404
    return FileResponse(open_file(row, name), as_attachment=True, filename=file_name(row, name))


@leads_only
@only_intact
@require_safe
def download_folder(request: HttpRequest, slug: str, version: str) -> FileResponse:
    """The whole folder as a ZIP file, for `stepmark grade`."""
    row = release_for(person(request), slug, version)
    return FileResponse(packed(row), as_attachment=True, filename=f"{slug}-{version}.zip")


@leads_only
@only_intact
@require_safe
def download_format(request: HttpRequest, slug: str, version: str, name: str) -> FileResponse:
    """The release in one of the formats that evaluation pipelines read."""
    row = release_for(person(request), slug, version)
    half = request.GET.get("half", "")
    if name not in FORMATS or half not in ("", *HALVES):
        raise Http404
    return FileResponse(in_format(row, name, half), as_attachment=True, filename=format_file_name(row, name, half))
