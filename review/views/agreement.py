"""How far annotators agree, from figures kept at hand: pages, and the same as files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation.access import in_project, leads_only, person, project_for
from annotation.models import Project, User
from review import kept_figures, unit_files
from review.csv_files import csv_response
from review.exhibits.annotators import annotator_exhibits
from review.exhibits.confusion import confusion_exhibits
from review.exhibits.consensus import consensus_exhibits
from review.exhibits.exhibit import Exhibit
from review.exhibits.figures import by_part, of_snapshot, part_name, value_name
from review.figure_orders import order
from review.models import AgreementSnapshot
from review.pictures import standalone
from review.slices import DIMENSIONS
from review.working import Row, coincidence_rows

TABS: dict[str, Promise] = {
    "": _("Figures"),
    "annotators": _("Annotators"),
    "confusion": _("Confused steps"),
    "consensus": _("Consensus"),
}
ANNOTATOR_QUESTIONS = {"first_error": _("Verdict and first erroneous step"), "correctness": _("Correctness")}


@dataclass(frozen=True)
class Asked:
    """What a request wants to see: a tab, for figures a dimension and one of its parts, for annotators a question."""

    tab: str
    by: str
    part: str | None
    question: str

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Asked":
        """Read a query; what is unknown counts as not given."""
        tab = query.get("tab", "") if query.get("tab", "") in TABS else ""
        by = query.get("by", "") if query.get("by", "") in DIMENSIONS and not tab else ""
        question = query.get("question", "")
        return cls(
            tab, by, query.get("part") if by else None, question if question in ANNOTATOR_QUESTIONS else "first_error"
        )

    @property
    def view(self) -> str:
        """What is kept for it."""
        return self.tab or self.by


@leads_only
@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Show kept figures and, when newer labels exist, have them counted; the fragment asks again by itself."""
    project, asked = project_for(person(request), slug), Asked.of(request.GET.dict())
    kept, fresh = _kept(project, asked.view)
    seen = f"{kept[0].computed_at.isoformat()} {fresh}" if kept else ""
    if request.htmx and seen and request.GET.get("seen") == seen:  # type: ignore[attr-defined]
        return HttpResponse(status=204)
    context = in_project(request, project, "agreement") | {
        "asked": asked, "tabs": TABS, "dimensions": DIMENSIONS, "questions": ANNOTATOR_QUESTIONS, "seen": seen,
        "kept": kept, "fresh": fresh, "exhibits": _exhibits(project, asked, kept),
        "part": None if asked.part is None else part_name(asked.by, asked.part),
    }  # fmt: skip
    part = "#figures" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"review/agreement.html{part}", context)


@leads_only
@require_safe
def table(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    """The table of an exhibit as a CSV file."""
    exhibit = _exhibit(request, slug, name)
    return csv_response(exhibit.csv_rows(), f"{slug}-agreement-{name}.csv")


@leads_only
@require_safe
def picture(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The picture of an exhibit as an SVG file."""
    exhibit, style = _exhibit(request, slug, name), finders.find("stepmark/pictures.css")
    if not exhibit.picture or not isinstance(style, str):
        raise Http404
    response = HttpResponse(standalone(exhibit.picture, Path(style)), content_type="image/svg+xml")
    response["Content-Disposition"] = f'attachment; filename="{slug}-agreement-{name}.svg"'
    return response


@leads_only
@require_safe
def units(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The units behind a question's figures as a CSV file, streamed from the labels themselves."""
    project, query = project_for(person(request), slug), request.GET.dict()
    asked, question = Asked.of(query), query.get("question", "")
    if question not in kept_figures.QUESTIONS:
        raise Http404
    rows = unit_files.unit_rows(project, question, asked.by, asked.part or "")
    return csv_response(rows, f"{slug}-{question}-units-steps-from-1.csv")


@leads_only
@require_safe
def coincidences(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Krippendorff's coincidence table of a question as a CSV file, from the kept figures."""
    project, query = project_for(person(request), slug), request.GET.dict()
    asked, question = Asked.of(query), query.get("question", "")
    for each in _kept(project, asked.by)[0]:
        if each.value == (asked.part or "") and question in each.report:
            return csv_response(_coincidences(question, each.report[question]), f"{slug}-{question}-coincidences.csv")
    raise Http404


def _kept(project: Project, view: str) -> tuple[list[AgreementSnapshot], bool]:
    """What is kept for a view and whether it counts everything; if not, it is ordered."""
    kept = kept_figures.snapshots(project, view)
    if kept_figures.is_fresh(project, kept):
        return kept, True
    order(project, view)
    # A worker inside this very process has done it by now.
    kept = kept_figures.snapshots(project, view)
    return kept, kept_figures.is_fresh(project, kept)


def _exhibit(request: HttpRequest, slug: str, name: str) -> Exhibit:
    project, asked = project_for(person(request), slug), Asked.of(request.GET.dict())
    for exhibit in _exhibits(project, asked, _kept(project, asked.view)[0]):
        if exhibit.key == name:
            return exhibit
    raise Http404


def _exhibits(project: Project, asked: Asked, kept: Sequence[AgreementSnapshot]) -> list[Exhibit]:
    if not kept:
        return []
    if not asked.tab:
        if asked.by and asked.part is None:
            return by_part(project, asked.by, kept)
        return [exhibit for each in kept if each.value == (asked.part or "") for exhibit in of_snapshot(project, each)]
    of_tab: dict[str, Callable[[Mapping[str, Any]], list[Exhibit]]] = {
        "annotators": lambda report: annotator_exhibits(
            project, asked.question, report[asked.question], _names(report[asked.question])
        ),
        "confusion": lambda report: confusion_exhibits(project, report),
        "consensus": lambda report: consensus_exhibits(project, report),
    }
    return of_tab[asked.tab](kept[0].report)


def _names(report: Mapping[str, Any]) -> dict[int, str]:
    people = [each["annotator"] for each in report["against_others"]]
    return dict(User.objects.filter(pk__in=people).values_list("pk", "username"))


def _coincidences(question: str, report: Mapping[str, Any]) -> Iterator[Row]:
    yield from coincidence_rows(report["coincidences"], [value_name(question, value) for value in report["shares"]])
