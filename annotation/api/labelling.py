"""Claiming work, submitting and revising labels, passing an item by."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from annotation import reports
from annotation.access import person, project_for, visible_projects
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.items import SOLUTIONS
from annotation.api.shapes import VERDICT_PARTS, SolutionReadingSerializer, VerdictSerializer, Words, verdict_of
from annotation.assignments import GuidelineUnread, NothingOpen, claim_next, release
from annotation.models import Annotation, Assignment, Report, ReportKind, StepLabel, StepValue
from annotation.submission import LeaseLost, Settled, Submission, revise, submit

LABEL = {
    "key": "1f0e6a52-6d5c-4a9c-9a53-0e5b8f3f7c11", "correct": False, "first_error": 1, "placement": "at",
    "category": "calculation", "reason": "7 times 8 is 56, not 54.", "rectified": "7 × 8 = 56", "active_seconds": 95,
}  # fmt: skip
EXAMPLES = [
    OpenApiExample("The second step is wrong", request_only=True, value=LABEL),
    OpenApiExample("All steps are right", request_only=True, value={"key": LABEL["key"], "correct": True}),
]
LABELS = Annotation.objects.select_related("assignment__solution__problem__project", "guideline").prefetch_related(
    "step_labels"
)


class StepLabelSerializer(serializers.ModelSerializer[StepLabel]):
    value = serializers.ChoiceField(StepValue.choices)

    class Meta:
        model = StepLabel
        fields = ("position", "value")


class SubmissionSerializer(VerdictSerializer):
    """A label. `key` is made by the client, once for each label: the same key sent again is the same label."""

    key = serializers.UUIDField()
    active_seconds = serializers.IntegerField(min_value=0, max_value=86_400, default=0)
    confirm_conflict = serializers.BooleanField(
        default=False, help_text="Correct, although the final answer is not the key's."
    )
    step_labels = StepLabelSerializer(many=True, required=False, help_text="Where the project labels every step.")

    def submission(self) -> Submission:
        """What the rule takes."""
        data = self.validated_data
        steps = {row["position"]: row["value"] for row in data.get("step_labels", ())}
        return Submission(data["key"], verdict_of(data), data["active_seconds"], data["confirm_conflict"], steps)


class AnnotationSerializer(serializers.ModelSerializer[Annotation]):
    """A stored label."""

    project = serializers.SlugField(source="assignment.solution.problem.project.slug")
    item_id = serializers.CharField(source="assignment.solution.item_id")
    guideline = serializers.IntegerField(source="guideline.version", default=None, allow_null=True)
    step_labels = StepLabelSerializer(many=True)

    class Meta:
        model = Annotation
        fields = (
            "id", "project", "item_id", "assignment", "revision", "key", *VERDICT_PARTS, "step_labels",
            "active_seconds", "answer_conflict_confirmed", "guideline", "created_at",
        )  # fmt: skip


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """A leased slot and what is to be read."""

    solution = SolutionReadingSerializer()

    class Meta:
        model = Assignment
        fields = ("id", "lease_ends_at", "solution")


@extend_schema(tags=["labelling"])
class Claim(APIView):
    """Getting work."""

    @extend_schema(request=None, responses={200: AssignmentSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Lease the next solution, or get the one you hold. 409 says why nothing is open, and what to do."""
        project = project_for(person(request), slug)
        with refused_as(Conflict, NothingOpen, GuidelineUnread):
            slot = claim_next(person(request), project)
        slot.solution = SOLUTIONS.get(pk=slot.solution_id)
        return Response(AssignmentSerializer(slot).data)


def slot_for(request: Request, pk: int) -> Assignment:
    """The slot, if this person may see its campaign."""
    visible = Assignment.objects.filter(solution__problem__project__in=visible_projects(person(request)))
    return get_object_or_404(visible.select_related("solution"), pk=pk)


