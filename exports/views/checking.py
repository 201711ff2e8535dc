"""People check a model's comparison of reasons, blind."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access import in_project, leads_only, person
from exports import checking
from exports.double_sampling import LEAST_IN_STRATUM
from exports.models import ChecksDesign, HumanCheck
from exports.views.judges import run_for


@leads_only
@require_http_methods(["GET", "POST"])
def checks(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """How far the checks are, what they say, and what checkers differ on; a post draws one's own sample."""
    run = run_for(request, slug, version, pk)
    if request.method == "POST":
        try:
            design = request.POST.get("design", "")
            checking.begin(run, person(request), design if design in ChecksDesign.values else "")
        except checking.CannotCheck as error:
            messages.error(request, str(error))
        return redirect("checks", slug, version, pk)
    me, people = person(request), checking.progress(run)
    mine = checking.own_checks(run).filter(checker=me)
    context = in_project(request, run.release.project, "releases") | {
        "run": run, "release": run.release, "mine": mine.exists(), "next": mine.filter(same=None).first(),
        "people": people, "done": any(each.done for each in people), "differing": checking.differing(run, me),
        "stale": checking.is_stale(run), "wanted": checking.wanted(run), "hopeless": checking.is_hopeless(run),
        "least": LEAST_IN_STRATUM, "nothing": checking.is_nothing(run), "designs": ChecksDesign.choices,
    }  # fmt: skip
    return render(request, "exports/checks.html", context)


@leads_only
@never_cache
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, slug: str, version: str, pk: int, check_pk: int) -> HttpResponse:
    """One comparison without the model's verdict; a post answers it and brings the next."""
    run = run_for(request, slug, version, pk)
    rows = HumanCheck.objects.filter(verdict__run=run).select_related("verdict__item", "verdict__run__release__project")
    row = get_object_or_404(rows, pk=check_pk)
    if not checking.may_answer(row, person(request)):
        raise PermissionDenied
    if request.method == "POST" and request.POST.get("same") in ("yes", "no"):
        checking.take(row, person(request), same=request.POST["same"] == "yes")
        following = checking.own_checks(run).filter(checker=person(request), same=None).first()
        if following and row.checker_id == person(request).pk:
            return redirect("check", slug, version, pk, following.pk)
        return redirect("checks", slug, version, pk)
    own = checking.own_checks(run).filter(checker=person(request))
    context = in_project(request, run.release.project, "releases") | {
        "run": run, "release": run.release, "row": row, "verdict": row.verdict,
        "settles": row.checker_id != person(request).pk, "before": own.filter(position__lt=row.position).last(),
        "total": own.count(), "done": own.filter(same__isnull=False).count(),
    }  # fmt: skip
    return render(request, "exports/check.html", context)


@leads_only
@require_POST
def correct(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """Compute the corrected scores from the checks so far."""
    why_not = checking.correct(run_for(request, slug, version, pk))
    if why_not:
        messages.error(request, why_not)
    else:
        messages.success(request, _("The corrected scores are below."))
    return redirect("checks", slug, version, pk)
