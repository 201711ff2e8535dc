"""Adjudication: one disputed item at a time, and the bulk confirmation of what all agree on."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Annotation, Project, Solution
from annotation.verdicts import VerdictError
from annotation.views.labelling import reading
from review import contests, disagreements, pending
from review.adjudication import (
    AlreadyDecided,
    SampleNotSeen,
    begin_confirmation,
    decide,
    needs_second,
    record_look,
)
from review.forms import DecisionForm
from review.models import Adjudication, Comment, Confirmation, Outcome, ReasonPair, SampleLook
from review.readers import aligned, differing_words, readers_of
from review.returns import is_answered
from review.tasks import start_confirmation

READ = Solution.objects.select_related("problem__project").prefetch_related("steps", "problem__answer_keys")


def _page(request: HttpRequest, project: Project, solution: Solution | None, **extra: Any) -> dict[str, Any]:
    wanted = _wanted(request)
    context = in_project(request, project, "adjudicate") | {
        "left": contests.contested(project, wanted).count(), "rule": contests.RULE, "kinds": contests.KINDS,
        "wanted": wanted, "subjects": disagreements.subjects(project),
        "sources": project.problems.order_by("source").values_list("source", flat=True).distinct(),
    }  # fmt: skip
    if solution is None:
        return context | {"agreed": pending.agreed(project).count()}
    labels = disagreements.current_labels([solution])[solution.pk]
    readers = readers_of(solution, labels)
    standing = Adjudication.objects.current().filter(solution=solution).first()
    form = extra.pop("form", None) or _form(request, solution, labels, standing)
    me = person(request)
    return context | reading(solution) | _around(solution, labels) | {
        "readers": readers, "aligned": aligned(solution, readers), "words": differing_words(readers), "form": form,
        "standing": standing, "own_label": any(label.assignment.annotator_id == me.pk for label in labels),
        "needs_second": needs_second(solution, me, labels), "elsewhere": contests.somebody_else_at(solution, me),
        "may_second": standing and not solution.settled_at and standing.outcome != Outcome.OPEN
        and standing.decided_by_id != me.pk, **extra,
    }  # fmt: skip


def _around(solution: Solution, labels: Any) -> dict[str, Any]:
    """What else was said of an item: earlier versions of its labels, reports, comments, an open question, hints."""
    slots = [label.assignment_id for label in labels if label.revision > 1]
    earlier = Annotation.objects.filter(assignment__in=slots).exclude(pk__in=[label.pk for label in labels])
    pairs = ReasonPair.objects.filter(first__in=labels, second__in=labels)
    asked = solution.returns.filter(closed_at=None).first()
    not_in = solution.assignments.filter(submitted_at=None).values_list("extra", flat=True)
    return {
        "earlier": earlier.order_by("assignment", "revision"),
        "reports": solution.reports.select_related("annotator"),
        "comments": Comment.objects.filter(solution=solution).select_related("author"),
        "asked": asked, "answered": asked and is_answered(solution),
        "missing": len(not_in), "one_more": any(not_in),
        "pairs": {(pair.first_id, pair.second_id): pair for pair in pairs},
    }  # fmt: skip


def _wanted(request: HttpRequest) -> contests.Wanted:
    days = request.GET.get("days", "")
    return contests.Wanted(
        request.GET.get("subject", ""), request.GET.get("kind", ""), request.GET.get("source", ""),
        int(days) if days.isdecimal() and len(days) < 5 else 0,
    )  # fmt: skip


def _form(request: HttpRequest, solution: Solution, labels: Any, standing: Adjudication | None) -> DecisionForm:
    """An empty form, or one filled with the label to adopt."""
    initial: dict[str, Any] = {"outcome": Outcome.GOLD, "seen": standing.pk if standing else None, "placement": "at"}
    wanted = request.GET.get("adopt", "")
    adopted = next((label for label in labels if str(label.pk) == wanted), None)
    if adopted:
        initial |= adopted.verdict.as_dict() | {"adopted": adopted.pk, "correct": str(adopted.correct).lower()}
    return DecisionForm(
        project=solution.problem.project, steps=list(solution.steps.all()), labels=labels, initial=initial
    )  # fmt: skip


def _shown(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    part = ""
    if request.htmx:  # type: ignore[attr-defined]
        part = "#decision" if request.htmx.target == "decision" else "#desk"  # type: ignore[attr-defined]
    return render(request, f"review/adjudicate.html{part}", context, status=status)


@leads_only
@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate(request: HttpRequest, slug: str, pk: int | None = None) -> HttpResponse:
    """Show the most contested item, or the one asked for; a post decides it and brings the next."""
    project = project_for(person(request), slug)
    if pk is None:
        after = request.GET.get("after", "")
        found = contests.claim(
            project, person(request), _wanted(request), int(after) if after.isdecimal() and len(after) < 18 else None
        )  # fmt: skip
        if found is None:
            return _shown(request, _page(request, project, None))
        solution = READ.get(pk=found.pk)
    else:
        solution = get_object_or_404(READ, pk=pk, problem__project=project)
    if request.method == "GET":
        return _shown(request, _page(request, project, solution))
    return _decide(request, project, solution)


def _decide(request: HttpRequest, project: Project, solution: Solution) -> HttpResponse:
    labels = disagreements.current_labels([solution])[solution.pk]
    form = DecisionForm(request.POST, project=project, steps=list(solution.steps.all()), labels=labels)
    if form.is_valid():
        try:
            decide(solution, person(request), form.decision())
        except VerdictError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        except AlreadyDecided as error:
            form.add_error(None, str(error))
        else:
            waits = needs_second(solution, person(request), labels)
            messages.success(request, _said(form.decision().outcome, waits=waits))
            return redirect(reverse("adjudicate", args=[project.slug], query=request.GET))
    return _shown(request, _page(request, project, solution, form=form), status=422)


def _said(outcome: Outcome, *, waits: bool) -> str:
    if outcome == Outcome.OPEN:
        return _("Kept open.")
    return _("Decided; it waits for a second lead to agree.") if waits else _("Decided.")


@leads_only
@require_http_methods(["GET", "POST"])
def consensus(request: HttpRequest, slug: str) -> HttpResponse:
    """What all annotators agree on: draw a sample, look at it, confirm the rest."""
    project = project_for(person(request), slug)
    if request.method == "POST":
        begin_confirmation(project, person(request))
        return redirect("consensus", slug)
    open_one = Confirmation.objects.filter(project=project, lead=person(request), confirmed_at=None).first()
    looks = open_one.looks.select_related("solution__problem").order_by("pk") if open_one else []
    agreed, doubts = pending.agreed(project).count(), sum(look.finding == SampleLook.Finding.DOUBTS for look in looks)
    earlier = Confirmation.objects.filter(project=project, confirmed_at__isnull=False).select_related("lead")
    doubted = Count("looks", filter=Q(looks__finding=SampleLook.Finding.DOUBTS))
    context = in_project(request, project, "adjudicate") | {
        "agreed": agreed, "to_confirm": max(0, agreed - doubts), "confirmation": open_one, "looks": looks,
        "unseen": next((look for look in looks if not look.finding), None),
        "earlier": earlier.annotate(doubted=doubted, looked_at=Count("looks")).prefetch_related("looks__solution")[:10],
    }  # fmt: skip
    return render(request, "review/consensus.html", context)


@leads_only
@never_cache
@require_http_methods(["GET", "POST"])
def look(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One item of the sample, with what all its readers said."""
    project = project_for(person(request), slug)
    mine = SampleLook.objects.filter(confirmation__project=project, confirmation__lead=person(request))
    row = get_object_or_404(mine.filter(confirmation__confirmed_at=None), pk=pk)
    if request.method == "POST" and request.POST.get("finding") in SampleLook.Finding.values:
        record_look(row, SampleLook.Finding(request.POST["finding"]))
        unseen = row.confirmation.looks.filter(finding="").order_by("pk").first()
        return redirect("look", slug, unseen.pk) if unseen else redirect("consensus", slug)
    solution = READ.get(pk=row.solution_id)
    context = _page(request, project, solution) | {"look": row}
    context["place"] = row.confirmation.looks.filter(pk__lte=row.pk).count()
    context["of"] = row.confirmation.looks.count()
    return render(request, "review/look.html", context)


@leads_only
@require_POST
def confirm(request: HttpRequest, slug: str) -> HttpResponse:
    """Confirm the consensus as a job, once the sample has been looked at."""
    project = project_for(person(request), slug)
    row = get_object_or_404(Confirmation, project=project, lead=person(request), confirmed_at=None)
    try:
        job = start_confirmation(row, person(request))
    except SampleNotSeen as error:
        messages.error(request, str(error))
        return redirect("consensus", slug)
    return redirect("job", job.pk)
