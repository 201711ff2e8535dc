"""Who did what when, searchable, and why readers differed."""

import json
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
from review.csv_files import csv_response
from review.models import Adjudication, Cause


def _found(project: Project, query: dict[str, str]) -> QuerySet[Event]:
    rows = Event.objects.filter(project=project).select_related("actor", "solution", "problem").order_by("-pk")
    if query.get("act") in ACTS:
        rows = rows.filter(act=query["act"])
    if query.get("who"):
        rows = rows.filter(actor__username=query["who"])
    if query.get("q"):
        words = query["q"].strip()
        # The particulars are searched as they are stored, where a backslash is doubled and Chinese may be escaped.
        stored = [json.dumps(words, ensure_ascii=escaped)[1:-1] for escaped in (False, True)]
        said = Q(detail__icontains=stored[0]) | Q(detail__icontains=stored[1])
        rows = rows.filter(Q(solution__item_id=words) | Q(problem__external_id=words) | said)
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


def _rows(found: QuerySet[Event]) -> Iterator[list[Any]]:
    yield ["at", "who", "act", "item", "problem", "detail"]
    for row in found.iterator(chunk_size=1000):
        item, problem = row.solution.item_id if row.solution else "", row.problem.external_id if row.problem else ""
        detail = json.dumps(row.detail, ensure_ascii=False)
        yield [row.at.isoformat(), row.actor.get_username(), row.act, item, problem, detail]


@leads_only
@require_safe
def log_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The same as a CSV file."""
    project = project_for(person(request), slug)
    return csv_response(_rows(_found(project, request.GET.dict())), f"{slug}-log.csv")


@leads_only
@require_safe
def causes(request: HttpRequest, slug: str) -> HttpResponse:
    """Why readers differed, summed up: which clause of the guideline needs work."""
    project = project_for(person(request), slug)
    rows = Adjudication.objects.current().filter(solution__problem__project=project).exclude(cause="")
    counted = rows.values("cause").annotate(n=Count("pk")).order_by("-n")
    clauses = rows.exclude(clause="").values("clause", "cause").annotate(n=Count("pk"))
    context = in_project(request, project, "adjudicate") | {
        "causes": [(Cause(row["cause"]), row["n"]) for row in counted],
        "clauses": [(row["clause"], Cause(row["cause"]), row["n"]) for row in clauses.order_by("-n", "clause")],
        "latest": rows.exclude(rationale="").select_related("solution", "decided_by").order_by("-pk")[:30],
    }  # fmt: skip
    return render(request, "review/causes.html", context)
