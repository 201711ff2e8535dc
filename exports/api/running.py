"""Having a judge model asked, and reading its answers: tags, and doubts of gold."""

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import person
from annotation.api.errors import Conflict, ErrorSerializer, Invalid, refused_as
from annotation.api.jobs import JobSerializer, started
from annotation.permissions import LeadsOnly
from exports import comparisons
from exports.api.checking import run_for
from exports.api.releases import release_for
from exports.api.shapes import GradingSerializer, TagSerializer, TagsSerializer
from exports.folder import FolderError
from exports.judge_prompts import PRESETS
from exports.judge_runs import CannotRun
from exports.judging import NameTaken, check_name
from exports.models import JudgeRun, JudgeVerdict
from exports.releases import CannotFreeze
from exports.running import foreseen
from exports.tasks import start_run


class RunOptionsSerializer(GradingSerializer):
    """How a model is asked; its endpoint is set on the server."""

    name = serializers.CharField(max_length=120, help_text="The judge, as it shall stand in the table.")
    model = serializers.CharField(max_length=200)
    preset = serializers.ChoiceField([(name, name) for name in PRESETS])
    step_tag = serializers.CharField(
        max_length=40, allow_blank=True, default="", trim_whitespace=False,
        help_text="What a reward model scores: the mark behind each step; empty: <extra_0>.",
    )  # fmt: skip
    shots = serializers.IntegerField(min_value=0, max_value=8, default=0, help_text="Demonstrations in the prompt.")
    samples = serializers.IntegerField(min_value=1, max_value=16, default=1, help_text="Decided by majority.")
    temperature = serializers.FloatField(min_value=0, max_value=2, default=0)
    top_p = serializers.FloatField(min_value=0, max_value=1, allow_null=True, default=None)
    api = serializers.ChoiceField(
        ["chat", "responses"], default="chat", help_text="Chat takes over where it is missing."
    )
    max_tokens = serializers.IntegerField(min_value=1, allow_null=True, default=None)
    seed = serializers.IntegerField(min_value=0, allow_null=True, default=0)
    price_in = serializers.FloatField(
        min_value=0, allow_null=True, default=None, help_text="Of a million prompt tokens; with `price_out`."
    )
    price_out = serializers.FloatField(min_value=0, allow_null=True, default=None)
    grader = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="Model that compares the reasons; empty: none does."
    )
    dry_run = serializers.BooleanField(default=False, help_text="Only estimate what it would ask.")

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """As the page has it."""
        data = super().validate(data)
        data["how"] = asdict(data["how"])
        if (data["price_in"] is None) != (data["price_out"] is None):
            raise serializers.ValidationError({"price_out": _("Give both prices or neither.")})
        return data


class EstimateSerializer(serializers.Serializer[Any]):
    """What a run would ask, and what of it is paid for already."""

    requests = serializers.IntegerField()
    cached = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField(help_text="Estimated from the length of the prompts.")
    completion_tokens = serializers.IntegerField(help_text="Assumed: the limit, at most some hundreds a reply.")
    cost = serializers.FloatField(allow_null=True)
    label_balance = serializers.DictField(help_text="How many demonstrations have which label.")


@extend_schema(tags=["judges"])
class RunModel(GenericAPIView[JudgeRun]):
    """Running a model."""

    permission_classes = (LeadsOnly,)
    serializer_class = RunOptionsSerializer
    queryset = JudgeRun.objects.none()

    @extend_schema(responses={202: JobSerializer, 200: EstimateSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Ask a model and grade it, as a job (202), or with `dry_run` only estimate (200). 409: the name is taken."""
        release = release_for(request, slug, version)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        options = dict(serializer.validated_data)
        name, dry_run = options.pop("name"), options.pop("dry_run")
        with refused_as(Conflict, NameTaken, field="name"), refused_as(Conflict, CannotFreeze, FolderError):
            check_name(release, name)
            with refused_as(Invalid, CannotRun):
                told = foreseen(release, options)
            return Response(told) if dry_run else started(start_run(release, person(request), name, options))


class AnswerView(APIView):
    """Something about one answer of a judge."""

    permission_classes = (LeadsOnly,)

    def verdict(self, slug: str, version: str, pk: int, item_id: str) -> JudgeVerdict:
        """The answer, if this person may see it."""
        rows = JudgeVerdict.objects.select_related("run__release__project", "item").prefetch_related("tags")
        return get_object_or_404(rows, run=run_for(self.request, slug, version, pk), item__item_id=item_id)


@extend_schema(tags=["judges"])
class Tags(AnswerView):
    """Tagging."""

    @extend_schema(request=TagSerializer, responses=TagsSerializer)
    def post(self, request: Request, slug: str, version: str, pk: int, item_id: str) -> Response:
        """Put a word on an answer; the same word again takes it off. The answer lists the words it has now."""
        verdict = self.verdict(slug, version, pk, item_id)
        sent = TagSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        comparisons.tag(verdict, sent.validated_data["tag"], person(request))
        return Response(TagsSerializer(self.verdict(slug, version, pk, item_id)).data)


@extend_schema(tags=["judges"])
class Doubt(AnswerView):
    """Doubting gold."""

    @extend_schema(request=None, responses={204: None, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str, pk: int, item_id: str) -> Response:
        """Send the item to adjudication again; this release stays as it is. 409: it waits there already."""
        if comparisons.doubt_gold(self.verdict(slug, version, pk, item_id), person(request)) is None:
            raise Conflict(_("This item waits for adjudication already."))
        return Response(status=204)
