"""What a lead does with a dispute besides deciding it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.access import leads_only, number_in, person, project_for
from annotation.models import Annotation, Solution
from annotation.verdicts import VerdictError
from review import reason_pairs, returns
from review.adjudication import AlreadyDecided, NeedsAnotherLead, second
from review.models import Adjudication, Return
from review.tasks import hint_reasons


def _next(request: HttpRequest, slug: str) -> HttpResponse:
    """The next item of the queue, narrowed as before."""
    return redirect(reverse("adjudicate", args=[slug], query=request.GET))


def _item(request: HttpRequest, slug: str, pk: int) -> Solution:
    solutions = Solution.objects.select_related("problem__project")
    return get_object_or_404(solutions, pk=pk, problem__project=project_for(person(request), slug))


@leads_only
@require_POST
def return_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send the item back to its annotators with a question."""
    try:
        returns.ask_annotators(_item(request, slug, pk), person(request), request.POST.get("question", "")[:5000])
    except (returns.CannotReturn, VerdictError) as error:
        messages.error(request, str(error))
        return redirect("adjudicate-item", slug, pk)
    messages.success(request, _("Asked. The item comes back when its annotators have answered."))
    return _next(request, slug)


@leads_only
@require_POST
def end_return(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the item back into the queue without waiting for answers."""
    row = get_object_or_404(Return, solution=_item(request, slug, pk), closed_at=None)
    returns.stop_waiting(row, person(request))
    return redirect("adjudicate-item", slug, pk)


@leads_only
@require_POST
def more(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for one more blind label."""
    try:
        returns.ask_for_more(_item(request, slug, pk), person(request))
    except returns.CannotReturn as error:
        messages.error(request, str(error))
        return redirect("adjudicate-item", slug, pk)
    messages.success(request, _("One more label is asked for; the item comes back with it."))
    return _next(request, slug)


@leads_only
@require_POST
def second_decision(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Agree to a decision that waits for a second lead."""
    row = Adjudication.objects.current().filter(solution=_item(request, slug, pk)).first()
    try:
        if row:
            second(row, person(request))
    except (AlreadyDecided, NeedsAnotherLead) as error:
        messages.error(request, str(error))
        return redirect("adjudicate-item", slug, pk)
    messages.success(request, _("Seconded."))
    return _next(request, slug)


@leads_only
@require_POST
def ask_hint(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have the project's model compare the item's reasons; the page shows it as a hint and never more."""
    solution = _item(request, slug, pk)
    if not solution.problem.project.hint_model:
        messages.error(request, _("Hints are switched off. Name a model under Settings first."))
    else:
        hint_reasons.enqueue(solution.pk)
        messages.success(request, _("The model was asked. Reload in a moment to see its hint."))
    return redirect("adjudicate-item", slug, pk)


@leads_only
@require_POST
def judge_pair(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Record whether two reasons say the same, in the lead's own judgement."""
    mine = Annotation.objects.filter(assignment__solution=_item(request, slug, pk))
    first = get_object_or_404(mine, pk=number_in(request.POST, "first"))
    second_label = get_object_or_404(mine, pk=number_in(request.POST, "second"))
    reason_pairs.judge(first, second_label, person(request), same=request.POST.get("same") == "yes")
    return redirect("adjudicate-item", slug, pk)
