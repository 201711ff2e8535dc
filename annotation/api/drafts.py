"""What is typed before submitting, kept on the server; one's own alone."""

import json
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import drafts
from annotation.access import person
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.labelling import slot_for
from annotation.assignments import is_member, renew
from annotation.models import Assignment, Draft

LARGEST_DRAFT = 200_000


class DraftSerializer(serializers.Serializer[Any]):
    """What is kept; version 0 is no draft. `lease_ends_at` is null when the item is not held any more."""

    version = serializers.IntegerField()
    content = serializers.DictField(child=serializers.CharField(allow_blank=True))
    lease_ends_at = serializers.DateTimeField(allow_null=True)


class TypedSerializer(serializers.Serializer[Any]):
    """What was typed, by the names that a label has."""

    content = serializers.DictField(child=serializers.CharField(allow_blank=True, trim_whitespace=False))
    base = serializers.IntegerField(min_value=0, help_text="The version it was typed on top of; 0: there was none.")
    key = serializers.UUIDField(
        allow_null=True, default=None, help_text="That of the label; a draft that comes after its label is let go."
    )

    def validate_content(self, content: dict[str, str]) -> dict[str, str]:
        """As the page has it."""
        if len(json.dumps(content).encode()) > LARGEST_DRAFT:
            raise serializers.ValidationError(_("This draft is too large to be kept."))
        return content


@extend_schema(tags=["labelling"])
class OwnDraft(GenericAPIView[Draft]):
    """One's own draft."""

    serializer_class = TypedSerializer
    queryset = Draft.objects.none()

    @extend_schema(responses=DraftSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Your own draft of the item; it is kept when the item has gone to somebody else as well."""
        slot = self._slot(pk)
        return _kept(drafts.draft_of(person(request), slot.solution), slot if _holds(slot, request) else None)

    @extend_schema(responses={200: DraftSerializer, 409: ErrorSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Keep what is typed, and the lease with it. 409: another client has saved since; get its draft first."""
        slot = self._slot(pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, drafts.DraftConflict, field="base"):
            draft = drafts.save(person(request), slot.solution, **serializer.validated_data)
        return _kept(draft, renew(slot, person(request)))

    def _slot(self, pk: int) -> Assignment:
        slot = slot_for(self.request, pk)
        if not is_member(person(self.request), slot.solution.problem.project):
            raise PermissionDenied
        return slot


def _holds(slot: Assignment, request: Request) -> bool:
    return slot.annotator_id == person(request).pk and slot.submitted_at is None


def _kept(draft: Draft | None, held: Assignment | None) -> Response:
    found = {"version": draft.version if draft else 0, "content": draft.content if draft else {}}
    return Response(DraftSerializer(found | {"lease_ends_at": held.lease_ends_at if held else None}).data)
