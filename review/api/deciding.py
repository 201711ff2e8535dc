"""Adjudication: the queue of disputes, what was said of an item, and decisions."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.models import Solution
from annotation.permissions import LeadsOnly
from annotation.verdicts import VerdictError
from review import disagreements, pending
from review.adjudication import AlreadyDecided, decide
from review.api.shapes import AdjudicationSerializer, DecisionSerializer, DisputeSerializer, SaidSerializer
from review.models import Adjudication
from review.readers import readers_of

DECISIONS = Adjudication.objects.select_related("solution", "decided_by", "seconds_by").prefetch_related(
    "accepted_reasons"
)
EXAMPLES = [
    OpenApiExample(
        "Adopt a label", request_only=True,
        value={
            "item_id": "sm-0123456789abcdef", "outcome": "gold", "correct": False, "first_error": 1,
            "category": "calculation", "reason": "7 times 8 is 56.", "adopted": 12, "cause": "slip", "seen": None,
        },
    ),
    OpenApiExample(
        "Discard", request_only=True,
        value={"item_id": "sm-0123456789abcdef", "outcome": "discarded", "rationale": "The figure is missing."},
    ),
]  # fmt: skip


@extend_schema(tags=["adjudication"])
class Disputes(ListAPIView[Solution]):
    """What waits for a decision, most opinions first: solutions whose labels differ, and those kept open."""

    permission_classes = (LeadsOnly,)
    serializer_class = DisputeSerializer
    queryset = Solution.objects.none()
    filters = {"subject": "problem__subject"}

    def get_queryset(self) -> QuerySet[Solution]:
        """The disputed solutions of one campaign."""
        found = pending.disputed(project_for(person(self.request), self.kwargs["slug"]))
        return found.select_related("problem").prefetch_related("steps", "problem__answer_keys")

    def paginate_queryset(self, queryset: Any) -> Any:
        """Fetch the labels and decisions of one page at once."""
        self.shown: list[Solution] = super().paginate_queryset(queryset)  # type: ignore[assignment]
        return self.shown

    def get_serializer_context(self) -> dict[str, Any]:
        """The labels and standing decisions of the page."""
        return {**super().get_serializer_context(), **said_of(getattr(self, "shown", ()))}


def said_of(solutions: Iterable[Solution]) -> dict[str, Any]:
    """The current labels and the standing decision of some solutions."""
    rows = list(solutions)
    standing = DECISIONS.filter(pk__in=Adjudication.objects.current().filter(solution__in=rows).values("pk"))
    return {
        "labels": disagreements.current_labels(rows),
        "decisions": {decision.solution_id: decision for decision in standing},
    }


@extend_schema(tags=["adjudication"])
class Said(GenericAPIView[Solution]):
    """What was said of a solution."""

    permission_classes = (LeadsOnly,)
    serializer_class = SaidSerializer
    queryset = Solution.objects.none()

    def get(self, request: Request, slug: str, item_id: str) -> Response:
        """Every current label of a solution, and every decision on it."""
        rows = Solution.objects.filter(problem__project=project_for(person(request), slug))
        solution = get_object_or_404(rows, item_id=item_id)
        readers = readers_of(solution, disagreements.current_labels([solution])[solution.pk])
        decisions = DECISIONS.filter(solution=solution).order_by("-pk")
        return Response(self.get_serializer({"item_id": item_id, "labels": readers, "decisions": decisions}).data)


@extend_schema(tags=["adjudication"], examples=EXAMPLES)
class Adjudications(ListAPIView[Adjudication]):
    """The decisions of a campaign, newest first; a later one on the same solution replaces an earlier one."""

    permission_classes = (LeadsOnly,)
    serializer_class = AdjudicationSerializer
    queryset = DECISIONS
    filters = {"item_id": "solution__item_id", "outcome": "outcome", "basis": "basis", "cause": "cause"}

    def get_queryset(self) -> QuerySet[Adjudication]:
        """Those of one campaign."""
        project = project_for(person(self.request), self.kwargs["slug"])
        return DECISIONS.filter(solution__problem__project=project).order_by("-pk")

    @extend_schema(
        request=DecisionSerializer, responses={201: AdjudicationSerializer, 409: ErrorSerializer}, filters=False
    )
    def post(self, request: Request, slug: str) -> Response:
        """Decide a solution. 409: somebody else has decided it meanwhile; `seen` tells which decision you saw."""
        project = project_for(person(request), slug)
        serializer: BaseSerializer[Any] = DecisionSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        solution = Solution.objects.filter(problem__project=project, item_id=serializer.validated_data["item_id"])
        row = self._decided(get_object_or_404(solution), serializer)
        return Response(AdjudicationSerializer(DECISIONS.get(pk=row.pk)).data, status=201)

    def _decided(self, solution: Solution, sent: Any) -> Adjudication:
        wanted = sent.validated_data["adopted"]
        labels = {label.pk: label for label in disagreements.current_labels([solution])[solution.pk]}
        if wanted is not None and wanted not in labels:
            raise VerdictError("adopted", f"Label {wanted} is no current label of this solution.")
        with refused_as(Conflict, AlreadyDecided, field="seen"):
            return decide(solution, person(self.request), sent.decision(labels.get(wanted)))
