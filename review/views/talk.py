"""The discussion of items and of guideline clauses, and who was named in it."""

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation import guidelines
from annotation.access import in_project, person, project_for
from annotation.models import Solution
from annotation.views.labelling import reading
from review import discussion
from review.forms import CommentForm
from review.models import Comment


@require_http_methods(["GET", "POST"])
def talk(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The discussion of one item; annotators see it once their label is in."""
    project = project_for(person(request), slug)
    solutions = Solution.objects.select_related("problem__project").prefetch_related("steps", "problem__answer_keys")
    solution = get_object_or_404(solutions, pk=pk, problem__project=project)
    try:
        comments = discussion.about(person(request), solution)
    except discussion.NotYetVisible as error:
        raise PermissionDenied(str(error)) from error
    form = CommentForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        discussion.say(project, person(request), form.cleaned_data["text"], solution=solution)
        return redirect("talk", slug, pk)
    discussion.mark_seen(person(request), comments)
    context = in_project(request, project, "mine") | reading(solution) | {
        "comments": comments, "form": form, "asked": solution.returns.filter(closed_at=None).first(),
        "my_slot": solution.assignments.filter(annotator=person(request), submitted_at__isnull=False).first(),
    }  # fmt: skip
    return render(request, "review/talk.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def clause_talk(request: HttpRequest, slug: str) -> HttpResponse:
    """The discussion of the guideline, by clause."""
    project = project_for(person(request), slug)
    clauses = guidelines.clauses(project)
    clause = request.GET.get("clause") or (clauses[0] if clauses else "")
    form = CommentForm(request.POST or None, initial={"clause": clause})
    if request.method == "POST" and form.is_valid() and clause:
        discussion.say(project, person(request), form.cleaned_data["text"], clause=clause[:120])
        return redirect(request.get_full_path())
    comments = Comment.objects.filter(project=project, solution=None, clause=clause).select_related("author")
    discussion.mark_seen(person(request), comments)
    context = in_project(request, project, "guideline") | {
        "clauses": clauses, "clause": clause, "form": form,
        "page_obj": Paginator(comments.order_by("-pk"), 50).get_page(request.GET.get("page")),
    }  # fmt: skip
    return render(request, "review/clause_talk.html", context, status=422 if form.errors else 200)


@require_safe
def mentions(request: HttpRequest) -> HttpResponse:
    """The comments that name this person and were not opened yet."""
    rows = discussion.unseen_mentions(person(request)).order_by("-pk")
    return render(request, "review/mentions.html", {"page_obj": Paginator(rows, 50).get_page(request.GET.get("page"))})
