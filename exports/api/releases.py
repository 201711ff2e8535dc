"""Freezing, verifying and downloading releases."""

from typing import Any

from django.db.models import Count, QuerySet
from django.http import FileResponse, Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, Invalid, refused_as
from annotation.api.jobs import JobSerializer, started
from annotation.permissions import LeadsOnly
from exports.api.shapes import FormatSerializer, FreezeSerializer, ReleaseSerializer, VerifiedSerializer
from exports.downloads import DOWNLOADS, HALVES, file_name, format_file_name, in_format, open_file, packed
from exports.folder import ITEMS, MANIFEST, FolderError
from exports.formats import FORMATS
from exports.models import Release
from exports.releases import CannotFreeze, tampering
from exports.tasks import start_freezing

TEXTS = ("manifest_text", "votes_text", "left_out_text")
EXAMPLE = OpenApiExample("Freeze", request_only=True, value={"version": "1.0.0", "notes": "First release."})


def release_for(request: Request, slug: str, version: str) -> Release:
    """The release of that version, if this person may see it."""
    found = Release.objects.select_related("project").filter(project=project_for(person(request), slug))
    row = found.filter(version=version).first()
    if row is None:
        raise Http404
    return row


class ReleaseRows(GenericAPIView[Release]):
    """The releases of one campaign, without their long texts."""

    permission_classes = (LeadsOnly,)
    serializer_class = ReleaseSerializer
    queryset = Release.objects.none()

    def get_queryset(self) -> QuerySet[Release]:
        """Newest first, with the number of items."""
        rows = Release.objects.filter(project=project_for(person(self.request), self.kwargs["slug"]))
        return rows.annotate(n=Count("items")).select_related("frozen_by").defer(*TEXTS).order_by("-pk")


@extend_schema(tags=["releases"], examples=[EXAMPLE])
class Releases(ReleaseRows, ListAPIView[Release]):
    """The releases of a campaign, newest first."""

    @extend_schema(request=FreezeSerializer, responses={202: JobSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Freeze what is decided as a new version, as a job. 409: the version exists, or nothing is decided."""
        project = project_for(person(request), slug)
        serializer: BaseSerializer[Any] = FreezeSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, CannotFreeze, field="version"):
            return started(start_freezing(project, person(request), **serializer.validated_data))


@extend_schema(tags=["releases"])
class OneRelease(ReleaseRows, RetrieveAPIView[Release]):
    """One release."""

    lookup_field = "version"


@extend_schema(tags=["releases"])
class Verify(APIView):
    """Verifying."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses=VerifiedSerializer)
    def post(self, request: Request, slug: str, version: str) -> Response:
        """Check the release's folder and rows against their hashes."""
        faults = tampering(release_for(request, slug, version))
        return Response({"intact": not faults, "faults": faults})


class AnyType(BaseContentNegotiation):
    """A file is what it is, whatever the client would rather have."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The first that is there."""
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The one for errors."""
        return renderers[0], renderers[0].media_type


class FileView(APIView):
    """Hands out a file of a release."""

    permission_classes = (LeadsOnly,)
    content_negotiation_class = AnyType


def _file(stream: Any, name: str, content_type: str) -> FileResponse:
    return FileResponse(stream, as_attachment=True, filename=name, content_type=content_type)


LINES = "application/jsonl"
JSON = "application/json"


@extend_schema(tags=["releases"])
class Manifest(FileView):
    """The manifest."""

    @extend_schema(responses={(200, JSON): OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, version: str) -> HttpResponse:
        """Counts, policy, agreement, and the hash of every item and file, byte for byte as frozen."""
        return HttpResponse(release_for(request, slug, version).manifest_text, content_type=JSON)


@extend_schema(tags=["releases"])
class Items(FileView):
    """The items."""

    @extend_schema(responses={(200, LINES): OpenApiTypes.STR, 409: ErrorSerializer})
    def get(self, request: Request, slug: str, version: str) -> FileResponse:
        """The items with their gold labels, one JSON object a line, byte for byte as frozen."""
        row = release_for(request, slug, version)
        with refused_as(Conflict, CannotFreeze, FolderError):
            return _file(open_file(row, ITEMS), file_name(row, ITEMS), LINES)


@extend_schema(tags=["releases"], parameters=[OpenApiParameter("name", location="path", enum=DOWNLOADS)])
class OneFile(FileView):
    """A file of the folder."""

    @extend_schema(responses={(200, LINES): OpenApiTypes.STR, 409: ErrorSerializer})
    def get(self, request: Request, slug: str, version: str, name: str) -> FileResponse:
        """One file of the release's folder, byte for byte."""
        row = release_for(request, slug, version)
        if name not in DOWNLOADS:
            raise Http404
        with refused_as(Conflict, CannotFreeze, FolderError):
            return _file(open_file(row, name), file_name(row, name), JSON if name == MANIFEST else LINES)


@extend_schema(tags=["releases"])
class Folder(FileView):
    """The folder."""

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY, 409: ErrorSerializer})
    def get(self, request: Request, slug: str, version: str) -> FileResponse:
        """The whole folder as a ZIP file, for `stepmark grade`."""
        row = release_for(request, slug, version)
        with refused_as(Conflict, CannotFreeze, FolderError):
            return _file(packed(row), f"{slug}-{version}.zip", "application/zip")


@extend_schema(tags=["releases"])
class Formats(APIView):
    """The formats."""

    permission_classes = (LeadsOnly,)

    @extend_schema(responses=FormatSerializer(many=True))
    def get(self, request: Request, slug: str, version: str) -> Response:
        """The formats a release can be downloaded in."""
        release_for(request, slug, version)
        return Response([{"name": name} for name in FORMATS])


@extend_schema(
    tags=["releases"],
    parameters=[
        OpenApiParameter("name", location="path", enum=list(FORMATS)),
        OpenApiParameter("half", enum=HALVES, description="Only the public or the private half of the problems."),
    ],
)
class InFormat(FileView):
    """The release in a format."""

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str, version: str, name: str) -> FileResponse:
        """The release in one of the formats that evaluation pipelines read."""
        row = release_for(request, slug, version)
        half = request.query_params.get("half", "")
        if name not in FORMATS:
            raise Http404
        if half not in ("", *HALVES):
            raise Invalid(f"half is one of {', '.join(HALVES)}.", "half")
        with refused_as(Conflict, CannotFreeze, FolderError):
            return _file(in_format(row, name, half), format_file_name(row, name, half), "application/octet-stream")
