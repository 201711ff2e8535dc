"""Adjudication: one disputed item at a time, and the bulk confirmation of what all agree on."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Project, Solution
from annotation.verdicts import VerdictError
from annotation.views.labelling import reading
from review import disagreements
from review.adjudication import AlreadyDecided, SampleNotSeen, begin_confirmation, decide, record_look
from review.forms import DecisionForm
from review.models import Adjudication, Confirmation, Outcome, SampleLook
from review.readers import aligned, readers_of
from review.tasks import start_confirmation

READ = Solution.objects.select_related("problem__project").prefetch_related("steps", "problem__answer_keys")


def _page(request: HttpRequest, project: Project, solution: Solution | None, **extra: Any) -> dict[str, Any]:
    context = in_project(request, project, "adjudicate") | {"left": disagreements.disputed(project).count()}
    if solution is None:
        return context | {"agreed": disagreements.agreed(project).count()}
    labels = disagreements.current_labels([solution])[solution.pk]
    readers = readers_of(solution, labels)
    standing = Adjudication.objects.current().filter(solution=solution).first()
    form = extra.pop("form", None) or _form(request, solution, labels, standing)
    return context | reading(solution) | {
        "readers": readers, "aligned": aligned(solution, readers), "form": form, "standing": standing, **extra
    }  # fmt: skip


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
        solution = READ.filter(pk__in=_queue(project, request)[:1]).first()
        if solution is None:
            return _shown(request, _page(request, project, None))
    else:
        solution = get_object_or_404(READ, pk=pk, problem__project=project)
    if request.method == "GET":
        return _shown(request, _page(request, project, solution))
    return _decide(request, project, solution)


def _queue(project: Project, request: HttpRequest) -> list[int]:
    pks = list(disagreements.disputed(project).values_list("pk", flat=True))
    after = request.GET.get("after", "")
    if after.isdecimal() and int(after) in pks:
        place = pks.index(int(after)) + 1
        pks = pks[place:] + pks[:place]
    return pks


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
            messages.success(request, _("Decided."))
            return redirect("adjudicate", slug=project.slug)
    return _shown(request, _page(request, project, solution, form=form), status=422)


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
    context = in_project(request, project, "adjudicate") | {
        "agreed": disagreements.agreed(project).count(), "confirmation": open_one, "looks": looks,
        "unseen": next((look for look in looks if not look.finding), None),
        "earlier": Confirmation.objects.filter(project=project, confirmed_at__isnull=False).select_related("lead")[:10],
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
