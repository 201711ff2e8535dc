"""Who did what when, searchable, and why readers differed."""

import csv
from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import in_project, leads_only, person, project_for
from annotation.audit import ACTS
from annotation.models import Event, Project
from review.models import Adjudication, Cause

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _found(project: Project, query: dict[str, str]) -> QuerySet[Event]:
    rows = Event.objects.filter(project=project).select_related("actor", "solution", "problem").order_by("-pk")
    if query.get("act") in ACTS:
        rows = rows.filter(act=query["act"])
    if query.get("who"):
        rows = rows.filter(actor__username=query["who"])
    if query.get("q"):
        words = query["q"].strip()
        rows = rows.filter(Q(solution__item_id=words) | Q(problem__external_id=words) | Q(detail__icontains=words))
    return rows


@leads_only
@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    """Every act of a campaign, newest first."""
    project = project_for(person(request), slug)
    query = request.GET.dict()
    context = in_project(request, project, "project") | {
        "page_obj": Paginator(_found(project, query), 50).get_page(query.get("page")), "acts": ACTS, "query": query
    }  # fmt: skip
    return render(request, "review/log.html", context)


class _Echo:
    """A file that gives back what is written, for the csv module to stream through."""

    def write(self, value: str) -> str:
        return value


def _cells(row: Event) -> list[Any]:
    item = row.solution.item_id if row.solution else ""
    cells = [row.at.isoformat(), row.actor.get_username(), row.act, item, str(row.detail)]
    return [f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell for cell in cells]


@leads_only
@require_safe
def log_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The same as a CSV file; cells that a spreadsheet would take for formulas are quoted."""
    project = project_for(person(request), slug)
    writer = csv.writer(_Echo())

    def lines() -> Iterator[str]:
        yield writer.writerow(["at", "who", "act", "item", "detail"])
        for row in _found(project, request.GET.dict()).iterator(chunk_size=1000):
            yield writer.writerow(_cells(row))

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-log.csv"'
    return response


@leads_only
@require_safe
def causes(request: HttpRequest, slug: str) -> HttpResponse:
    """Why readers differed, summed up: which clause of the guideline needs work."""
    project = project_for(person(request), slug)
    rows = Adjudication.objects.current().filter(solution__problem__project=project).exclude(cause="")
    counted = rows.values("cause").annotate(n=Count("pk")).order_by("-n")
    context = in_project(request, project, "adjudicate") | {
        "causes": [(Cause(row["cause"]).label, row["n"]) for row in counted],
        "clauses": rows.exclude(clause="").values("clause", "cause").annotate(n=Count("pk")).order_by("-n", "clause"),
        "latest": rows.exclude(rationale="").select_related("solution", "decided_by").order_by("-pk")[:30],
    }  # fmt: skip
    return render(request, "review/causes.html", context)
