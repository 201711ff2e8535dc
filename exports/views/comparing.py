"""Two judges, or all of them, on the same items."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import in_project, leads_only, person
from exports import comparisons
from exports.checking import is_stale
from exports.comparing import FLIPS_ARE_RAW, INDEPENDENT
from exports.comparisons import MOST_RUNS
from exports.flips import FLIPS, RIGHT
from exports.models import JudgeRun, JudgeVerdict, Release
from exports.reports.figures import trust_word
from exports.tasks import compare_judges
from exports.views.releases import release_for


def _runs(release: Release, request: HttpRequest) -> list[JudgeRun]:
    """The runs a request names in its order; all of them, best first, when it names none."""
    wanted = [int(pk) for pk in request.GET.getlist("run") if pk.isdecimal() and len(pk) < 18]
    runs = release.runs.in_bulk(wanted) if wanted else {run.pk: run for run in release.runs.all()}
    if wanted:
        return [runs[pk] for pk in dict.fromkeys(wanted) if pk in runs]
    return sorted(runs.values(), key=lambda run: run.ranking, reverse=True)


def _references(request: HttpRequest, runs: list[JudgeRun]) -> list[int]:
    """Those of the runs whose judges cannot have seen the release."""
    return [run.pk for run in runs if str(run.pk) in request.GET.getlist("reference")]


@leads_only
@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The kept comparison of some runs; the first visit has it computed and the part asks again until it is there."""
    release = release_for(person(request), slug, version)
    asked = _runs(release, request)
    runs = asked[:MOST_RUNS]
    references = _references(request, runs)
    row = comparisons.kept(release, runs, references) if len(runs) > 1 else None
    if len(runs) > 1 and row is None and not request.htmx:  # type: ignore[attr-defined]
        compare_judges.enqueue(release.pk, [run.pk for run in runs], references)
        row = comparisons.kept(release, runs, references)
    context = in_project(request, release.project, "releases") | {
        "release": release, "runs": runs, "all_runs": release.runs.order_by("name").only("name"), "comparison": row,
        "references": references, "left_out": len(asked) - len(runs),
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
        "stale": [run for run in runs if is_stale(run)],
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
        "release": release, "runs": runs, "page_obj": page, "kind": kind, "flip": flip,
        "report": _least_checked(runs),
    }  # fmt: skip
    return render(request, "exports/flipped.html", context)


def _least_checked(runs: list[JudgeRun]) -> dict[str, Any]:
    """The report whose word stands beside figures of reasons of all: unchecked if one is, else raw if one is."""
    return max(
        (run.checked_report for run in runs), key=lambda report: ("", "raw", "unchecked").index(trust_word(report))
    )
