"""Importing a file, or only asking what an import would do."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import person, project_for
from annotation.api.errors import Invalid, refused_as
from annotation.api.jobs import JobSerializer, started
from annotation.models import Project, TextFormat
from annotation.permissions import LeadsOnly
from annotation.sources import SOURCES, SourceError
from annotation.uploads import keep
from review import published
from review.forms import LARGEST_UPLOAD
from review.tasks import start_import


class UploadSerializer(serializers.Serializer[Any]):
    file = serializers.FileField()
    format = serializers.ChoiceField([(name, name) for name in SOURCES])
    labels = serializers.ChoiceField([(name, name) for name in published.LABELS_WANTED], default="ignore")
    text_format = serializers.ChoiceField([("", ""), *TextFormat.choices], default="")
    skip_bad = serializers.BooleanField(default=False, help_text="Leave records with errors out instead of refusing.")
    dry_run = serializers.BooleanField(default=False, help_text="Only report what would happen.")

    def validate_file(self, file: Any) -> Any:
        """As the page has it."""
        if file.size > LARGEST_UPLOAD:
            message = f"The file is larger than {LARGEST_UPLOAD // 2**20} MB; use manage.py import_solutions."
            raise serializers.ValidationError(message)
        return file


class OdditySerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    severity = serializers.ChoiceField([("blocking", "blocking"), ("warning", "warning")])
    record = serializers.CharField()
    field = serializers.CharField()
    message = serializers.CharField()


class ForeseenSerializer(serializers.Serializer[Any]):
    """What an import would do; `refused` says why it would write nothing."""

    refused = serializers.CharField(allow_blank=True)
    records = serializers.IntegerField()
    problems = serializers.IntegerField()
    solutions = serializers.IntegerField()
    known = serializers.IntegerField()
    labels = serializers.IntegerField()
    gold = serializers.IntegerField()
    skipped = serializers.IntegerField()
    oddities = OdditySerializer(many=True)


@extend_schema(tags=["items"])
class Imports(GenericAPIView[Project]):
    """Importing."""

    permission_classes = (LeadsOnly,)
    parser_classes = (MultiPartParser,)
    serializer_class = UploadSerializer
    queryset = Project.objects.none()

    @extend_schema(responses={202: JobSerializer, 200: ForeseenSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Import a file as a job (202), or with `dry_run` report what would happen (200)."""
        project = project_for(person(request), slug)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        wanted = dict(serializer.validated_data)
        file, dry_run = wanted.pop("file"), wanted.pop("dry_run")
        if dry_run:
            return Response(self._foreseen(project, file, wanted))
        return started(start_import(keep(project, file, person(request)), person(request), wanted))

    def _foreseen(self, project: Project, file: Any, wanted: dict[str, Any]) -> dict[str, Any]:
        with refused_as(Invalid, SourceError, field="file"):
            reading = published.read(
                file.read(), file.name, wanted["format"], text_format=wanted["text_format"] or None
            )  # fmt: skip
        report, refused = published.foresee(
            project, reading, person(self.request), labels=wanted["labels"], skip_bad=wanted["skip_bad"]
        )
        return {"refused": refused, **report.as_dict()}
