"""Releases, runs and judges' verdicts as JSON; keys are the records' columns."""

import math
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.api.shapes import VERDICT_PARTS, Words
from exports.how_graded import PARSER_NAMES, HowGraded
from exports.models import JudgeRun, JudgeVerdict, Release, ReleaseItem
from exports.releases import VERSION
from exports.step_scores import DEFAULT_THRESHOLD
from review.forms import LARGEST_UPLOAD


class FreezeSerializer(serializers.Serializer[Any]):
    version = serializers.RegexField(
        rf"^{VERSION.pattern}\Z", help_text="As 1.0.0; it never changes afterwards.",
        error_messages={"invalid": gettext_lazy("A version has letters, digits, dots and dashes, as 1.0.0 has.")},
    )  # fmt: skip
    notes = Words()


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    """A frozen release; its manifest tells what is in it."""

    items = serializers.IntegerField(source="n", help_text="How many items it has.")
    frozen_by = serializers.CharField(source="frozen_by.username")

    class Meta:
        model = Release
        fields = ("version", "notes", "content_hash", "items", "frozen_by", "frozen_at")


class VerifiedSerializer(serializers.Serializer[Any]):
    intact = serializers.BooleanField()
    faults = serializers.ListField(child=serializers.CharField(), help_text="What is not as frozen, one sentence each.")


class FormatSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()


class GradingSerializer(serializers.Serializer[Any]):
    """How answers are graded: `how` of the validated data."""

    parser = serializers.ChoiceField(
        PARSER_NAMES, default="stepmark", help_text="Of raw replies; an official one reads as that benchmark's script."
    )
    threshold = serializers.FloatField(
        default=DEFAULT_THRESHOLD, help_text="A step is wrong when its score is not above it."
    )
    tune = serializers.BooleanField(
        default=False, help_text="Tune the threshold on the dev split; its problems are then left out of the figures."
    )
    votes = serializers.ChoiceField([1, 3, 5], default=1, help_text="Of the model on each reason; the majority counts.")
    self_checks = serializers.IntegerField(
        min_value=0, max_value=200, default=0, help_text="Reasons asked about again, as decoys and in another order."
    )

    def validate_threshold(self, value: float) -> float:
        """A number."""
        if not math.isfinite(value):
            raise serializers.ValidationError(_("Give a finite number."))
        return value

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """Gather it."""
        return data | {"how": HowGraded.out_of(data)}


class AnswersSerializer(GradingSerializer):
    base = serializers.ChoiceField(
        (0, 1), allow_null=True, default=None, help_text="From where numbers of steps count; else as printed."
    )
    name = serializers.CharField(max_length=120, help_text="The judge, as it shall stand in the table.")
    answers = serializers.FileField(help_text="JSON lines, one answer an item.")
    people = serializers.FileField(
        required=False, default=None, help_text="People's verdicts on the reasons, JSON lines with id and same."
    )
    model = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="Model that compares the reasons; not beside people."
    )

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """As the page has it."""
        data = super().validate(data)
        for part in ("answers", "people"):
            if data[part] and data[part].size > LARGEST_UPLOAD:
                raise serializers.ValidationError(
                    {part: _("The file is too large; grade it with the stepmark command.")}
                )
        if data["people"] and data["model"]:
            raise serializers.ValidationError({"model": _("Give people’s verdicts or a model, not both.")})
        return data


class RunSerializer(serializers.ModelSerializer[JudgeRun]):
    """A judge's run; `headline` metrics are in its report."""

    graded_by = serializers.CharField(source="graded_by.username")
    options = serializers.SerializerMethodField(help_text="How it was graded, and how far people checked its reasons.")

    class Meta:
        model = JudgeRun
        fields = ("id", "name", "answers_sha256", "options", "graded_by", "created_at")

    def get_options(self, run: JudgeRun) -> dict[str, Any]:
        """As stored at grading, with the standing of today."""
        stored: dict[str, Any] = run.options
        return stored | {"trust": {"status": run.trust["status"]}} if run.trust else stored


class RunReportSerializer(RunSerializer):
    report = serializers.DictField(
        source="checked_report", help_text="The report as `stepmark grade --json` prints it."
    )

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "report")  # type: ignore[assignment]


class GoldSerializer(serializers.ModelSerializer[ReleaseItem]):
    class Meta:
        model = ReleaseItem
        fields = VERDICT_PARTS


class TagSerializer(serializers.Serializer[Any]):
    tag = serializers.CharField(max_length=60)


class TagsSerializer(serializers.ModelSerializer[JudgeVerdict]):
    tags = serializers.SlugRelatedField[Any](many=True, read_only=True, slug_field="tag")

    class Meta:
        model = JudgeVerdict
        fields = ("tags",)


class JudgeVerdictSerializer(serializers.ModelSerializer[JudgeVerdict]):
    """What a judge said of one item, beside what gold says; `correct` is null without a usable answer."""

    item_id = serializers.CharField(source="item.item_id")
    subject = serializers.CharField(source="item.subject")
    gold = GoldSerializer(source="item")
    flags = serializers.ListField(child=serializers.CharField())
    tags = serializers.SlugRelatedField[Any](many=True, read_only=True, slug_field="tag")

    class Meta:
        model = JudgeVerdict
        fields = (
            "item_id", "subject", "status", "flags", *VERDICT_PARTS, "confidence", "reason_same",
            "reason_explanation", "raw", "gold", "tags",
        )  # fmt: skip
