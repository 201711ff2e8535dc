"""The queue of what waits for a lead, kept at hand: a cache, built from labels and decisions at any time."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Solution


class Kind(models.IntegerChoices):
    """What is disputed, in the order in which leads are asked; last what nobody disputes."""

    SECOND = 0, _("waits for a second lead")
    VERDICT = 1, _("correct or not")
    STEP = 2, _("which step")
    OPEN = 3, _("kept open")
    AGREED = 4, _("all agree")


class DecisionQueue(models.Model):
    """The kept queue of a campaign; to drop it drops its rows, and the next look builds it again."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="decision_queue")
    built_at = models.DateTimeField(null=True)  # null while it is being built

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"queue of {self.project_id}"


class PendingDecision(models.Model):
    """An undecided solution that has every label it wants, with what the queue is ordered and narrowed by."""

    solution = models.OneToOneField(Solution, models.CASCADE, primary_key=True, related_name="pending")
    queue = models.ForeignKey(DecisionQueue, models.CASCADE, related_name="rows", db_index=False)
    kind = models.PositiveSmallIntegerField(choices=Kind)
    last = models.BooleanField(default=False)  # kept open, or agreed: behind all that is disputed
    opinions = models.PositiveSmallIntegerField()  # how many different places the current labels name
    subject = models.CharField(max_length=100, blank=True)
    source = models.CharField(max_length=200)
    labelled_at = models.DateTimeField()  # when the newest label came

    class Meta:
        ordering = ["last", "-opinions", "kind", "pk"]
        indexes = [models.Index(fields=["queue", "last", "-opinions", "kind", "solution"], name="pending_in_order")]
        constraints = [models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="pending_kind")]

    def __str__(self) -> str:
        return f"{self.solution_id}: {self.get_kind_display()}"
