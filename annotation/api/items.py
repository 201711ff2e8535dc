"""Problems and solutions with their steps, as much of them as the reader may see."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView

from annotation.access import person, project_for
from annotation.api.shapes import (
    ProblemReadingSerializer,
    ProblemSerializer,
    SolutionReadingSerializer,
    SolutionSerializer,
)
from annotation.models import AnswerKey, Problem, Solution, Step

PROBLEM = PolymorphicProxySerializer(
    "ProblemAsSeen", [ProblemReadingSerializer, ProblemSerializer], resource_type_field_name=None
)
SOLUTION = PolymorphicProxySerializer(
    "SolutionAsSeen", [SolutionReadingSerializer, SolutionSerializer], resource_type_field_name=None
)
KEYS = AnswerKey.objects.order_by("version")
SOLUTIONS = Solution.objects.select_related("problem__project").prefetch_related(
    Prefetch("steps", Step.objects.order_by("position")), Prefetch("problem__answer_keys", KEYS)
)


class Seen(GenericAPIView[Any]):
    """Rows of one campaign; an annotator has those of the solutions they hold or have labelled."""

    def leads(self) -> bool:
        """Whether the reader may see everything."""
        return person(self.request).leads


class SeenProblems(Seen):
    """The problems this person may read."""

    queryset = Problem.objects.none()

    def get_queryset(self) -> QuerySet[Problem]:
        """All for leads; those of the annotator's own solutions for annotators."""
        reader = person(self.request)
        rows = Problem.objects.filter(project=project_for(reader, self.kwargs["slug"]))
        if not reader.leads:
            rows = rows.filter(pk__in=Solution.objects.filter(assignments__annotator=reader).values("problem"))
        return rows.select_related("project").prefetch_related(Prefetch("answer_keys", KEYS)).order_by("pk")

    def get_serializer_class(self) -> type[Any]:
        """What leads see, or what annotators read."""
        return ProblemSerializer if self.leads() else ProblemReadingSerializer


@extend_schema(tags=["items"], responses=PROBLEM)
class Problems(SeenProblems, ListAPIView[Problem]):
    """The problems of a campaign: all for leads, those of their own solutions for annotators."""

    filters = {"subject": "subject", "level": "level", "standing": "standing"}


@extend_schema(tags=["items"], responses=PROBLEM)
class OneProblem(SeenProblems, RetrieveAPIView[Problem]):
    """One problem."""


class SeenSolutions(Seen):
    """The solutions this person may read."""

    queryset = Solution.objects.none()
    lookup_field = "item_id"

    def get_queryset(self) -> QuerySet[Solution]:
        """All for leads; those they hold or have labelled for annotators."""
        reader = person(self.request)
        rows = SOLUTIONS.filter(problem__project=project_for(reader, self.kwargs["slug"]))
        if not reader.leads:
            rows = rows.filter(assignments__annotator=reader)
        return rows.order_by("pk")

    def get_serializer_class(self) -> type[Any]:
        """What leads see, or what annotators read."""
        return SolutionSerializer if self.leads() else SolutionReadingSerializer


@extend_schema(tags=["items"], responses=SOLUTION)
class Solutions(SeenSolutions, ListAPIView[Solution]):
    """The solutions of a campaign with their steps: all for leads, those they hold or have labelled for annotators."""

    filters = {"subject": "problem__subject"}


@extend_schema(tags=["items"], responses=SOLUTION)
class OneSolution(SeenSolutions, RetrieveAPIView[Solution]):
    """One solution with its steps, by its item id."""
