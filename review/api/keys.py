"""Changes of answer keys and of problems' standing: evidence, proposals, approval."""

from typing import Any

from django.db.models import F, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.shapes import AnswerKeySerializer, Words
from annotation.models import Problem, Standing
from annotation.permissions import LeadsOnly
from review import keys
from review.models import KeyProposal

ROWS = KeyProposal.objects.select_related("problem", "proposed_by", "decided_by")
EXAMPLE = OpenApiExample(
    "Another key", request_only=True, value={"accepted": ["B"], "standing": "usable", "reason": "The table says B."}
)


class KeyProposalSerializer(serializers.ModelSerializer[KeyProposal]):
    """A wanted change; `approved` is null while it waits."""

    accepted = serializers.ListField(child=serializers.CharField(max_length=200), max_length=50)
    standing = serializers.ChoiceField(Standing.choices)
    reason = Words(required=True, max_length=10_000)
    external_id = serializers.CharField(source="problem.external_id", read_only=True)
    proposed_by = serializers.CharField(source="proposed_by.username", read_only=True)
    decided_by = serializers.CharField(source="decided_by.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = KeyProposal
        fields = (
            "id", "problem", "external_id", "accepted", "standing", "reason", "proposed_by", "proposed_at", "approved",
            "decided_by", "decided_at", "note", "reopened",
        )  # fmt: skip
        read_only_fields = ("problem", "proposed_at", "approved", "decided_at", "note", "reopened")


class EvidenceSerializer(serializers.Serializer[Any]):
    """What the labels say about a key."""

    final_answers = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many solutions end with each answer."
    )
    correct_elsewhere = serializers.IntegerField(help_text="Labels that call a solution with another answer correct.")
    incorrect_with_key = serializers.IntegerField(help_text="Labels that call a solution with the key incorrect.")
    reports = serializers.IntegerField(help_text="Open reports that the key or the problem is wrong.")


class KeySerializer(serializers.Serializer[Any]):
    """The key and the standing in force, how they came about, and what speaks for or against them."""

    accepted = serializers.ListField(child=serializers.CharField(), source="answer_key")
    standing = serializers.ChoiceField(Standing.choices)
    versions = AnswerKeySerializer(many=True, source="answer_keys")
    evidence = serializers.SerializerMethodField()

    def get_evidence(self, problem: Problem) -> EvidenceSerializer:
        """Counted from the labels now."""
        return EvidenceSerializer(keys.evidence(problem)).data  # type: ignore[return-value]


@extend_schema(tags=["keys"])
class Proposals(ListAPIView[KeyProposal]):
    """The proposals of a campaign: those that wait first, then the newest."""

    permission_classes = (LeadsOnly,)
    serializer_class = KeyProposalSerializer
    queryset = KeyProposal.objects.none()
    truth_filters = {"approved": "approved"}

    def get_queryset(self) -> QuerySet[KeyProposal]:
        """Those of one campaign."""
        rows = ROWS.filter(problem__project=project_for(person(self.request), self.kwargs["slug"]))
        return rows.order_by(F("approved").asc(nulls_first=True), "-pk")


@extend_schema(tags=["keys"], examples=[EXAMPLE])
class Key(GenericAPIView[KeyProposal]):
    """A problem's key."""

    permission_classes = (LeadsOnly,)
    serializer_class = KeyProposalSerializer
    queryset = KeyProposal.objects.none()

    @extend_schema(responses=KeySerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The key in force, and what the labels say about it."""
        return Response(KeySerializer(self._problem(slug, pk)).data)

    @extend_schema(responses={201: KeyProposalSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Propose another key or standing; without the rule of a second approval it is in force at once."""
        problem = self._problem(slug, pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        row = keys.propose(problem, person(request), **serializer.validated_data)
        return Response(self.get_serializer(ROWS.get(pk=row.pk)).data, status=201)

    def _problem(self, slug: str, pk: int) -> Problem:
        rows = Problem.objects.prefetch_related("answer_keys", "solutions")
        return get_object_or_404(rows, project=project_for(person(self.request), slug), pk=pk)


class KeyDecisionSerializer(serializers.Serializer[Any]):
    approved = serializers.BooleanField()
    note = Words(max_length=5_000)


@extend_schema(tags=["keys"])
class DecideKey(GenericAPIView[KeyProposal]):
    """Approving or refusing."""

    permission_classes = (LeadsOnly,)
    serializer_class = KeyDecisionSerializer
    queryset = KeyProposal.objects.none()

    @extend_schema(responses={200: KeyProposalSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Approve or refuse a proposal. 409: it is decided already, or it is your own and needs another lead."""
        row = get_object_or_404(ROWS.filter(problem__project=project_for(person(request), slug)), pk=pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, keys.CannotDecideKey):
            keys.decide_proposal(row, person(request), **serializer.validated_data)
        return Response(KeyProposalSerializer(ROWS.get(pk=pk)).data)
