"""Sending an item back: with a question to its annotators, or for one more blind label."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.shapes import Words
from annotation.models import Assignment, Solution
from annotation.permissions import LeadsOnly
from review import returns
from review.models import Return

ROWS = Return.objects.select_related("solution", "lead")


class ReturnSerializer(serializers.ModelSerializer[Return]):
    """A question to the annotators of an item; the item waits for their answers until `closed_at`."""

    item_id = serializers.CharField(source="solution.item_id", read_only=True)
    question = Words(required=True, max_length=5_000)
    lead = serializers.CharField(source="lead.username", read_only=True)

    class Meta:
        model = Return
        fields = ("id", "item_id", "question", "lead", "created_at", "closed_at")
        read_only_fields = ("closed_at",)


def solution_in(request: Request, slug: str, item_id: str) -> Solution:
    """A solution of the campaign, if this person may see the campaign."""
    rows = Solution.objects.select_related("problem__project")
    return get_object_or_404(rows, problem__project=project_for(person(request), slug), item_id=item_id)


@extend_schema(tags=["adjudication"])
class Returns(ListAPIView[Return]):
    """The questions that wait for answers, oldest first: all for leads, those on their own labels for annotators."""

    serializer_class = ReturnSerializer
    queryset = Return.objects.none()
    filters = {"item_id": "solution__item_id"}

    def get_queryset(self) -> QuerySet[Return]:
        """Those of one campaign that this person may see."""
        reader = person(self.request)
        rows = ROWS.filter(solution__problem__project=project_for(reader, self.kwargs["slug"]), closed_at=None)
        if not reader.leads:
            slots = Assignment.objects.filter(solution=OuterRef("solution"), annotator=reader)
            rows = rows.filter(Exists(slots.filter(submitted_at__isnull=False)))
        return rows.order_by("pk")


@extend_schema(tags=["adjudication"])
class ReturnItem(GenericAPIView[Return]):
    """Returning an item."""

    permission_classes = (LeadsOnly,)
    serializer_class = ReturnSerializer
    queryset = Return.objects.none()

    @extend_schema(responses={201: ReturnSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, item_id: str) -> Response:
        """Ask the item's annotators a question. 409: the item is decided, or with its annotators already."""
        solution = solution_in(request, slug, item_id)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, returns.CannotReturn):
            row = returns.ask_annotators(solution, person(request), serializer.validated_data["question"])
        return Response(self.get_serializer(row).data, status=201)


@extend_schema(tags=["adjudication"])
class TakeBack(APIView):
    """Ending the wait."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses=ReturnSerializer)
    def post(self, request: Request, slug: str, item_id: str) -> Response:
        """Take the item back into the queue without waiting for further answers."""
        row = get_object_or_404(ROWS, solution=solution_in(request, slug, item_id), closed_at=None)
        returns.stop_waiting(row, person(request))
        return Response(ReturnSerializer(ROWS.get(pk=row.pk)).data)


class SlotsSerializer(serializers.Serializer[Any]):
    wanted = serializers.IntegerField(help_text="How many labels the item is to have now.")


@extend_schema(tags=["adjudication"])
class AskForMore(APIView):
    """Asking for more."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses={201: SlotsSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, item_id: str) -> Response:
        """Want one more blind label. 409: the item is decided, one is asked for already, or nobody is left."""
        solution = solution_in(request, slug, item_id)
        with refused_as(Conflict, returns.CannotReturn):
            returns.ask_for_more(solution, person(request))
        return Response({"wanted": solution.assignments.count()}, status=201)
