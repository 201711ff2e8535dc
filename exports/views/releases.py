"""Freezing, reading and downloading releases."""

import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import jobs
from annotation.access import in_project, leads_only, person, project_for
from annotation.models import User
from exports.folder import FILES, MANIFEST
from exports.formats import FORMATS
from exports.forms import JudgeForm, ReleaseForm
from exports.models import Release
from exports.releases import CannotFreeze, export, faults_of, folder_of
from exports.tasks import freeze_release
from review.disagreements import stage_counts


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
        title = _("Freezing release %s") % form.cleaned_data["version"]
        return redirect(
            "job", jobs.start(freeze_release, project, person(request), title=title, **form.cleaned_data).pk
        )
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
    ranked = sorted(runs, key=lambda run: -(run.report.get("mr_score") or run.report.get("f1") or 0))
    counts = row.manifest["counts"]
    context = in_project(request, row.project, "releases") | {
        "release": row, "counts": counts, "counted": counts["items"], "runs": ranked, "formats": list(FORMATS),
        "files": [*FILES, MANIFEST], "form": JudgeForm(release=row),
    }  # fmt: skip
    return render(request, "exports/release.html", context)


@leads_only
@require_POST
def verify(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Check the release's folder and rows against their hashes."""
    row = release_for(person(request), slug, version)
    try:
        faults = faults_of(row, folder_of(row))
    except CannotFreeze as error:
        faults = [str(error)]
    if faults:
        messages.error(request, "\n".join(faults))
    else:
        messages.success(request, _("Intact: every item and file is as it was frozen."))
    return redirect("release", slug, version)


@leads_only
@require_safe
def download_file(request: HttpRequest, slug: str, version: str, name: str) -> FileResponse:
    """One file of the release's folder, byte for byte."""
    row = release_for(person(request), slug, version)
    if name not in (*FILES, MANIFEST):
        raise Http404
    return FileResponse((folder_of(row) / name).open("rb"), as_attachment=True, filename=f"{slug}-{version}-{name}")


@leads_only
@require_safe
def download_folder(request: HttpRequest, slug: str, version: str) -> FileResponse:
    """The whole folder as a ZIP file, for `stepmark grade`."""
    row = release_for(person(request), slug, version)
    folder = folder_of(row)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (*FILES, MANIFEST):
            archive.write(folder / name, f"{slug}-{version}/{name}")
    packed.seek(0)
    return FileResponse(packed, as_attachment=True, filename=f"{slug}-{version}.zip")


@leads_only
@require_safe
def download_format(request: HttpRequest, slug: str, version: str, name: str) -> FileResponse:
    """The release in one of the formats that evaluation pipelines read."""
    row = release_for(person(request), slug, version)
    if name not in FORMATS:
        raise Http404
    suffix = "json" if name in ("mr-ben", "processbench") else "jsonl"
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "export"
        export(row, name, path)
        opened = path.open("rb")  # stays readable after the folder is gone
    return FileResponse(opened, as_attachment=True, filename=f"{slug}-{version}-{name}.{suffix}")