class SubmissionView(GenericAPIView[Annotation]):
    """Takes a label in."""

    serializer_class = SubmissionSerializer
    queryset = Annotation.objects.none()

    def submission(self) -> Submission:
        """The label that was sent."""
        serializer = SubmissionSerializer(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.submission()

    def stored(self, label: Annotation, known: bool) -> Response:
        """The stored label; 201 when this request has stored it."""
        return Response(AnnotationSerializer(LABELS.get(pk=label.pk)).data, status=200 if known else 201)


STORED = {201: AnnotationSerializer, 200: AnnotationSerializer, 409: ErrorSerializer}


@extend_schema(tags=["labelling"], examples=EXAMPLES)
class Submit(SubmissionView):
    """Submitting a label."""

    @extend_schema(responses=STORED)
    def post(self, request: Request, pk: int) -> Response:
        """Submit a label for a leased slot. 200: this key had been stored before, and nothing was changed."""
        slot, wanted = slot_for(request, pk), self.submission()
        known = Annotation.objects.filter(key=wanted.key).exists()
        with refused_as(Conflict, LeaseLost, Settled):
            label = submit(slot.pk, person(request), wanted)
        return self.stored(label, known)


@extend_schema(tags=["labelling"], examples=EXAMPLES)
class Revise(SubmissionView):
    """Revising a label."""

    @extend_schema(responses=STORED)
    def post(self, request: Request, pk: int) -> Response:
        """Store a further revision of your own label, with a new key; the earlier ones are kept."""
        slot, wanted = slot_for(request, pk), self.submission()
        known = Annotation.objects.filter(key=wanted.key).exists()
        own = Assignment.objects.filter(annotator=person(request), submitted_at__isnull=False)
        with refused_as(Conflict, Settled):
            label = revise(get_object_or_404(own, pk=slot.pk).pk, person(request), wanted)
        return self.stored(label, known)


class SkipSerializer(serializers.Serializer[Any]):
    reason = Words(required=True, max_length=500)


class ReportSerializer(serializers.ModelSerializer[Report]):
    kind = serializers.ChoiceField(ReportKind.choices)
    comment = Words(required=True)

    class Meta:
        model = Report
        fields = ("id", "kind", "comment", "created_at")


class HeldView(GenericAPIView[Any]):
    """Does something with an item this person holds."""

    queryset = Assignment.objects.none()

    def held(self, pk: int) -> tuple[Assignment, BaseSerializer[Any]]:
        """The slot this person holds, and what was sent."""
        own = Assignment.objects.filter(annotator=person(self.request), submitted_at=None)
        slot = get_object_or_404(own.select_related("solution"), pk=slot_for(self.request, pk).pk)
        serializer = self.get_serializer(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return slot, serializer


@extend_schema(tags=["labelling"])
class Skip(HeldView):
    """Passing an item by."""

    serializer_class = SkipSerializer

    @extend_schema(responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Give the item back with a reason; it is not offered to you again until a lead takes the skip back."""
        slot, sent = self.held(pk)
        reports.skip(person(request), slot.solution, sent.validated_data["reason"])
        return Response(status=204)


@extend_schema(tags=["labelling"])
class ReportItem(HeldView):
    """Saying that an item is broken."""

    serializer_class = ReportSerializer

    @extend_schema(responses={201: ReportSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Tell the leads what is wrong with the item; it goes back, and is not a label."""
        slot, sent = self.held(pk)
        kind, comment = ReportKind(sent.validated_data["kind"]), sent.validated_data["comment"]
        row = reports.report(person(request), slot.solution, kind, comment)
        return Response(self.get_serializer(row).data, status=201)


@extend_schema(tags=["labelling"])
class GiveBack(APIView):
    """Giving an item back."""

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Give the item back without a word; somebody else, or you, may get it next."""
        release(person(request), slot_for(request, pk).solution)
        return Response(status=204)


@extend_schema(tags=["labelling"])
class OwnAnnotations(ListAPIView[Annotation]):
    """Your own labels with all their revisions, newest first."""

    serializer_class = AnnotationSerializer
    queryset = LABELS
    filters = {"project": "assignment__solution__problem__project__slug", "item_id": "assignment__solution__item_id"}

    def get_queryset(self) -> Any:
        """Nobody else's."""
        return LABELS.filter(assignment__annotator=person(self.request)).order_by("-pk")
