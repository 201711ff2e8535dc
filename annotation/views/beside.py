"""What the workbench asks for beside the label itself: drafts, leases, skips, reports, previews, raw text."""

import json
import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import drafts, hints, reports
from annotation.access import in_project, person, project_for
from annotation.assignments import is_member, renew
from annotation.forms import ReportForm, SkipForm
from annotation.models import Assignment, Project, ReportKind, Solution, User
from annotation.rendering import render as rendered
from annotation.verdicts import VerdictError

LARGEST_DRAFT = 200_000


def slot_at(annotator: User, project: Project, pk: int) -> Assignment:
    """A slot of the campaign. It need not be theirs any more: what is typed after a lease ran out is kept as well."""
    slots = Assignment.objects.select_related("solution__problem__project").filter(solution__problem__project=project)
    slot = get_object_or_404(slots, pk=pk)
    if not is_member(annotator, project):
        raise PermissionDenied
    return slot


def same_person(stated: object, annotator: User) -> None:
    """Refuse what a form sends for somebody else: another person has logged in since it was opened.

    Raises: PermissionDenied.
    """
    if stated and str(stated) != str(annotator.pk):
        raise PermissionDenied


@never_cache
@require_POST
def save_draft(request: HttpRequest, slug: str, pk: int) -> JsonResponse:
    """Keep what is typed, and the lease of somebody at work with it. Answers 409 with the other tab's text."""
    annotator = person(request)
    slot = slot_at(annotator, project_for(annotator, slug), pk)
    try:
        sent = json.loads(request.body)
        content, base = sent["content"], int(sent["base"])
        key = uuid.UUID(sent["key"]) if "key" in sent else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return JsonResponse({"detail": _("This is no draft.")}, status=400)
    if not isinstance(content, dict) or len(request.body) > LARGEST_DRAFT:
        return JsonResponse({"detail": _("This draft is too large to be kept.")}, status=400)
    same_person(sent.get("annotator"), annotator)
    try:
        draft = drafts.save(annotator, slot.solution, content, base, key)
    except drafts.DraftConflict as conflict:
        return in_conflict(conflict)
    return JsonResponse({"version": draft.version if draft else 0, **_lease(renew(slot, annotator))})


def in_conflict(conflict: drafts.DraftConflict) -> JsonResponse:
    """Tell this tab what the other one has saved."""
    other = conflict.current
    return JsonResponse({"detail": str(conflict), "version": other.version, "content": other.content}, status=409)


def _lease(slot: Assignment | None) -> dict[str, Any]:
    if slot is None or slot.lease_ends_at is None:
        return {"lease": None}
    ends = timezone.localtime(slot.lease_ends_at)
    return {"lease": {"until": time_format(ends, "H:i"), "seconds": int((ends - timezone.now()).total_seconds())}}


@require_POST
def keep_lease(request: HttpRequest, slug: str, pk: int) -> JsonResponse:
    """Extend the reservation of somebody at work."""
    annotator = person(request)
    return JsonResponse(_lease(renew(slot_at(annotator, project_for(annotator, slug), pk), annotator)))


@require_http_methods(["GET", "POST"])
def skip(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pass an item by, with a reason."""
    project = project_for(person(request), slug)
    slot = slot_at(person(request), project, pk)
    form = SkipForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reports.skip(person(request), slot.solution, form.cleaned_data["reason"])
        return redirect("label", slug)
    return _aside(request, project, slot, form, _("Skip this item"), "skip")


@require_http_methods(["GET", "POST"])
def report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Tell the leads what is wrong with an item."""
    project = project_for(person(request), slug)
    slot = slot_at(person(request), project, pk)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and _reported(form, slot, person(request)):
        messages.success(request, _("Reported. Thank you: a lead will look at it."))
        return redirect("label", slug)
    return _aside(request, project, slot, form, _("Report this item"), "report")


def _reported(form: ReportForm, slot: Assignment, annotator: User) -> bool:
    try:
        reports.report(annotator, slot.solution, ReportKind(form.cleaned_data["kind"]), form.cleaned_data["comment"])
    except VerdictError as error:
        form.add_error(error.field, str(error))
        return False
    return True


def _aside(
    request: HttpRequest, project: Project, slot: Assignment, form: Any, title: str, name: str
) -> HttpResponse:  # fmt: skip
    part = "#aside" if request.htmx else ""  # type: ignore[attr-defined]
    context = in_project(request, project, "label") | {"slot": slot, "form": form, "title": title, "name": name}
    return render(request, f"annotation/aside.html{part}", context, status=422 if form.errors else 200)


@require_POST
def preview(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What a reason or a rectified step looks like, with gentle doubts about it."""
    slot = slot_at(person(request), project_for(person(request), slug), pk)
    part = "rectified" if request.POST.get("part") == "rectified" else "reason"
    text = str(request.POST.get(part, ""))[:20_000]
    shown = rendered(text, slot.solution.problem.reason_format) if text.strip() else ""
    doubts = _doubts(text, slot.solution, _chosen(request)) if part == "reason" else []
    return render(request, "annotation/preview.html", {"shown": shown, "doubts": doubts})


def _chosen(request: HttpRequest) -> str:
    """The position stated as the first error, or that of the first step labelled incorrect."""
    marked = [name[5:] for name, value in request.POST.items() if name.startswith("step_") and value == "-1"]
    positions = sorted((name for name in marked if name.isdecimal()), key=int)
    return str(request.POST.get("first_error") or next(iter(positions), ""))


def _doubts(text: str, solution: Solution, first_error: str) -> list[str]:
    steps = list(solution.steps.all())
    chosen = next((step for step in steps if str(step.position) == first_error), None)
    if chosen is None or not text.strip():
        return []
    found = []
    if hints.copies(text, chosen.text):
        found.append(_("This repeats the step. Say what is wrong with it."))
    names = {step.label or str(step.position + 1): step.name for step in steps}
    others = [names[label] for label in hints.other_steps(text, chosen.label or str(chosen.position + 1), names)]
    if others:
        found.append(
            _("You chose %(chosen)s, but write of %(others)s.") % {"chosen": chosen.name, "others": ", ".join(others)}
        )
    return found


@require_safe
def raw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Every text of the item that its annotator may read, with invisible characters shown."""
    project = project_for(person(request), slug)
    solution = slot_at(person(request), project, pk).solution
    shown = {"solution": solution, "problem": solution.problem, "shows_reference": project.show_reference}
    return render(request, "annotation/raw.html", shown)
