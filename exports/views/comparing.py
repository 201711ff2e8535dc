"""Two judges, or all of them, on the same items; and what people tag and doubt while reading answers."""

import csv
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import in_project, leads_only, number_in, person
from exports import comparisons
from exports.comparing import FLIPS_ARE_RAW, INDEPENDENT
from exports.comparisons import MOST_RUNS
from exports.flips import FLIPS, RIGHT
from exports.models import JudgeRun, JudgeVerdict, Release
from exports.tasks import compare_judges
from exports.views.judges import run_for
from exports.views.releases import release_for


def _runs(release: Release, request: HttpRequest) -> list[JudgeRun]:
    """The runs a request names in its order; all of them, best first, when it names none. No more than MOST_RUNS."""
    wanted = [int(pk) for pk in request.GET.getlist("run") if pk.isdecimal() and len(pk) < 18]
    runs = release.runs.in_bulk(wanted) if wanted else {run.pk: run for run in release.runs.all()}
    if wanted:
        return [runs[pk] for pk in dict.fromkeys(wanted) if pk in runs][:MOST_RUNS]
    return sorted(runs.values(), key=lambda run: -(run.ranking_score or 0))[:MOST_RUNS]


def _references(request: HttpRequest, runs: list[JudgeRun]) -> list[int]:
    """Those of the runs whose judges cannot have seen the release."""
    return [run.pk for run in runs if str(run.pk) in request.GET.getlist("reference")]


@leads_only
@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The kept comparison of some runs; the first visit has it computed and the part asks again until it is there."""
    release = release_for(person(request), slug, version)
    runs = _runs(release, request)
    references = _references(request, runs)
    row = comparisons.kept(release, runs, references) if len(runs) > 1 else None
    if len(runs) > 1 and row is None and not request.htmx:  # type: ignore[attr-defined]
        compare_judges.enqueue(release.pk, [run.pk for run in runs], references)
        row = comparisons.kept(release, runs, references)
    all_runs = release.runs.order_by("name")
    context = in_project(request, release.project, "releases") | {
        "release": release, "runs": runs, "all_runs": all_runs, "comparison": row, "references": references,
        "left_out": 0 if request.GET.getlist("run") else len(all_runs) - len(runs),
        **(_shown(row.report, runs) if row else {}),
    }  # fmt: skip
    part = "#comparison" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"exports/compare.html{part}", context)


def _shown(report: dict[str, Any], runs: list[JudgeRun]) -> dict[str, Any]:
    """A report with the runs that its names stand for, or why it is refused."""
    if "refused" in report:
        return {"refused": report["refused"]}
    by_name = {run.name: run for run in runs}
    return {
        "report": report, "independent": INDEPENDENT, "flips_are_raw": FLIPS_ARE_RAW,
        "pairs": [
            {"pair": pair, "first": by_name[pair["first"]], "second": by_name[pair["second"]]}
            for pair in report["pairs"]
        ],
        "without_reasons": [run for run in runs if run.report["reasons"]["why_null"]],
        "unchecked": [by_name[name] for name, checks in report["how"]["checks"].items() if checks is None],
    }  # fmt: skip


@leads_only
@require_safe
def flipped(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The items behind a number of the flip ledger: both judges' answers side by side."""
    release = release_for(person(request), slug, version)
    runs = _runs(release, request)[:2]
    if len(runs) < 2:
        return redirect("compare", slug, version)
    kind, flip = request.GET.get("kind", "verdict"), request.GET.get("flip", "broken")
    rows = release.items.none()
    if kind in RIGHT and flip in FLIPS:
        rows = comparisons.flipped(runs[0], runs[1], kind, flip)
    page: Any = Paginator(rows, 25).get_page(request.GET.get("page"))
    said = JudgeVerdict.objects.filter(run__in=runs, item__in=page.object_list).select_related("run")
    by_item: dict[int, dict[int, JudgeVerdict]] = {}
    for verdict in said:
        by_item.setdefault(verdict.item_id, {})[verdict.run_id] = verdict
    for item in page:
        item.said = [by_item.get(item.pk, {}).get(run.pk) for run in runs]
    context = in_project(request, release.project, "releases") | {
        "release": release, "runs": runs, "page_obj": page, "kind": kind, "flip": flip
    }  # fmt: skip
    return render(request, "exports/flipped.html", context)


def _verdict(request: HttpRequest, slug: str, version: str, pk: int) -> JudgeVerdict:
    run = run_for(request, slug, version, pk)
    rows = JudgeVerdict.objects.select_related("run__release__project", "item")
    return get_object_or_404(rows, run=run, pk=number_in(request.POST, "verdict"))


def _back(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    query = request.POST.get("query", "")
    place = f"#a{number_in(request.POST, 'verdict')}"
    return redirect(f"{reverse('run-items', args=[slug, version, pk])}?{query}{place}")


@leads_only
@require_POST
def tag(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """Put a tag on an answer, or take it off again."""
    verdict = _verdict(request, slug, version, pk)
    if request.POST.get("tag", "").strip():
        comparisons.tag(verdict, request.POST["tag"], person(request))
    return _back(request, slug, version, pk)


@leads_only
@require_POST
def doubt(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """Send the item to re-adjudication: its gold is doubted."""
    if comparisons.doubt_gold(_verdict(request, slug, version, pk), person(request)):
        messages.success(
            request, _("Sent to adjudication. This release stays as it is; a correction is a new version.")
        )
    else:
        messages.info(request, _("This item waits for adjudication already."))
    return _back(request, slug, version, pk)


@leads_only
@require_safe
def run_csv(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """Every answer of a run beside gold, with its tags, as CSV."""
    run = run_for(request, slug, version, pk)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{version}-{run.pk}.csv"'
    writer = csv.writer(response)
    writer.writerow(
        ["id", "subject", "gold_correct", "gold_first_error", "status", "correct", "first_error", "reason_same", "tags"]
    )
    for row in run.verdicts.select_related("item").prefetch_related("tags").order_by("item__position"):
        tags = " ".join(tag.tag for tag in row.tags.all())
        writer.writerow([*_cells(row), f"'{tags}" if tags.startswith(("=", "+", "-", "@")) else tags])
    return response


def _cells(row: JudgeVerdict) -> list[Any]:
    item = row.item
    gold = [item.item_id, item.subject, item.correct, item.first_error]
    return [*gold, row.status, row.correct, row.first_error, row.reason_same]
