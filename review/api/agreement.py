"""Where a campaign stands, and how far its annotators agree."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import person, project_for
from annotation.api.errors import Invalid
from annotation.assignments import standings
from annotation.models import Project, Solution
from annotation.permissions import LeadsOnly
from review import figure_orders, kept_figures
from review.models import AgreementSnapshot
from review.slices import DIMENSIONS
from review.stages import stage_counts


class StagesSerializer(serializers.Serializer[Any]):
    all = serializers.IntegerField()
    unlabelled = serializers.IntegerField()
    part = serializers.IntegerField()
    disputed = serializers.IntegerField()
    agreed = serializers.IntegerField()
    decided = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer[Any]):
    """Counts of labels; `stages` counts solutions and is null for annotators."""

    wanted = serializers.IntegerField()
    submitted = serializers.IntegerField()
    reserved = serializers.IntegerField()
    mine = serializers.IntegerField()
    mine_today = serializers.IntegerField()
    stages = StagesSerializer(allow_null=True)


@extend_schema(tags=["agreement"])
class Progress(GenericAPIView[Project]):
    """Progress."""

    serializer_class = ProgressSerializer
    queryset = Project.objects.none()

    def get(self, request: Request, slug: str) -> Response:
        """How far the campaign is: your own part, and for leads the stages of its solutions."""
        project = project_for(person(request), slug)
        counts = standings(project, person(request))
        own = {name: getattr(counts, name) for name in ("wanted", "submitted", "reserved", "mine", "mine_today")}
        return Response(own | {"stages": stage_counts(project) if person(request).leads else None})


class SnapshotSerializer(serializers.ModelSerializer[AgreementSnapshot]):
    """Kept figures; an undefined figure is null and says why."""

    report = serializers.DictField()

    class Meta:
        model = AgreementSnapshot
        fields = ("dimension", "value", "labels", "through", "seed", "computed_at", "report")


class AgreementSerializer(serializers.Serializer[Any]):
    fresh = serializers.BooleanField(help_text="Whether every label is counted; else newer figures are on their way.")
    snapshots = SnapshotSerializer(
        many=True,
        help_text="The whole campaign first (dimension empty), then each part (by subject unless asked otherwise).",
    )


@extend_schema(tags=["agreement"])
class Agreement(GenericAPIView[Project]):
    """Agreement."""

    permission_classes = (LeadsOnly,)
    serializer_class = AgreementSerializer
    queryset = Project.objects.none()

    @extend_schema(parameters=[OpenApiParameter("by", enum=list(DIMENSIONS), default="subject")])
    def get(self, request: Request, slug: str) -> Response:
        """The kept figures with the time they are as of; when newer labels exist, they are counted again meanwhile."""
        project, by = project_for(person(request), slug), request.query_params.get("by", "subject")
        if by not in DIMENSIONS:
            raise Invalid(f"by is one of {', '.join(DIMENSIONS)}.", "by")
        kept = {view: kept_figures.snapshots(project, view) for view in ("", by)}
        fresh = {view: kept_figures.is_fresh(project, found) for view, found in kept.items()}
        for view, counted in fresh.items():
            if not counted:
                figure_orders.order(project, view)
        answer = {"fresh": all(fresh.values()), "snapshots": [each for found in kept.values() for each in found]}
        return Response(self.get_serializer(answer).data)


class CountedSerializer(serializers.ModelSerializer[Solution]):
    differs = serializers.BooleanField(help_text="Whether its labels differ in what the figure counts.")

    class Meta:
        model = Solution
        fields = ("item_id", "differs")


@extend_schema(
    tags=["agreement"],
    parameters=[
        OpenApiParameter("question", required=True, enum=list(kept_figures.QUESTIONS)),
        OpenApiParameter("figure", enum=list(kept_figures.FIGURES)),
        OpenApiParameter("subject"),
    ],
)
class AgreementItems(ListAPIView[Solution]):
    """The solutions that make a figure of the agreement."""

    permission_classes = (LeadsOnly,)
    serializer_class = CountedSerializer
    queryset = Solution.objects.none()
    truth_filters = {"differs": "differs"}

    def get_queryset(self) -> QuerySet[Any]:
        """Those that enter the question that is asked for."""
        wanted = self.request.query_params
        project = project_for(person(self.request), self.kwargs["slug"])
        if wanted.get("question") not in kept_figures.QUESTIONS:
            raise Invalid(f"question is one of {', '.join(kept_figures.QUESTIONS)}.", "question")
        figure, subject = wanted.get("figure", ""), wanted.get("subject", "")
        return kept_figures.items_of(project, wanted["question"], figure, subject).order_by("pk")
