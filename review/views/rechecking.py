"""Deciding a sample of gold again, blind, and what that says of the gold's error."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import in_project, leads_only, person, project_for
from annotation.forms import VerdictForm
from annotation.views.labelling import reading
from review import rechecks
from review.forms import RecheckForm
from review.models import RecheckItem


@leads_only
@require_http_methods(["GET", "POST"])
def recheck(request: HttpRequest, slug: str) -> HttpResponse:
    """The measured error of the gold, the samples behind it, and drawing a further one."""
    project = project_for(person(request), slug)
    form = RecheckForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            row = rechecks.begin(project, person(request), form.cleaned_data["size"])
        except rechecks.CannotRecheck as error:
            form.add_error(None, str(error))
        else:
            return redirect("recheck-item", slug, row.items.order_by("pk")[0].pk)
    items = RecheckItem.objects.filter(recheck__project=project)
    done = items.filter(decided_at__isnull=False).select_related("gold__solution", "recheck__lead")
    changed = [item for item in done.prefetch_related("gold__solution__steps")
               if not item.verdict.same_place(item.gold.verdict)]  # fmt: skip
    context = in_project(request, project, "adjudicate") | {
        "form": form, "error": rechecks.gold_error(project), "changed": changed, "rechecks": project.rechecks.all(),
        "mine": items.filter(recheck__lead=person(request), decided_at=None).order_by("pk").first(),
    }  # fmt: skip
    return render(request, "review/recheck.html", context, status=422 if form.errors else 200)


@leads_only
@never_cache
@require_http_methods(["GET", "POST"])
def recheck_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One item of the sample without anybody's label; a post decides it and brings the next."""
    project = project_for(person(request), slug)
    mine = RecheckItem.objects.filter(recheck__project=project, recheck__lead=person(request), decided_at=None)
    item = get_object_or_404(mine.select_related("gold__solution__problem__project"), pk=pk)
    solution = item.gold.solution
    steps = list(solution.steps.all())
    form = VerdictForm(request.POST or None, project=project, steps=steps, initial={"placement": "at"})
    if request.method == "POST" and form.is_valid():
        rechecks.decide_again(item, person(request), form.verdict)
        following = mine.exclude(pk=item.pk).filter(recheck=item.recheck).order_by("pk").first()
        if following:
            return redirect("recheck-item", slug, following.pk)
        messages.success(request, _("The sample is decided again."))
        return redirect("recheck", slug)
    context = in_project(request, project, "adjudicate") | reading(solution) | {
        "form": form, "item": item, "of": item.recheck.items.count(),
        "done": item.recheck.items.filter(decided_at__isnull=False).count(),
    }  # fmt: skip
    return render(request, "review/recheck_item.html", context, status=422 if form.errors else 200)
