"""Opening one's own label again, until a lead has decided the item."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import person, project_for
from annotation.drafts import DraftConflict
from annotation.forms import LabelForm
from annotation.models import Annotation, Assignment
from annotation.submission import Settled, revise
from annotation.verdicts import VerdictError
from annotation.views.beside import in_conflict, same_person
from annotation.views.labelling import SLOTS, bench, check_draft, form_for, shown


def as_typed(label: Annotation) -> dict[str, Any]:
    """A label as the form's fields would have it."""
    steps = {f"step_{row.position}": str(row.value) for row in label.step_labels.all()}
    parts = label.verdict.as_dict() | {"correct": str(label.correct).lower()}
    return parts | steps | {"confirm_conflict": label.answer_conflict_confirmed}


def _named(labels: list[Any], slot: Assignment) -> list[Any]:
    """Give each label the name people know its first erroneous step by."""
    names = {step.position: step.name for step in slot.solution.steps.all()}
    for label in labels:
        label.at = names.get(label.first_error, "")
    return labels


@never_cache
@require_http_methods(["GET", "POST"])
def revise_label(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one's own label in the workbench; a post stores a further revision and goes on with the queue."""
    project = project_for(person(request), slug)
    own = SLOTS.filter(solution__problem__project=project, annotator=person(request), submitted_at__isnull=False)
    slot = get_object_or_404(own, pk=pk)
    revisions = _named(list(slot.annotations.prefetch_related("step_labels").order_by("-revision")), slot)
    if request.method == "GET":
        form = form_for(slot, person(request), as_typed(revisions[0]))
        return shown(request, bench(request, slot, form, revisions=revisions))
    same_person(request.POST.get("annotator"), person(request))
    try:
        check_draft(request, slot)
    except DraftConflict as conflict:
        return in_conflict(conflict)
    form = LabelForm(request.POST, solution=slot.solution, steps=list(slot.solution.steps.all()))
    if form.is_valid() and _revised(form, slot, request):
        messages.success(request, _("Revised. The earlier version is kept."))
        return redirect("label", slug)
    return shown(request, bench(request, slot, form, revisions=revisions), status=422)


def _revised(form: LabelForm, slot: Assignment, request: HttpRequest) -> bool:
    try:
        revise(slot.pk, person(request), form.submission())
    except (Settled, VerdictError) as error:
        form.add_error(None, str(error))
        return False
    return True
