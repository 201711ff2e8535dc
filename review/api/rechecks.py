"""Deciding a sample of gold again, blind, and what that says of the gold's error."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.items import SOLUTIONS
from annotation.api.shapes import VERDICT_PARTS, SolutionReadingSerializer, VerdictSerializer, verdict_of
from annotation.models import Project
from annotation.permissions import LeadsOnly
from review import rechecks
from review.models import Adjudication, RecheckItem

DONE = RecheckItem.objects.filter(decided_at__isnull=False).select_related("gold__solution", "recheck__lead")


class GoldErrorSerializer(serializers.Serializer[Any]):
    """How often gold changed when decided again; undefined shares are null."""

    n = serializers.IntegerField()
    changed_verdict = serializers.IntegerField()
    changed_place = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True, help_text="changed_place of n.")
    low = serializers.FloatField(allow_null=True, help_text="Wilson's interval of 95 %.")
    high = serializers.FloatField(allow_null=True)


class OwnRecheckSerializer(serializers.Serializer[Any]):
    gold_error = GoldErrorSerializer()
    waiting = serializers.ListField(
        child=serializers.IntegerField(), help_text="The items of your own samples that you have to decide again."
    )


class SizeSerializer(serializers.Serializer[Any]):
    size = serializers.IntegerField(min_value=1, max_value=1000, default=20)


@extend_schema(tags=["recheck"])
class Recheck(GenericAPIView[RecheckItem]):
    """Rechecking."""

    permission_classes = (LeadsOnly,)
    serializer_class = SizeSerializer
    queryset = RecheckItem.objects.none()

    @extend_schema(responses=OwnRecheckSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The measured error of the gold, and what waits for you."""
        return self._standing(project_for(person(request), slug))

    @extend_schema(responses={200: OwnRecheckSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Draw a sample of gold that you neither decided nor labelled. 409: there is none."""
        project = project_for(person(request), slug)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, rechecks.CannotRecheck):
            rechecks.begin(project, person(request), serializer.validated_data["size"])
        return self._standing(project)

    def _standing(self, project: Project) -> Response:
        mine = RecheckItem.objects.filter(recheck__project=project, recheck__lead=person(self.request), decided_at=None)
        told = {"gold_error": rechecks.gold_error(project), "waiting": mine.order_by("pk").values_list("pk", flat=True)}
        return Response(OwnRecheckSerializer(told).data)


class FirstDecisionSerializer(serializers.ModelSerializer[Adjudication]):
    class Meta:
        model = Adjudication
        fields = VERDICT_PARTS


class RecheckedSerializer(serializers.ModelSerializer[RecheckItem]):
    """One item that was decided twice."""

    item_id = serializers.CharField(source="gold.solution.item_id")
    lead = serializers.CharField(source="recheck.lead.username")
    gold = FirstDecisionSerializer()
    changed = serializers.SerializerMethodField()

    class Meta:
        model = RecheckItem
        fields = ("id", "item_id", *VERDICT_PARTS, "gold", "changed", "lead", "decided_at")

    def get_changed(self, item: RecheckItem) -> bool:
        """Whether verdict or step differ."""
        return not item.verdict.same_place(item.gold.verdict)


@extend_schema(tags=["recheck"])
class Rechecked(ListAPIView[RecheckItem]):
    """The items behind the error of the gold: both decisions of each. What is still to be decided is not here."""

    permission_classes = (LeadsOnly,)
    serializer_class = RecheckedSerializer
    queryset = RecheckItem.objects.none()

    def get_queryset(self) -> QuerySet[RecheckItem]:
        """Those of one campaign."""
        return DONE.filter(recheck__project=project_for(person(self.request), self.kwargs["slug"])).order_by("pk")


class BlindItemSerializer(serializers.Serializer[Any]):
    """An item of your sample: nothing that tells what was said or decided of it."""

    id = serializers.IntegerField()
    solution = SolutionReadingSerializer()


@extend_schema(tags=["recheck"])
class RecheckOne(GenericAPIView[RecheckItem]):
    """One item of the sample."""

    permission_classes = (LeadsOnly,)
    serializer_class = VerdictSerializer
    queryset = RecheckItem.objects.none()

    @extend_schema(responses=BlindItemSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An item of your own sample, to be decided again."""
        item = self._item(slug, pk)
        shown = {"id": item.pk, "solution": SOLUTIONS.get(pk=item.gold.solution_id)}
        return Response(BlindItemSerializer(shown).data)

    @extend_schema(responses={200: RecheckedSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Decide the item again; gold stays as it is. The answer shows the first decision."""
        item = self._item(slug, pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        rechecks.decide_again(item, person(request), verdict_of(serializer.validated_data))
        return Response(RecheckedSerializer(DONE.get(pk=pk)).data)

    def _item(self, slug: str, pk: int) -> RecheckItem:
        project = project_for(person(self.request), slug)
        mine = RecheckItem.objects.filter(recheck__project=project, recheck__lead=person(self.request))
        return get_object_or_404(mine.filter(decided_at=None).select_related("gold__solution__problem__project"), pk=pk)
