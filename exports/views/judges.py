"""Grading judges and looking at what they got wrong."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import in_project, leads_only, person
from exports.checking import is_stale
from exports.forms import JudgeForm
from exports.judging import FileRefused, answers_of
from exports.models import JudgeRun
from exports.outcomes import OUTCOMES, outcomes_of
from exports.reports import FORMATS, NoReport, plot
from exports.reports import render as render_report
from exports.reports.plots import PLOTS
from exports.tasks import start_grading
from exports.views.releases import release_for

TYPES = {"html": "text/html", "md": "text/markdown", "tex": "application/x-tex", "json": "application/json"}
METRICS = ("mr_score", "mcc", "acc_step", "acc_reason", "f1", "error_accuracy", "correct_accuracy")
AVERAGES = (
    (gettext_lazy("Mean over subjects"), "macro"), (gettext_lazy("Pooled"), "pooled"),
    (gettext_lazy("Subjects weighted by items"), "item_weighted"),
)  # fmt: skip


@leads_only
@require_http_methods(["GET", "HEAD", "POST"])
def grade(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Check the answers at once, then grade them as a job. Loaded again, in another language say, the form is empty."""
    row = release_for(person(request), slug, version)
    if request.method != "POST":
        return redirect("release", slug, version)
    form = JudgeForm(request.POST, request.FILES, release=row)
    if form.is_valid():
        try:
            return redirect("job", start_grading(row, person(request), **form.cleaned_data).pk)
        except FileRefused as error:
            form.add_error(error.field, str(error))
    context = in_project(request, row.project, "releases") | {"release": row, "form": form}
    return render(request, "exports/grade.html", context, status=422)


def run_for(request: HttpRequest, slug: str, version: str, pk: int) -> JudgeRun:
    """One judge's run, if this person may see it."""
    return get_object_or_404(
        JudgeRun.objects.select_related("release__project", "graded_by"),
        pk=pk, release=release_for(person(request), slug, version),
    )  # fmt: skip


@leads_only
@require_safe
def run(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """A judge's report: the headline, what makes it, and the way to every item behind a number."""
    row = run_for(request, slug, version, pk)
    outcomes = outcomes_of(row.report)
    counts = [(key, name, row.verdicts.filter(OUTCOMES[key][1]).count()) for key, name in outcomes.items()]
    context = in_project(request, row.release.project, "releases") | {
        "run": row, "release": row.release, "report": row.checked_report, "outcomes": counts,
        "answers_kept": answers_of(row) is not None, "metrics": METRICS, "averages": AVERAGES, "stale": is_stale(row),
    }  # fmt: skip
    return render(request, "exports/run.html", context)


@leads_only
@require_safe
def run_report(request: HttpRequest, slug: str, version: str, pk: int, name: str) -> HttpResponse:
    """The report as a file: JSON as `stepmark grade --json` prints it, a page, a text, or a table for a paper."""
    row = run_for(request, slug, version, pk)
    if name not in FORMATS:
        raise Http404
    response = HttpResponse(render_report(row.checked_report, name), content_type=f"{TYPES[name]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{version}-{row.pk}.{name}"'
    return response


@leads_only
@require_safe
def run_answers(request: HttpRequest, slug: str, version: str, pk: int) -> HttpResponse:
    """The answers file that was graded, with every raw reply."""
    kept = answers_of(run_for(request, slug, version, pk))
    if kept is None:
        raise Http404
    response = HttpResponse(bytes(kept.content), content_type="application/jsonl")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{version}-{pk}.jsonl"'
    return response


@leads_only
@require_safe
def run_plot(request: HttpRequest, slug: str, version: str, pk: int, name: str) -> HttpResponse:
    """One picture of the report as SVG."""
    row = run_for(request, slug, version, pk)
    try:
        drawn = plot(row.checked_report, name) if name in PLOTS else None
    except NoReport as error:
        raise Http404(str(error)) from error
    if drawn is None:
        raise Http404
    return HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
