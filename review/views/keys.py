"""Proposing and approving changes of answer keys and of problems' standing."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Problem
from annotation.verdicts import VerdictError
from review import keys
from review.forms import KeyForm
from review.models import KeyProposal


@leads_only
@require_safe
def proposals(request: HttpRequest, slug: str) -> HttpResponse:
    """The proposals of a campaign, waiting ones first."""
    project = project_for(person(request), slug)
    rows = KeyProposal.objects.filter(problem__project=project).select_related("problem", "proposed_by", "decided_by")
    rows = rows.prefetch_related("problem__answer_keys").order_by("approved", "-pk")
    waiting_first = sorted(rows, key=lambda row: row.approved is not None)
    context = in_project(request, project, "project") | {
        "page_obj": Paginator(waiting_first, 25).get_page(request.GET.get("page"))
    }  # fmt: skip
    return render(request, "review/keys.html", context)


@leads_only
@require_http_methods(["GET", "POST"])
def propose(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Propose another key or standing, with the evidence of the labels in view."""
    project = project_for(person(request), slug)
    problem = get_object_or_404(Problem.objects.prefetch_related("answer_keys", "solutions"), pk=pk, project=project)
    now = {"accepted": "\n".join(problem.answer_key), "standing": problem.standing}
    form = KeyForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            row = keys.propose(problem, person(request), data["accepted"], data["standing"], data["reason"])
        except VerdictError as error:
            form.add_error(error.field, str(error))
        else:
            said = _("In force.") if row.approved else _("Proposed. Another lead has to approve it.")
            messages.success(request, said)
            return redirect("keys", slug)
    context = in_project(request, project, "project") | {
        "form": form, "problem": problem, "evidence": keys.evidence(problem), "history": problem.answer_keys.all()
    }  # fmt: skip
    return render(request, "review/key_form.html", context, status=422 if form.errors else 200)


@leads_only
@require_POST
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Accept or refuse a proposal."""
    project = project_for(person(request), slug)
    row = get_object_or_404(KeyProposal, pk=pk, problem__project=project)
    approved = request.POST.get("decision") == "accept"
    try:
        row = keys.decide_proposal(row, person(request), approved=approved, note=request.POST.get("note", "")[:5000])
    except keys.CannotDecideKey as error:
        messages.error(request, str(error))
    else:
        said = _("In force; %d decisions were reopened.") % row.reopened if approved else _("Refused.")
        messages.success(request, said)
    return redirect("keys", slug)
