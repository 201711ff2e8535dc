"""Reading a judge's answers beside gold: found by filters, tagged, doubted, and handed out as a table."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import in_project, leads_only, number_in, person
from exports import answer_rows, comparisons
from exports.models import ErrorTag, JudgeVerdict
from exports.outcomes import outcomes_of
from exports.views.judges import run_for
from review.csv_files import csv_response

MOST_SHOWN = 20_000  # characters of a raw answer; the whole is in the answers file


def _wanted(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in answer_rows.FILTERS}


@leads_only
@require_safe
def run_items(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """The items behind a number: what gold and annotators say beside what the judge said."""
    run, wanted = run_for(request, slug, version, pk), _wanted(request)
    page: Any = Paginator(answer_rows.found(run, wanted), 25).get_page(request.GET.get("page"))
    ids = {row.item.item_id for row in page}
    said, waiting = answer_rows.votes(run.release, ids), answer_rows.waiting(run.release, ids)
    for row in page:
        row.votes, row.waits = said.get(row.item.item_id, []), row.item.item_id in waiting
        row.accepted = set(answer_rows.accepted(row.item))
    context = in_project(request, run.release.project, "releases") | {
        "run": run, "release": run.release, "report": run.checked_report, "page_obj": page,
        "outcomes": outcomes_of(run.report), "most_shown": MOST_SHOWN, "subjects": sorted(run.report["subjects"]),
        "statuses": [name for name, n in run.report["answers"]["statuses"].items() if n],
        "tags": ErrorTag.objects.filter(verdict__run=run).order_by("tag").values_list("tag", flat=True).distinct(),
        **wanted,
    }  # fmt: skip
    return render(request, "exports/run_items.html", context)


@leads_only
@require_safe
def run_csv(request: HttpRequest, slug: str, version: str, pk: int) -> StreamingHttpResponse:
    """The answers that the same filters find, beside gold, with their reasons and tags, as CSV."""
    run = run_for(request, slug, version, pk)
    name = f"{slug}-{version}-{run.pk}-answers-steps-from-0.csv"
    return csv_response(answer_rows.table(run, _wanted(request)), name)


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
