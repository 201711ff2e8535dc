"""Comparing judges on the same items, down to the items that differ."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation.api.errors import Invalid
from annotation.permissions import LeadsOnly
from exports import comparisons
from exports.api.releases import release_for
from exports.comparisons import MOST_RUNS
from exports.flips import FLIPS, RIGHT
from exports.models import JudgeRun, Release, ReleaseItem, RunComparison
from exports.tasks import compare_judges


class RunsSerializer(serializers.Serializer[Any]):
    runs = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=2, max_length=MOST_RUNS,
        help_text="Ids of the runs; each is compared with the first.",
    )  # fmt: skip
    references = serializers.ListField(
        child=serializers.IntegerField(min_value=1), default=list, max_length=MOST_RUNS,
        help_text="Those of them whose judges cannot have seen the release; gaps of others are held against theirs.",
    )  # fmt: skip

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        """References are among the runs."""
        for place, pk in enumerate(data["references"]):
            if pk not in data["runs"]:
                raise serializers.ValidationError({"references": {str(place): f"Run {pk} is not among the runs."}})
        return data


class ComparisonInListSerializer(serializers.ModelSerializer[RunComparison]):
    """A kept comparison. `id` is null while it is being computed: ask again."""

    id = serializers.IntegerField(allow_null=True)
    runs = serializers.SerializerMethodField()
    computed_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = RunComparison
        fields = ("id", "runs", "computed_at")

    def get_runs(self, row: RunComparison) -> list[int]:
        """Ids of the runs, in order."""
        return [int(pk) for pk in row.runs.partition("|")[0].split(",")]


class ComparisonSerializer(ComparisonInListSerializer):
    report = serializers.DictField(
        help_text="Leaderboard, differences, flips and power; or `refused` with why the runs cannot be compared."
    )

    class Meta(ComparisonInListSerializer.Meta):
        fields = (*ComparisonInListSerializer.Meta.fields, "report")  # type: ignore[assignment]


@extend_schema(tags=["judges"])
class Comparisons(ListAPIView[RunComparison]):
    """The kept comparisons of a release's judges, newest first."""

    permission_classes = (LeadsOnly,)
    serializer_class = ComparisonInListSerializer
    queryset = RunComparison.objects.none()

    def get_queryset(self) -> QuerySet[RunComparison]:
        """Those of one release."""
        release = release_for(self.request, self.kwargs["slug"], self.kwargs["version"])
        return release.comparisons.defer("report").order_by("-pk")

    @extend_schema(request=RunsSerializer, responses={200: ComparisonSerializer, 202: ComparisonSerializer})
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Compare two or more runs. 200: here it is. 202: it is being computed; send the same again for it."""
        release = release_for(request, slug, version)
        serializer: BaseSerializer[Any] = RunsSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        runs = _runs(release, serializer.validated_data["runs"])
        references = sorted(set(serializer.validated_data["references"]))
        row = comparisons.kept(release, runs, references)
        if row is None:
            compare_judges.enqueue(release.pk, [run.pk for run in runs], references)
            row = comparisons.kept(release, runs, references)
        shown = row or RunComparison(release=release, runs=comparisons.key_of(runs, references), report={})
        return Response(ComparisonSerializer(shown).data, status=200 if row else 202)


def _runs(release: Release, wanted: list[int]) -> list[JudgeRun]:
    found = release.runs.in_bulk(wanted)
    for place, pk in enumerate(wanted):
        if pk not in found:
            raise Invalid(f"This release has no run {pk}.", f"runs.{place}")
    if len(set(wanted)) < len(wanted):
        raise Invalid("Name each run once.", "runs")
    return [found[pk] for pk in wanted]


class ComparisonRows(GenericAPIView[Any]):
    """The comparisons of one release."""

    def rows(self) -> QuerySet[RunComparison]:
        """Those that this person may see."""
        return release_for(self.request, self.kwargs["slug"], self.kwargs["version"]).comparisons.all()


@extend_schema(tags=["judges"])
class OneComparison(ComparisonRows, RetrieveAPIView[RunComparison]):
    """One comparison of judges."""

    permission_classes = (LeadsOnly,)
    serializer_class = ComparisonSerializer
    queryset = RunComparison.objects.none()

    def get_queryset(self) -> QuerySet[RunComparison]:
        """Those of one release."""
        return self.rows()


class FlippedSerializer(serializers.ModelSerializer[ReleaseItem]):
    class Meta:
        model = ReleaseItem
        fields = ("item_id", "subject", "correct", "first_error")


@extend_schema(
    tags=["judges"],
    parameters=[
        OpenApiParameter("kind", required=True, enum=tuple(RIGHT)),
        OpenApiParameter("flip", required=True, enum=FLIPS),
        OpenApiParameter("pair", int, default=0, description="Place of the pair in the report, from 0."),
    ],
)
class Flipped(ComparisonRows, ListAPIView[ReleaseItem]):
    """The items behind a number of the flip ledger of a pair of judges."""

    permission_classes = (LeadsOnly,)
    serializer_class = FlippedSerializer
    queryset = ReleaseItem.objects.none()

    def get_queryset(self) -> QuerySet[ReleaseItem]:
        """Those that the ledger names."""
        row = get_object_or_404(self.rows().select_related("release"), pk=self.kwargs["pk"])
        asked = {"kind": tuple(RIGHT), "flip": FLIPS}
        for name, known in asked.items():
            if self.request.query_params.get(name) not in known:
                raise Invalid(f"{name} is one of {', '.join(known)}.", name)
        kind, flip = (self.request.query_params[name] for name in asked)
        pairs, place = row.report.get("pairs") or [{}], self.request.query_params.get("pair", "0")
        if place not in map(str, range(len(pairs))):
            raise Invalid(f"This comparison has {len(pairs)} pairs, counted from 0.", "pair")
        ids = pairs[int(place)].get("flips", {}).get(kind, {}).get("total", {}).get(flip, [])
        return row.release.items.filter(item_id__in=ids).order_by("position")
