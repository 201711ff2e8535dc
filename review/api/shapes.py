"""Labels, decisions and disputes as JSON; keys are the records' columns."""

from typing import Any

from rest_framework import serializers

from annotation.api.shapes import LONGEST_TEXT, VERDICT_PARTS, SolutionSerializer, VerdictSerializer, Words, verdict_of
from annotation.models import Annotation, Solution
from review.adjudication import Decision
from review.models import AcceptedReason, Adjudication, Cause, Confirmation, Outcome, SampleLook
from review.readers import readers_of


class ReaderSerializer(serializers.Serializer[Any]):
    """One annotator's current label under a number; the numbers tell nothing of who wrote them."""

    number = serializers.IntegerField()
    id = serializers.IntegerField(source="label.pk", help_text="What `adopted` of a decision names.")
    correct = serializers.BooleanField(source="label.correct")
    first_error = serializers.IntegerField(source="label.first_error", allow_null=True)
    placement = serializers.CharField(source="label.placement")
    category = serializers.CharField(source="label.category")
    reason = serializers.CharField(source="label.reason")
    rectified = serializers.CharField(source="label.rectified")


class AcceptedReasonSerializer(serializers.ModelSerializer[AcceptedReason]):
    class Meta:
        model = AcceptedReason
        fields = ("reason", "rectified")


class AdjudicationSerializer(serializers.ModelSerializer[Adjudication]):
    """A stored decision."""

    item_id = serializers.CharField(source="solution.item_id")
    decided_by = serializers.CharField(source="decided_by.username")
    seconds_by = serializers.CharField(source="seconds_by.username", default=None, allow_null=True)
    accepted_reasons = AcceptedReasonSerializer(many=True)

    class Meta:
        model = Adjudication
        fields = (
            "id", "item_id", "outcome", *VERDICT_PARTS, "basis", "adopted", "cause", "clause", "rationale",
            "accepted_reasons", "decided_by", "decided_at", "seconds_by",
        )  # fmt: skip


class DecisionSerializer(VerdictSerializer):
    """A decision. The three questions are answered for gold alone."""

    item_id = serializers.CharField(help_text="The solution that is decided.")
    outcome = serializers.ChoiceField(Outcome.choices, default=Outcome.GOLD)
    correct = serializers.BooleanField(allow_null=True, default=None)
    adopted = serializers.IntegerField(allow_null=True, default=None, help_text="The annotator's label it rests on.")
    cause = serializers.ChoiceField([("", ""), *Cause.choices], default="", help_text="Why they differed.")
    clause = Words(max_length=120, help_text="Clause of the guideline that needs work.")
    rationale = Words(max_length=LONGEST_TEXT, help_text="Needed when everyone is overruled, and to discard.")
    seen = serializers.IntegerField(
        allow_null=True, default=None,
        help_text="The standing decision you have seen (`decision.id`); null when there was none.",
    )  # fmt: skip

    missing_labels = serializers.IntegerField(
        min_value=0, default=0,
        help_text="How many wanted labels you know to be missing; a decision without them needs the exact number.",
    )  # fmt: skip

    def decision(self, adopted: Annotation | None) -> Decision:
        """What the rule takes."""
        data = self.validated_data
        outcome = Outcome(data["outcome"])
        verdict = verdict_of(data) if outcome == Outcome.GOLD else None
        why = {name: data[name] for name in ("cause", "clause", "rationale", "seen", "missing_labels")}
        return Decision(outcome, verdict, adopted if verdict else None, **why)


class DisputeSerializer(SolutionSerializer):
    """A disputed solution with what its annotators said and the decision that keeps it open, if any."""

    opinions = serializers.IntegerField(help_text="How many different places the labels name.")
    labels = serializers.SerializerMethodField()
    decision = serializers.SerializerMethodField()

    class Meta(SolutionSerializer.Meta):
        fields = (*SolutionSerializer.Meta.fields, "opinions", "labels", "decision")  # type: ignore[assignment]

    def get_labels(self, solution: Solution) -> ReaderSerializer:
        """Every current label."""
        readers = readers_of(solution, self.context["labels"][solution.pk])
        return ReaderSerializer(readers, many=True).data  # type: ignore[return-value]

    def get_decision(self, solution: Solution) -> AdjudicationSerializer:
        """The standing decision; its id is the `seen` of the next one."""
        standing = self.context["decisions"].get(solution.pk)
        return AdjudicationSerializer(standing).data if standing else None  # type: ignore[return-value]


class SaidSerializer(serializers.Serializer[Any]):
    """What was said and decided of one solution."""

    item_id = serializers.CharField()
    labels = ReaderSerializer(many=True)
    decisions = AdjudicationSerializer(many=True, help_text="Newest first.")


class LookSerializer(serializers.ModelSerializer[SampleLook]):
    item_id = serializers.CharField(source="solution.item_id", read_only=True)
    finding = serializers.ChoiceField(SampleLook.Finding.choices)

    class Meta:
        model = SampleLook
        fields = ("id", "item_id", "finding", "looked_at")
        read_only_fields = ("looked_at",)


class ConfirmationSerializer(serializers.ModelSerializer[Confirmation]):
    """The sample that has to be looked at before the consensus is confirmed; `finding` is empty until then."""

    looks = LookSerializer(many=True)

    class Meta:
        model = Confirmation
        fields = ("id", "seed", "created_at", "looks")


class ConsensusSerializer(serializers.Serializer[Any]):
    agreed = serializers.IntegerField(help_text="Solutions all annotators agree on, not yet decided.")
    confirmation = ConfirmationSerializer(allow_null=True)
