"""How far annotators agree, from figures kept at hand."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import in_project, leads_only, person, project_for
from review import kept_figures
from review.models import AgreementSnapshot
from review.tasks import refresh_agreement


@leads_only
@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the kept figures and, when newer labels exist, have them counted; the fragment asks again by itself."""
    project = project_for(person(request), slug)
    kept = list(project.agreement_snapshots.order_by("dimension", "value"))
    fresh = kept_figures.is_fresh(project, kept)
    if not fresh and not request.htmx:  # type: ignore[attr-defined]
        refresh_agreement.enqueue(project.pk)
        kept = list(project.agreement_snapshots.order_by("dimension", "value"))
        fresh = kept_figures.is_fresh(project, kept)
    context = in_project(request, project, "agreement") | {
        "snapshots": [(snapshot, _questions(snapshot)) for snapshot in kept], "fresh": fresh
    }  # fmt: skip
    part = "#figures" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"review/agreement.html{part}", context)


def _questions(
    snapshot: AgreementSnapshot,
) -> list[tuple[str, str, dict[str, Any], list[tuple[str, str, dict[str, Any]]]]]:
    """Each question with its name and its figures in a fixed order."""
    found = []
    for key, name in kept_figures.QUESTIONS.items():
        question = snapshot.report[key]
        figures = [
            (f, str(kept_figures.FIGURES[f]), question["figures"][f])
            for f in kept_figures.FIGURES
            if f in question["figures"]
        ]
        found.append((key, str(name), question, figures))
    return found
