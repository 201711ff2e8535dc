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
from exports.models import ChecksDesign, HumanCheck, JudgeRun

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


class DesignSerializer(serializers.Serializer[Any]):
    """How the sample is drawn."""

    design = serializers.ChoiceField(
        ChecksDesign.choices, required=False,
        help_text="`by verdict` (default): half of each verdict of the model, so that both are checked often enough; "
        "`random`: a plain random sample, which gives an estimate by prediction-powered inference too.",
    )  # fmt: skip


class ShareSerializer(serializers.Serializer[Any]):
    """How far a checker is with the sample."""

    checker = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class WantedSerializer(serializers.Serializer[Any]):
    """Verdicts of the model still to be checked; counted at every tenth check, so that it tells of no single one."""

    same = serializers.IntegerField()
    different = serializers.IntegerField()


class ChecksSerializer(serializers.Serializer[Any]):
    """How far the checks are; `trust` is empty until the corrected scores were computed."""

    design = serializers.CharField(help_text="How the sample is drawn, for all checkers of the run.")
    mine = CheckSerializer(many=True, help_text="Your own sample; empty until you have drawn it.")
    done = serializers.IntegerField(help_text="Checks that were answered, by anybody.")
    checkers = ShareSerializer(many=True)
    wanted = WantedSerializer(help_text="What is wanted at least before anything can be corrected.")
    stale = serializers.BooleanField(help_text="Checks were made or changed since `trust` was computed.")
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

    @extend_schema(request=DesignSerializer, responses={200: ChecksSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str, pk: int) -> Response:
        """Get your sample to check: the same for every checker; the first says how it is drawn.

        409: no model compared reasons in this run, or its sample was drawn in another way.
        """
        run = run_for(request, slug, version, pk)
        wanted = DesignSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        with refused_as(Conflict, checking.CannotCheck):
            checking.begin(run, person(request), **wanted.validated_data)
        return self._standing(run)

    def _standing(self, run: JudgeRun) -> Response:
        rows = CHECKS.filter(verdict__run=run, adjudicated=False)
        told = {
            "design": run.checks_design, "mine": rows.filter(checker=person(self.request)),
            "done": rows.filter(same__isnull=False).count(), "checkers": checking.progress(run),
            "wanted": checking.wanted(run), "stale": checking.is_stale(run),
            "differing": checking.differing(run, person(self.request)), "trust": run.trust,
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
        """Say whether the two name the same fault; on another's check this settles a difference.

        With your last check the corrected scores are computed, unless checkers differ or too few are checked.
        """
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
