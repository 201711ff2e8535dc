"""Keeping the agreement figures at hand, and telling which items make each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from django.db.models import Case, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, When
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Project, Solution
from review.agreement import Label, measure
from review.disagreements import NO_ERROR, first_pass_labels, place, subjects
from review.models import AgreementSnapshot

RESAMPLES = 10_000


@dataclass(frozen=True)
class Freshness:
    """The newest first label and how many there are: what a snapshot has to have counted to be fresh."""

    through: int
    labels: int


def freshness(project: Project) -> Freshness:
    """Where the labels of a campaign stand now."""
    rows = Annotation.objects.first_pass().filter(assignment__solution__problem__project=project)
    found = rows.aggregate(through=Max("pk"), labels=Count("pk"))
    return Freshness(found["through"] or 0, found["labels"])


def is_fresh(project: Project, snapshots: list[AgreementSnapshot]) -> bool:
    """Whether the kept figures count every label."""
    now = freshness(project)
    return bool(snapshots) and all((s.through, s.labels) == (now.through, now.labels) for s in snapshots)


def refresh(project: Project) -> None:
    """Compute the figures of a campaign and of each of its subjects again. The seed is the campaign's own."""
    now = freshness(project)
    for subject in ["", *subjects(project)]:
        report = measured(project.slug, subject, first_pass_labels(project, subject or None))
        kept = {"through": now.through, "labels": now.labels, "seed": seed_of(project.slug, subject), "report": report}
        dimension = "subject" if subject else ""
        AgreementSnapshot.objects.update_or_create(
            project=project, dimension=dimension, value=subject, defaults=kept
        )  # fmt: skip


def seed_of(slug: str, subject: str) -> int:
    """The seed of a campaign's intervals: always the same, so that the same labels give the same figures."""
    return crc32(f"{slug}/{subject}".encode())


def measured(slug: str, subject: str, labels: Sequence[Label]) -> dict[str, Any]:
    """The agreement figures of some labels as JSON values, without the ids of the items (`items_of` finds them)."""
    report: dict[str, Any] = measure(labels, seed=seed_of(slug, subject), resamples=RESAMPLES).as_dict()
    for question in QUESTIONS:
        for figure in report[question]["figures"].values():
            figure["differing"] = len(figure.pop("disagreeing"))
            del figure["agreeing"]
    return report


QUESTIONS = {
    "correctness": _("Correctness"),
    "first_error": _("Verdict and first erroneous step"),
    "given_both_incorrect": _("The step, where at least two say incorrect"),
    "category": _("The category, where at least two name the same step"),
}
FIGURES = {
    "unanimous": _("All agree"),
    "percent": _("Percent agreement"),
    "within_one": _("Within one step"),
    "alpha": _("Krippendorff’s alpha"),
    "alpha_ordinal": _("Alpha, ordinal"),
    "ac1": _("Gwet’s AC1"),
    "brennan_prediger": _("Brennan–Prediger"),
    "positive": _("Agreement on correct"),
    "negative": _("Agreement on incorrect"),
}
FIRST = Q(assignments__annotations__revision=1)
INCORRECT = FIRST & Q(assignments__annotations__correct=False)


def items_of(project: Project, question: str, figure: str = "", subject: str = "") -> QuerySet[Any]:
    """The solutions that enter a question's figures, with `differs` telling whether their labels do."""
    solutions = Solution.objects.filter(problem__project=project)
    if subject:
        solutions = solutions.filter(problem__subject=subject)
    if question == "category":
        return _category_items(solutions)
    scope = INCORRECT if question == "given_both_incorrect" else FIRST
    value = _verdict() if question == "correctness" else place("assignments__annotations__")
    counted = solutions.annotate(
        entered=Count("assignments__annotations", filter=scope),
        lowest=Min(value, filter=scope),
        highest=Max(value, filter=scope),
    ).filter(entered__gte=2)
    if figure == "within_one":
        apart = Q(lowest=NO_ERROR, highest__gt=NO_ERROR) | Q(highest__gt=F("lowest") + 1)
        return counted.annotate(differs=Case(When(apart, then=True), default=False))
    return counted.annotate(differs=Case(When(highest__gt=F("lowest"), then=True), default=False))


def _verdict() -> Case:
    return Case(When(assignments__annotations__correct=True, then=1), default=0)


def _category_items(solutions: QuerySet[Solution]) -> QuerySet[Any]:
    named = Annotation.objects.first_pass().filter(correct=False).exclude(category="")
    mine = named.filter(assignment__solution=OuterRef("pk"))
    same_step = named.filter(
        assignment__solution=OuterRef("assignment__solution"), first_error=OuterRef("first_error")
    ).exclude(pk=OuterRef("pk"))  # fmt: skip
    other_category = same_step.exclude(category=OuterRef("category"))
    return solutions.filter(Exists(mine.filter(Exists(same_step)))).annotate(
        differs=Exists(mine.filter(Exists(other_category)))
    )
