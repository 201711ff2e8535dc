"""The discussion of items and of guideline clauses, and who was named in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import guidelines
from annotation.access import person, project_for
from annotation.api.errors import Invalid
from annotation.api.shapes import Words
from review import discussion
from review.api.returning import solution_in
from review.models import Comment, Mention


class CommentSerializer(serializers.ModelSerializer[Comment]):
    """A comment; `@login` in its text tells somebody who may see it."""

    author = serializers.CharField(source="author.username", read_only=True)
    text = Words(required=True, max_length=10_000)

    class Meta:
        model = Comment
        fields = ("id", "author", "text", "created_at")


class ClauseCommentSerializer(CommentSerializer):
    """A comment on a clause of the guideline."""

    clause = serializers.CharField(max_length=120, help_text="A heading of the guideline in force.")

    class Meta(CommentSerializer.Meta):
        fields = (*CommentSerializer.Meta.fields, "clause")  # type: ignore[assignment]


@contextmanager
def blind() -> Iterator[None]:
    """Refuse what annotators must not see before their label is in."""
    try:
        yield
    except discussion.NotYetVisible as error:
        raise PermissionDenied(str(error)) from error


@extend_schema(tags=["discussion"])
class ItemTalk(ListAPIView[Comment]):
    """The discussion of an item, oldest first; annotators are refused until their own label is in."""

    serializer_class = CommentSerializer
    queryset = Comment.objects.none()

    def get_queryset(self) -> QuerySet[Comment]:
        """What was said of one item."""
        solution = solution_in(self.request, self.kwargs["slug"], self.kwargs["item_id"])
        with blind():
            found = discussion.about(person(self.request), solution)
        discussion.mark_seen(person(self.request), found)
        return found

    @extend_schema(responses={201: CommentSerializer}, filters=False)
    def post(self, request: Request, slug: str, item_id: str) -> Response:
        """Say something about the item."""
        solution = solution_in(request, slug, item_id)
        sent = self.get_serializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with blind():
            row = discussion.say(solution.problem.project, person(request), **sent.validated_data, solution=solution)
        return Response(self.get_serializer(row).data, status=201)


@extend_schema(tags=["discussion"])
class ClauseTalk(ListAPIView[Comment]):
    """The discussion of the guideline, newest first."""

    serializer_class = ClauseCommentSerializer
    queryset = Comment.objects.none()
    filters = {"clause": "clause"}

    def get_queryset(self) -> QuerySet[Comment]:
        """What was said of the guideline of one campaign."""
        project = project_for(person(self.request), self.kwargs["slug"])
        rows = Comment.objects.filter(project=project, solution=None)
        clause = self.request.query_params.get("clause")
        discussion.mark_seen(person(self.request), rows if clause is None else rows.filter(clause=clause))
        return rows.select_related("author").order_by("-pk")

    @extend_schema(responses={201: ClauseCommentSerializer}, filters=False)
    def post(self, request: Request, slug: str) -> Response:
        """Say something about a clause."""
        project = project_for(person(request), slug)
        sent = self.get_serializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["clause"] not in guidelines.clauses(project):
            raise Invalid(_("The guideline in force has no such clause."), "clause")
        row = discussion.say(project, person(request), **sent.validated_data)
        return Response(self.get_serializer(row).data, status=201)


class MentionSerializer(serializers.ModelSerializer[Mention]):
    """A comment that names you; it is about an item or about a clause of the guideline."""

    project = serializers.SlugField(source="comment.project.slug")
    item_id = serializers.CharField(source="comment.solution.item_id", default=None, allow_null=True)
    clause = serializers.CharField(source="comment.clause")
    comment = CommentSerializer()

    class Meta:
        model = Mention
        fields = ("project", "item_id", "clause", "comment")


@extend_schema(tags=["discussion"])
class Mentions(ListAPIView[Mention]):
    """The comments that name you and that you have not opened yet, newest first."""

    serializer_class = MentionSerializer
    queryset = Mention.objects.none()

    def get_queryset(self) -> QuerySet[Mention]:
        """Nobody else's."""
        return discussion.unseen_mentions(person(self.request)).order_by("-pk")
