"""An annotator's own labels, with what became of them."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation.access import in_project, person, project_for
from annotation.models import Annotation, Report, Skip, Step
from review.models import Adjudication
from review.returns import questions_for

STATES = {
    "asked": _("asked about by a lead"),
    "open": _("can be revised"),
    "decided": _("decided"),
    "upheld": _("decided as you said"),
    "overruled": _("decided otherwise"),
    "discarded": _("discarded"),
}


def _in_state(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    if state == "asked":
        return rows.filter(question__isnull=False)
    if state == "open":
        return rows.filter(assignment__solution__settled_at=None)
    decided = rows.filter(assignment__solution__settled_at__isnull=False)
    same = Q(gold_correct=F("correct")) & (Q(gold_first=F("first_error")) | Q(gold_first=None, first_error=None))
    if state == "discarded":
        return decided.filter(gold_correct=None)
    if state == "upheld":
        return decided.filter(same)
    return decided.filter(gold_correct__isnull=False).exclude(same) if state == "overruled" else decided


def _name_steps(rows: list[Any]) -> None:
    """Give each row the name people know its first erroneous step by, and that of the decision's."""
    solutions = [row.assignment.solution_id for row in rows]
    wanted = {row.first_error for row in rows} | {row.decided.first_error for row in rows if row.decided}
    steps = Step.objects.filter(solution__in=solutions, position__in=wanted - {None})
    names = {(step.solution_id, step.position): step.name for step in steps}
    for row in rows:
        row.at = names.get((row.assignment.solution_id, row.first_error), "")
        row.decided_at = names.get((row.assignment.solution_id, row.decided.first_error), "") if row.decided else ""


@require_safe
def mine(request: HttpRequest, slug: str) -> HttpResponse:
    """List one's own labels, newest first, with their state and a lead's words on them."""
    project, annotator = project_for(person(request), slug), person(request)
    latest = Adjudication.objects.filter(solution=OuterRef("assignment__solution")).order_by("-pk")
    asked = questions_for(annotator, project).filter(pk=OuterRef("assignment"))
    rows: QuerySet[Any] = Annotation.objects.current().filter(
        assignment__annotator=annotator, assignment__solution__problem__project=project
    )
    rows = rows.annotate(
        decision=Subquery(latest.values("pk")[:1]),
        gold_correct=Subquery(latest.values("correct")[:1]),
        gold_first=Subquery(latest.values("first_error")[:1]),
        question=Subquery(asked.values("solution__returns__question")[:1]),
    ).select_related("assignment__solution__problem")
    state = request.GET.get("state", "")
    if state in STATES:
        rows = _in_state(rows, state)
    rows = rows.order_by(F("question").desc(nulls_last=True), "-created_at", "-pk")
    page: Any = Paginator(rows, 25).get_page(request.GET.get("page"))
    decisions = Adjudication.objects.in_bulk([row.decision for row in page if row.decision])
    for row in page:
        row.decided = decisions.get(row.decision) if row.assignment.solution.settled_at else None
        row.upheld = row.decided is not None and row.decided.verdict.same_place(row.verdict)
    _name_steps(list(page))
    context = in_project(request, project, "mine") | {
        "page_obj": page, "states": STATES, "state": state,
        "skips": Skip.objects.filter(annotator=annotator, solution__problem__project=project)[:50],
        "reports": Report.objects.filter(annotator=annotator, solution__problem__project=project)[:50],
    }  # fmt: skip
    return render(request, "review/mine.html", context)
