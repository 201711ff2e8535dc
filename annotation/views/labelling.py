"""The workbench: read, answer three questions, next."""

from itertools import islice
from typing import Any

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation import guidelines
from annotation.access import in_project, number_in, person, project_for
from annotation.assignments import GuidelineUnread, NothingOpen, claim_next, standings
from annotation.drafts import DraftConflict, check_base, draft_of
from annotation.forms import LabelForm
from annotation.highlighting import render_code
from annotation.models import Assignment, Project, Solution, Step, User
from annotation.submission import LeaseLost, Settled, submit
from annotation.verdicts import VerdictError
from annotation.views.beside import in_conflict, same_person

NOT_TYPED = {"csrfmiddlewaretoken", "key", "assignment", "annotator", "active_seconds", "draft_base"}
SLOTS = Assignment.objects.select_related("solution__problem__project").prefetch_related(
    Prefetch("solution__steps", Step.objects.order_by("position")), "solution__problem__answer_keys"
)


def reading(solution: Solution) -> dict[str, Any]:
    """What a page needs to show a problem and its solution."""
    problem, steps = solution.problem, list(solution.steps.all())
    if problem.text_format == "code":
        lines = iter(render_code("\n".join(step.text for step in steps)))
        for step in steps:  # coloured as one program, so that a string over several lines stays one
            part = islice(lines, step.text.count("\n") + 1)
            step.highlighted = mark_safe("\n".join(part))  # type: ignore[attr-defined]  # noqa: S308
    key = problem.answer_key
    options = [option | {"is_key": option["label"] in key} for option in problem.options]
    return {
        "problem": problem, "solution": solution, "steps": steps, "options": options, "answer_key": key,
        "answer_agrees": solution.answer_agrees,
    }  # fmt: skip


def bench(request: HttpRequest, slot: Assignment, form: LabelForm, **extra: Any) -> dict[str, Any]:
    """Everything the workbench shows for one slot."""
    project, draft = slot.solution.problem.project, draft_of(person(request), slot.solution)
    shown = reading(slot.solution)
    if form.every_step:
        for step in shown["steps"]:
            step.labelled = form[f"step_{step.position}"].value()
    return {
        **in_project(request, project, "label"), "standings": standings(project, person(request)), "slot": slot,
        "form": form, "draft_version": draft.version if draft else 0, **shown, **extra,
    }  # fmt: skip


def form_for(slot: Assignment, annotator: User, initial: dict[str, Any] | None = None) -> LabelForm:
    """A fresh form for a slot, filled with the annotator's draft, else with what is given."""
    draft = draft_of(annotator, slot.solution)
    filled = draft.content if draft else initial or {}
    known = {name: value for name, value in filled.items() if name not in NOT_TYPED}
    return LabelForm(solution=slot.solution, steps=list(slot.solution.steps.all()), initial=known)


def shown(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """The workbench as a page, or as the part that htmx swaps in."""
    part = "#workbench" if request.htmx else ""  # type: ignore[attr-defined]
    answer = render(request, f"annotation/workbench.html{part}", context, status=status)
    if part and "revisions" not in context:  # after a revision the address is still that of the label revised
        answer["HX-Replace-Url"] = reverse("label", args=[context["project"].slug])
    return answer


def _next(request: HttpRequest, project: Project, said: str = "", last: int | None = None) -> HttpResponse:
    try:
        slot = SLOTS.get(pk=claim_next(person(request), project).pk)
    except (NothingOpen, GuidelineUnread) as reason:
        context = in_project(request, project, "label") | {
            "standings": standings(project, person(request)), "nothing": str(reason), "said": said, "last": last,
            "unread": guidelines.unread(project, person(request)),
        }  # fmt: skip
        return shown(request, context)
    return shown(request, bench(request, slot, form_for(slot, person(request)), said=said, last=last))


@never_cache
@require_http_methods(["GET", "POST"])
def label(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the item this annotator holds, or lease the next one; a post submits it and brings the next."""
    project = project_for(person(request), slug)
    if request.method == "GET":
        return _next(request, project)
    slot = slot_for(request, project)
    try:
        check_draft(request, slot)
    except DraftConflict as conflict:
        return in_conflict(conflict)
    form = LabelForm(request.POST, solution=slot.solution, steps=list(slot.solution.steps.all()))
    if form.is_valid() and _submitted(form, slot, person(request)):
        if not request.htmx:  # type: ignore[attr-defined]
            return redirect("label", slug)
        return _next(request, project, said=_("Submitted."), last=slot.pk)
    return shown(request, bench(request, slot, form), status=422)


def slot_for(request: HttpRequest, project: Project) -> Assignment:
    """The slot a form names, in this campaign."""
    same_person(request.POST.get("annotator"), person(request))
    return get_object_or_404(SLOTS.filter(solution__problem__project=project), pk=number_in(request.POST, "assignment"))


def check_draft(request: HttpRequest, slot: Assignment) -> None:
    """Hold back a form that would throw away what another tab has saved since this one was opened.

    Raises: DraftConflict.
    """
    base = str(request.POST.get("draft_base", ""))
    if base.isdecimal():
        typed = {name: str(value) for name, value in request.POST.items() if name not in NOT_TYPED and value}
        check_base(person(request), slot.solution, typed, int(base))


def _submitted(form: LabelForm, slot: Assignment, annotator: User) -> bool:
    try:
        submit(slot.pk, annotator, form.submission())
    except (LeaseLost, Settled, VerdictError) as error:
        form.add_error(None, str(error))
        return False
    return True
