"""Grading a judge's answers and reading the result down to the items."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation.access import person
from annotation.api.errors import Conflict, ErrorSerializer, Invalid, refused_as
from annotation.api.jobs import JobSerializer, started
from annotation.permissions import LeadsOnly
from exports.api.releases import LINES, FileView, release_for
from exports.api.shapes import AnswersSerializer, JudgeVerdictSerializer, RunReportSerializer, RunSerializer
from exports.folder import FolderError
from exports.judging import FileRefused, NameTaken, answers_of
from exports.models import JudgeRun, JudgeVerdict, Release
from exports.outcomes import OUTCOMES
from exports.releases import CannotFreeze
from exports.tasks import start_grading


@extend_schema(tags=["judges"])
class Runs(ListAPIView[JudgeRun]):
    """The judges graded against a release."""

    permission_classes = (LeadsOnly,)
    parser_classes = (MultiPartParser,)
    serializer_class = RunSerializer
    queryset = JudgeRun.objects.none()

    def get_queryset(self) -> QuerySet[JudgeRun]:
        """Those of one release."""
        release = release_for(self.request, self.kwargs["slug"], self.kwargs["version"])
        return release.runs.select_related("graded_by").defer("report").order_by("name")

    @extend_schema(request=AnswersSerializer, responses={202: JobSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Check a judge's answers at once, then grade them as a job. 409: the name is taken."""
        release = release_for(request, slug, version)
        serializer: BaseSerializer[Any] = AnswersSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, NameTaken, field="name"), refused_as(Conflict, CannotFreeze, FolderError):
            return started(_start(release, request, serializer.validated_data))


def _start(release: Release, request: Request, wanted: dict[str, Any]) -> Any:
    try:
        return start_grading(release, person(request), **wanted)
    except FileRefused as error:
        raise Invalid(str(error), error.field) from error


@extend_schema(tags=["judges"])
class OneRun(RetrieveAPIView[JudgeRun]):
    """One judge's report."""

    permission_classes = (LeadsOnly,)
    serializer_class = RunReportSerializer
    queryset = JudgeRun.objects.none()

    def get_queryset(self) -> QuerySet[JudgeRun]:
        """Those of one release."""
        return release_for(self.request, self.kwargs["slug"], self.kwargs["version"]).runs.select_related("graded_by")


@extend_schema(tags=["judges"])
class RunAnswers(FileView):
    """The answers file."""

    @extend_schema(responses={(200, LINES): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, version: str, pk: int) -> HttpResponse:
        """The answers file that was graded: every raw reply, all ballots, scores of steps, tokens."""
        kept = answers_of(get_object_or_404(release_for(request, slug, version).runs, pk=pk))
        if kept is None:
            raise Http404
        return HttpResponse(bytes(kept.content), content_type=LINES)


@extend_schema(tags=["judges"], parameters=[OpenApiParameter("outcome", enum=list(OUTCOMES))])
class Verdicts(ListAPIView[JudgeVerdict]):
    """What a judge said of each item, beside what gold says, in the order of the release."""

    permission_classes = (LeadsOnly,)
    serializer_class = JudgeVerdictSerializer
    queryset = JudgeVerdict.objects.none()
    filters = {"subject": "item__subject", "status": "status", "item_id": "item__item_id", "tag": "tags__tag"}

    def get_queryset(self) -> QuerySet[JudgeVerdict]:
        """Those of one run, of one outcome if wanted."""
        release = release_for(self.request, self.kwargs["slug"], self.kwargs["version"])
        rows = get_object_or_404(release.runs, pk=self.kwargs["pk"]).verdicts.select_related("item")
        rows = rows.prefetch_related("tags")
        wanted = self.request.query_params.get("outcome")
        if wanted is not None and wanted not in OUTCOMES:
            raise Invalid(f"outcome is one of {', '.join(OUTCOMES)}.", "outcome")
        return (rows.filter(OUTCOMES[wanted][1]) if wanted else rows).order_by("item__position")
