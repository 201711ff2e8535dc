"""Agreement figures kept at hand, and pairs of reasons compared."""

from django.conf import settings
from django.db import models

from annotation.models import Annotation, Project


class AgreementSnapshot(models.Model):
    """The agreement figures as of some label: a cache, rebuilt from the labels at any time."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="agreement_snapshots")
    dimension = models.CharField(max_length=40, blank=True)  # what the labels were cut by; empty: not at all
    value = models.CharField(max_length=200, blank=True)  # which part this is
    through = models.PositiveBigIntegerField()  # the newest first label that is counted
    labels = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField()
    report = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["project", "dimension", "value"]
        constraints = [
            models.UniqueConstraint(fields=["project", "dimension", "value"], name="agreement_snapshot_once")
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.dimension} {self.value}"


class ReasonPair(models.Model):
    """Two annotators' reasons for the same step: what a model says of them, and what a lead says."""

    first = models.ForeignKey(Annotation, models.CASCADE, related_name="+")
    second = models.ForeignKey(Annotation, models.CASCADE, related_name="+")
    hint_same = models.BooleanField(null=True)
    hint_explanation = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=40, blank=True)
    hinted_at = models.DateTimeField(null=True)
    lead_same = models.BooleanField(null=True)
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    hint_was_shown = models.BooleanField(default=False)  # when the lead answered
    judged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["first", "second"], name="reason_pair_once")]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"
