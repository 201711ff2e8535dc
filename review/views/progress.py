"""One campaign: how far it is, its items, and one item with all that was said of it."""

from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation import audit
from annotation.access import in_project, leads_only, person, project_for
from annotation.assignments import standings
from annotation.models import Assignment, Project, Report, Solution, User
from annotation.views.labelling import reading
from review import disagreements
from review.against_key import count_against_key
from review.item_lists import KEPT, about, in_list
from review.kept_figures import QUESTIONS
from review.readers import readers_of
from review.stages import STAGES, stage_counts


@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Where a campaign stands: for an annotator their own part, for a lead all of it."""
    row = project_for(person(request), slug)
    context = in_project(request, row, "project") | {"standings": standings(row, person(request))}
    if person(request).leads:
        counts = stage_counts(row)
        context |= {
            "all": counts["all"],
            "stages": [(stage, name, counts[stage]) for stage, name in STAGES.items()],
            "annotators": _annotators(row),
            "open_reports": Report.objects.filter(solution__problem__project=row, closed_at=None).count(),
            "jobs": row.jobs.select_related("started_by")[:5],
        }
    return render(request, "review/project.html", context)


def _annotators(project: Project) -> QuerySet[User]:
    slots = Assignment.objects.filter(solution__problem__project=project, annotator__isnull=False)
    own = slots.filter(annotator=OuterRef("pk"), submitted_at__isnull=False).order_by().values("annotator")
    # Each by itself: in a join every further row would count the seconds, and ask for the other numbers, once more.
    return (
        User.objects.filter(Q(pk__in=project.members.values("pk")) | Q(pk__in=slots.values("annotator")))
        .annotate(
            submitted=Coalesce(Subquery(own.annotate(n=Count("pk")).values("n")), 0),
            seconds=Coalesce(Subquery(own.annotate(n=Sum("annotations__active_seconds")).values("n")), 0),
            against_key=count_against_key(project),
        )
        .order_by("username")
    )


@leads_only
@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Every item of a campaign, filtered by stage, subject, figure or words."""
    row = project_for(person(request), slug)
    query = {name: value for name, value in request.GET.items() if isinstance(value, str)}
    rows = in_list(row, query).select_related("problem")
    page = Paginator(rows, 50).get_page(query.get("page"))
    labels = disagreements.current_labels(page.object_list)
    for solution in page.object_list:
        solution.said = labels[solution.pk]
    context = in_project(request, row, "items") | {
        "page_obj": page, "stages": STAGES, "subjects": disagreements.subjects(row), "query": query,
        "question": QUESTIONS.get(query.get("figure", "")),
        "kept": {name: query[name] for name in KEPT if name in query}, "about": about(query),
    }  # fmt: skip
    return render(request, "review/items.html", context)


@leads_only
@require_safe
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One item with everything that was said and decided of it."""
    row = project_for(person(request), slug)
    solutions = Solution.objects.select_related("problem").prefetch_related("steps", "problem__answer_keys")
    solution = get_object_or_404(solutions, pk=pk, problem__project=row)
    labels = disagreements.current_labels([solution])[solution.pk]
    names = {label.pk: label.assignment.annotator for label in labels}
    decisions = solution.adjudications.select_related("decided_by").prefetch_related("accepted_reasons")
    context = in_project(request, row, "items") | reading(solution) | {
        "readers": readers_of(solution, labels), "names": names, "decisions": decisions.order_by("-pk"),
        "events": audit.of_item(solution)[:200],
        "title": _("Item %s") % solution.item_id,
    }  # fmt: skip
    return render(request, "review/item.html", context)
