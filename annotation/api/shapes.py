"""The shape of a verdict and of what is read, as JSON; keys are the records' columns."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import AnswerKey, Problem, Solution, Step, Verdict
from annotation.verdicts import Verdict as VerdictParts

LONGEST_TEXT = 20_000
VERDICT_PARTS = ("correct", "first_error", "placement", "category", "reason", "rectified")


class Words(serializers.CharField):
    """A text kept as it is written, blanks at its ends included; absent is empty."""

    def __init__(self, **kwargs: Any) -> None:
        limits = {"allow_blank": True, "trim_whitespace": False, "max_length": LONGEST_TEXT}
        super().__init__(**({} if kwargs.get("required") else {"default": ""}) | limits | kwargs)


class VerdictSerializer(serializers.Serializer[Any]):
    """The three questions: is it correct, which step is the first erroneous one (0-based), and why."""

    correct = serializers.BooleanField()
    first_error = serializers.IntegerField(allow_null=True, default=None, help_text="0-based position of the step.")
    placement = serializers.ChoiceField(Verdict.Placement.choices, default=Verdict.Placement.AT)
    category = Words(max_length=60)
    reason = Words()
    rectified = Words()


def verdict_of(data: dict[str, Any]) -> VerdictParts:
    """The verdict in what a serialiser has validated. Raises: VerdictError."""
    return VerdictParts.from_mapping({name: data.get(name) for name in VERDICT_PARTS})


class Options(serializers.ListField):
    """The choices of a problem, each with its label and text."""

    child = serializers.DictField(child=serializers.CharField())


class StepReadingSerializer(serializers.ModelSerializer[Step]):
    name = serializers.CharField(read_only=True, help_text="What people call the step.")

    class Meta:
        model = Step
        fields = ("position", "label", "kind", "name", "text")


class ProblemReadingSerializer(serializers.ModelSerializer[Problem]):
    """A problem as its project shows it to annotators; what the policy hides is null."""

    options = Options()
    answer_key = serializers.SerializerMethodField()
    reference_solution = serializers.SerializerMethodField()

    class Meta:
        model = Problem
        fields = ("id", "subject", "level", "question", "options", "text_format", "answer_key", "reference_solution")

    @extend_schema_field(serializers.ListField(child=serializers.CharField(), allow_null=True))
    def get_answer_key(self, problem: Problem) -> list[str] | None:
        """The accepted answers, if the policy shows them."""
        return problem.answer_key if problem.project.show_answer_key else None

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_reference_solution(self, problem: Problem) -> str | None:
        """The reference solution, if the policy shows it."""
        return problem.reference_solution if problem.project.show_reference else None


class SolutionReadingSerializer(serializers.ModelSerializer[Solution]):
    """A solution as an annotator reads it: nothing that tells where it comes from or what was said of it."""

    problem = ProblemReadingSerializer()
    steps = StepReadingSerializer(many=True)
    final_answer = serializers.SerializerMethodField()
    answer_agrees = serializers.SerializerMethodField()

    class Meta:
        model = Solution
        fields = ("item_id", "problem", "steps", "final_answer", "answer_agrees")

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_final_answer(self, solution: Solution) -> str | None:
        """What the solution ends with, where the key is shown."""
        return solution.final_answer if solution.problem.project.show_answer_key else None

    @extend_schema_field(serializers.BooleanField(allow_null=True))
    def get_answer_agrees(self, solution: Solution) -> bool | None:
        """Whether that is the key's answer, where the key is shown and it can be told."""
        return solution.answer_agrees if solution.problem.project.show_answer_key else None


class AnswerKeySerializer(serializers.ModelSerializer[AnswerKey]):
    accepted = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = AnswerKey
        fields = ("version", "accepted", "reason", "created_at")


class ProblemSerializer(serializers.ModelSerializer[Problem]):
    """A problem as leads see it, with every version of its answer key."""

    options = Options()
    answer_key = serializers.ListField(child=serializers.CharField())
    answer_keys = AnswerKeySerializer(many=True)

    class Meta:
        model = Problem
        fields = (
            "id", "source", "external_id", "subject", "level", "question", "options", "text_format", "standing",
            "answer_key", "answer_keys", "reference_solution", "extra",
        )  # fmt: skip


class StepSerializer(StepReadingSerializer):
    class Meta(StepReadingSerializer.Meta):
        fields = (*StepReadingSerializer.Meta.fields, "start", "end")  # type: ignore[assignment]


class SolutionSerializer(serializers.ModelSerializer[Solution]):
    """A solution as leads see it, its text byte for byte."""

    problem = ProblemSerializer()
    steps = StepSerializer(many=True)

    class Meta:
        model = Solution
        fields = (
            "item_id", "sampled_from", "ordinal", "problem", "steps", "raw_text", "final_answer", "provenance",
            "settled_at",
        )  # fmt: skip
