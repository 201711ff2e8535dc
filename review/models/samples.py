"""Random samples: of consensus before it is confirmed, of gold to measure its own error."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Solution, Verdict
from review.models.decisions import Adjudication


class Confirmation(models.Model):
    """A lead's bulk confirmation of what all annotators agree on, with the sample drawn to look at first."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="confirmations")
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    seed = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True)
    confirmed = models.PositiveIntegerField(default=0)  # how many adjudications it made, frozen when it was done

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"confirmation {self.pk}"


class SampleLook(models.Model):
    """One solution of the sample, and what the lead found when looking at it."""

    class Finding(models.TextChoices):
        AGREES = "agrees", _("I agree")
        DOUBTS = "doubts", _("I doubt it")

    confirmation = models.ForeignKey(Confirmation, models.CASCADE, related_name="looks")
    solution = models.ForeignKey(Solution, models.PROTECT, related_name="+")
    finding = models.CharField(max_length=10, choices=Finding, blank=True)
    looked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["confirmation", "solution"], name="sample_look_once")]

    def __str__(self) -> str:
        return f"{self.solution_id}: {self.finding or 'not looked at'}"


class Recheck(models.Model):
    """A random sample of gold, decided again by a lead who does not see the first decision."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="rechecks")
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    seed = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"recheck {self.pk}"


class RecheckItem(Verdict):
    """One gold solution of the sample and, once decided again, the second verdict."""

    correct = models.BooleanField(_("correct"), null=True)  # type: ignore[assignment]  # null until decided again
    recheck = models.ForeignKey(Recheck, models.CASCADE, related_name="items")
    gold = models.ForeignKey(Adjudication, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["recheck", "gold"], name="recheck_item_once")]

    def __str__(self) -> str:
        return f"{self.gold_id} again"
