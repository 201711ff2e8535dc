"""Campaigns: list, set up, change the policy; the guideline."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListCreateAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation import guidelines
from annotation.access import person, project_for, visible_projects
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.shapes import Words
from annotation.forms import ProjectForm
from annotation.models import Guideline, Project, User
from annotation.permissions import LeadsChange
from annotation.projects import PolicyError, change_policy, create_project

EXAMPLE = OpenApiExample(
    "A campaign", request_only=True,
    value={"slug": "physics", "name": "Physics", "members": ["ana", "ben"], "overlap": 2, "min_reason": 15},
)  # fmt: skip


class ProjectSerializer(serializers.ModelSerializer[Project]):
    members = serializers.SlugRelatedField(
        many=True, required=False, slug_field="username",
        queryset=User.objects.filter(is_active=True).order_by("username"),
    )  # fmt: skip
    categories = serializers.ListField(child=serializers.CharField(max_length=60), required=False, allow_empty=False)

    class Meta:
        model = Project
        fields = (*ProjectForm.Meta.fields, "created_at")

    def validate_slug(self, slug: str) -> str:
        """It stands in addresses and in release names."""
        if self.instance and slug != self.instance.slug:
            raise serializers.ValidationError(_("The short name of a project does not change."))
        return slug

    def validate_categories(self, names: list[str]) -> list[str]:
        """As the form has it: each once."""
        if len(set(names)) < len(names):
            raise serializers.ValidationError(_("A category stands here twice."))
        return names

    def create(self, data: dict[str, Any]) -> Project:
        members = data.pop("members", ())
        return create_project(Project(**data), members)

    def update(self, project: Project, data: dict[str, Any]) -> Project:
        members = data.pop("members", None)
        for name, value in data.items():
            setattr(project, name, value)
        by = self.context["request"].user
        return change_policy(project, project.members.all() if members is None else members, by)


class Visible(GenericAPIView[Project]):
    """The campaigns this person has to do with."""

    serializer_class = ProjectSerializer
    permission_classes = (LeadsChange,)
    lookup_field = "slug"
    queryset = Project.objects.none()

    def get_queryset(self) -> QuerySet[Project]:
        """Leads see every campaign, annotators theirs."""
        found: QuerySet[Project] = visible_projects(person(self.request))
        return found.prefetch_related("members").order_by("name", "pk")


@extend_schema(tags=["projects"], examples=[EXAMPLE])
class Projects(Visible, ListCreateAPIView[Project]):
    """The campaigns you have to do with; leads set up further ones."""


@extend_schema(tags=["projects"])
class OneProject(Visible, RetrieveAPIView[Project]):
    """One campaign with its policy."""

    @extend_schema(responses={200: ProjectSerializer, 409: ErrorSerializer})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the policy or the members; what is left out stays. The overlap can only be raised."""
        serializer = self.get_serializer(self.get_object(), data=request.data, partial=True)
        serializer.is_valid(raise_exception=True)
        with refused_as(Conflict, PolicyError, field="overlap"):
            serializer.save()
        return Response(self.get_serializer(self.get_object()).data)


class GuidelineSerializer(serializers.ModelSerializer[Guideline]):
    text = Words(required=True, allow_blank=False, max_length=200_000)
    changes = Words()

    class Meta:
        model = Guideline
        fields = ("version", "text", "changes", "created_at")
        read_only_fields = ("version",)


@extend_schema(tags=["projects"])
class GuidelineInForce(GenericAPIView[Guideline]):
    """The guideline in force."""

    serializer_class = GuidelineSerializer
    permission_classes = (LeadsChange,)
    queryset = Guideline.objects.none()

    def get(self, request: Request, slug: str) -> Response:
        """The guideline in force; 404 while there is none."""
        project = project_for(person(request), slug)
        return Response(self.get_serializer(get_object_or_404(Guideline.objects.filter(project=project)[:1])).data)

    @extend_schema(responses={201: GuidelineSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Put a new version in force; annotators acknowledge it before their next item."""
        serializer: BaseSerializer[Guideline] = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        project, wanted = project_for(person(request), slug), serializer.validated_data
        row = guidelines.publish(project, wanted["text"], wanted["changes"], person(request))
        return Response(self.get_serializer(row).data, status=201)


class VersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=1, help_text="The version that was read.")


@extend_schema(tags=["projects"])
class Acknowledge(GenericAPIView[Guideline]):
    """Acknowledging a guideline."""

    serializer_class = VersionSerializer
    queryset = Guideline.objects.none()

    @extend_schema(responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Say that you have read a version of the guideline."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        versions = Guideline.objects.filter(project=project_for(person(request), slug))
        guidelines.acknowledge(get_object_or_404(versions, **serializer.validated_data), person(request))
        return Response(status=204)
