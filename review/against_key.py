"""Labels that call a solution correct though its final answer is not the key's: their annotators were asked twice."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Project, Solution


def labels_against_key(project: Project) -> QuerySet[Annotation]:
    """The labels in force that were confirmed against the key."""
    rows = Annotation.objects.current().filter(correct=True, answer_conflict_confirmed=True)
    return rows.filter(assignment__solution__problem__project=project)


def count_against_key(project: Project) -> Any:
    """How many of these each annotator of a query has."""
    own = labels_against_key(project).filter(assignment__annotator=OuterRef("pk"))
    counted = own.order_by().values("assignment__annotator").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


def items_against_key(project: Project, annotator: int) -> QuerySet[Solution]:
    """The solutions behind that count, in the order of import."""
    own = labels_against_key(project).filter(assignment__annotator=annotator)
    return Solution.objects.filter(pk__in=own.values("assignment__solution")).order_by("pk")
