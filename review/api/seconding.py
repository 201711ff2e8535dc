"""Decisions that wait for a further lead."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.permissions import LeadsOnly
from review.adjudication import AlreadyDecided, NeedsAnotherLead, awaiting_second, second
from review.api.deciding import DECISIONS
from review.api.shapes import AdjudicationSerializer
from review.models import Adjudication


@extend_schema(tags=["adjudication"])
class AwaitingSecond(ListAPIView[Adjudication]):
    """The decisions that a further lead has to agree to, oldest first."""

    permission_classes = (LeadsOnly,)
    serializer_class = AdjudicationSerializer
    queryset = DECISIONS

    def get_queryset(self) -> QuerySet[Adjudication]:
        """Those of one campaign."""
        found = awaiting_second(project_for(person(self.request), self.kwargs["slug"]))
        return DECISIONS.filter(pk__in=found.values("pk")).order_by("pk")


@extend_schema(tags=["adjudication"])
class Second(APIView):
    """Seconding."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses={200: AdjudicationSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Agree to a decision that waits. 409: you labelled or decided the item, or the decision was replaced."""
        row = get_object_or_404(DECISIONS.filter(solution__problem__project=project_for(person(request), slug)), pk=pk)
        with refused_as(Conflict, AlreadyDecided, NeedsAnotherLead):
            second(row, person(request))
        return Response(AdjudicationSerializer(DECISIONS.get(pk=pk)).data)
