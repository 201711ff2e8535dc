"""People check a model's comparison of reasons, blind, and what that does to the score."""

import json
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import person
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.permissions import LeadsOnly
from exports import checking
from exports.api.releases import release_for
from exports.models import HumanCheck, JudgeRun

CHECKS = HumanCheck.objects.select_related("verdict__item", "verdict__run__release__project")


def run_for(request: Request, slug: str, version: str, pk: int) -> JudgeRun:
    """One judge's run, if this person may see it."""
    return get_object_or_404(release_for(request, slug, version).runs.select_related("release__project"), pk=pk)


class CheckSerializer(serializers.ModelSerializer[HumanCheck]):
    """A check; `same` is null until somebody has looked."""

    item_id = serializers.CharField(source="verdict.item.item_id", read_only=True)
    same = serializers.BooleanField(help_text="Whether the judge's reason names the same fault as gold.")

    class Meta:
        model = HumanCheck
        fields = ("id", "item_id", "same", "adjudicated")
        read_only_fields = ("adjudicated",)


class ChecksSerializer(serializers.Serializer[Any]):
    """How far the checks are; `trust` is empty until the corrected scores were computed."""

    mine = CheckSerializer(many=True, help_text="Your own sample; empty until you have drawn it.")
    done = serializers.IntegerField(help_text="Checks that were answered, by anybody.")
    differing = CheckSerializer(many=True, help_text="Comparisons on which checkers differ and nobody has settled it.")
    trust = serializers.DictField()


@extend_schema(tags=["judges"])
class Checks(GenericAPIView[HumanCheck]):
    """The checks of a run."""

    permission_classes = (LeadsOnly,)
    serializer_class = ChecksSerializer
    queryset = HumanCheck.objects.none()

    def get(self, request: Request, slug: str, version: str, pk: int) -> Response:
        """How far the checks are, what checkers differ on, and what the checks say of the comparison."""
        return self._standing(run_for(request, slug, version, pk))

    @extend_schema(request=None, responses={200: ChecksSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str, pk: int) -> Response:
        """Get your sample to check: the same for every checker. 409: no model compared reasons in this run."""
        run = run_for(request, slug, version, pk)
        with refused_as(Conflict, checking.CannotCheck):
            checking.begin(run, person(request))
        return self._standing(run)

    def _standing(self, run: JudgeRun) -> Response:
        rows = CHECKS.filter(verdict__run=run, adjudicated=False)
        told = {
            "mine": rows.filter(checker=person(self.request)), "done": rows.filter(same__isnull=False).count(),
            "differing": checking.differing(run), "trust": run.trust,
        }  # fmt: skip
        return Response(self.get_serializer(told).data)


class BlindComparisonSerializer(serializers.Serializer[Any]):
    """Two reasons side by side; what the model said of them is not here."""

    id = serializers.IntegerField()
    item_id = serializers.CharField()
    question = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    first_error = serializers.IntegerField(help_text="0-based position of the step both name.")
    gold_reasons = serializers.ListField(child=serializers.CharField(), help_text="Each of them is right.")
    reason = serializers.CharField(help_text="The judge's.")


@extend_schema(tags=["judges"])
class Check(GenericAPIView[HumanCheck]):
    """One check."""

    permission_classes = (LeadsOnly,)
    serializer_class = CheckSerializer
    queryset = HumanCheck.objects.none()

    @extend_schema(responses=BlindComparisonSerializer)
    def get(self, request: Request, slug: str, version: str, pk: int, check_pk: int) -> Response:
        """A comparison of your sample, or one on which checkers differ, without the model's verdict."""
        row = self._check(slug, version, pk, check_pk)
        if not checking.may_answer(row, person(request)):
            raise PermissionDenied
        return Response(BlindComparisonSerializer(_blind(row)).data)

    @extend_schema(responses={200: CheckSerializer})
    def post(self, request: Request, slug: str, version: str, pk: int, check_pk: int) -> Response:
        """Say whether the two name the same fault; on another's check this settles a difference."""
        row = self._check(slug, version, pk, check_pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        try:
            taken = checking.take(row, person(request), same=serializer.validated_data["same"])
        except checking.NotTheirs as error:
            raise PermissionDenied(str(error)) from error
        return Response(self.get_serializer(CHECKS.get(pk=taken.pk)).data)

    def _check(self, slug: str, version: str, pk: int, check_pk: int) -> HumanCheck:
        return get_object_or_404(CHECKS, verdict__run=run_for(self.request, slug, version, pk), pk=check_pk)


def _blind(row: HumanCheck) -> dict[str, Any]:
    record = json.loads(row.verdict.item.record)
    gold = record["gold"]
    return {
        "id": row.pk, "item_id": row.verdict.item.item_id, "question": record["question"],
        "steps": [step["text"] for step in record["steps"]], "first_error": gold["first_error"],
        "gold_reasons": [reason for reason, _rectified in gold["reasons"]] or [gold["reason"]],
        "reason": row.verdict.reason,
    }  # fmt: skip


class TrustSerializer(serializers.Serializer[Any]):
    trust = serializers.DictField(help_text="Agreement with people, and the corrected scores with their intervals.")


@extend_schema(tags=["judges"])
class Correct(APIView):
    """Correcting."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses={200: TrustSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str, pk: int) -> Response:
        """Compute the corrected scores from the checks so far. 409: they are too few, or people differ."""
        run = run_for(request, slug, version, pk)
        why_not = checking.correct(run)
        if why_not:
            raise Conflict(why_not)
        return Response({"trust": run.trust})
