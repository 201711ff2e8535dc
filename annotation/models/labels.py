"""Slots of work and the judgements that fill them."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.problems import Solution
from annotation.verdicts import Placement
from annotation.verdicts import Verdict as VerdictParts


class Assignment(models.Model):
    """A slot: one wanted annotation of one solution. Claiming and submitting update this very row."""

    solution = models.ForeignKey(Solution, models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="assignments")
    lease_ends_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    extra = models.BooleanField(default=False)  # asked for after a dispute: not part of agreement
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["solution", "annotator"], name="assignment_annotator_once",
                violation_error_message=_("This annotator already has this solution."),
            ),
            models.CheckConstraint(
                condition=Q(submitted_at=None) | Q(annotator__isnull=False), name="assignment_submitted_by_somebody"
            ),
        ]  # fmt: skip
        indexes = [
            models.Index(fields=["id"], condition=Q(submitted_at=None), name="assignment_waiting"),
            models.Index(fields=["id"], condition=Q(submitted_at=None, extra=True), name="assignment_asked_for"),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk} of solution {self.solution_id}"


class Verdict(models.Model):
    """The shape that labels, adjudications and judges' answers share (`annotation.verdicts.Verdict` in columns)."""

    class Placement(models.TextChoices):
        AT = "at", _("At the step")
        BEFORE = "before", _("Missing before the step")

    correct = models.BooleanField(_("correct"))
    first_error = models.PositiveIntegerField(_("first erroneous step"), null=True, blank=True)
    placement = models.CharField(max_length=10, choices=Placement, default=Placement.AT)
    category = models.CharField(_("category"), max_length=60, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    rectified = models.TextField(_("rectified step"), blank=True)

    class Meta:
        abstract = True

    @property
    def verdict(self) -> VerdictParts:
        """The parts as one plain value."""
        placement: Placement = "before" if self.placement == "before" else "at"
        return VerdictParts(self.correct, self.first_error, placement, self.category, self.reason, self.rectified)


def verdict_constraints(prefix: str, **only_when: Any) -> list[models.BaseConstraint]:
    """The consistency of a verdict as database constraints; `only_when` limits them to some rows."""
    silent = Q(first_error=None, category="", reason="", rectified="")
    consistent = Q(correct=True) & silent | Q(correct=False, first_error__isnull=False)
    return [
        models.CheckConstraint(
            condition=~Q(**only_when) | consistent if only_when else consistent,
            name=f"{prefix}_consistent",
            violation_error_message=_(
                "A correct solution has no erroneous step and no reason; an incorrect one names its first wrong step."
            ),
        ),
        models.CheckConstraint(condition=Q(placement__in=Verdict.Placement.values), name=f"{prefix}_placement"),
    ]


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def first_pass(self) -> "AnnotationQuerySet":
        """Blind first labels: what agreement is computed from."""
        return self.filter(revision=1, assignment__extra=False)

    def current(self) -> "AnnotationQuerySet":
        """The latest revision in each slot: what decisions are made from."""
        later = Annotation.objects.filter(
            assignment=models.OuterRef("assignment"), revision__gt=models.OuterRef("revision")
        )
        return self.filter(~models.Exists(later))


class Annotation(Verdict):
    """What one annotator said of one solution; a revision is a further row."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="annotations")
    revision = models.PositiveSmallIntegerField(default=1)
    key = models.UUIDField(unique=True)  # made by the form; the same submission sent twice is one annotation
    active_seconds = models.PositiveIntegerField(default=0)
    answer_conflict_confirmed = models.BooleanField(default=False)
    guideline = models.ForeignKey("annotation.Guideline", models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="annotation_revision_once"),
            *verdict_constraints("annotation"),
        ]

    def __str__(self) -> str:
        where = "correct" if self.correct else f"incorrect at {self.first_error}"
        return f"{where} (slot {self.assignment_id}, revision {self.revision})"


class StepValue(models.IntegerChoices):
    INCORRECT = -1, _("Incorrect")
    NEUTRAL = 0, _("Neutral")
    CORRECT = 1, _("Correct")
    REALISES = 2, _("Realises the error")


class StepLabel(models.Model):
    """What a label says of one step, where every step is labelled."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="step_labels")
    position = models.PositiveIntegerField()
    value = models.SmallIntegerField(choices=StepValue)

    class Meta:
        ordering = ["annotation", "position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "position"], name="step_label_once"),
            models.CheckConstraint(condition=Q(value__in=StepValue.values), name="step_label_value"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.value}"
