"""What leads decide: adjudications, their accepted reasons, and the confirmation of consensus."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Project, Solution, Verdict, verdict_constraints


class Outcome(models.TextChoices):
    GOLD = "gold", _("Gold")
    DISCARDED = "discarded", _("Discarded")
    OPEN = "open", _("Kept open")


class Basis(models.TextChoices):
    CONSENSUS = "consensus", _("All annotators agree")
    ADOPTED = "adopted", _("One annotator's label adopted")
    EDITED = "edited", _("Adopted and edited")
    OWN = "own", _("The lead's own")
    PUBLISHED = "published", _("Published with the data")


class Cause(models.TextChoices):
    GUIDELINE_GAP = "guideline-gap", _("Guideline gap")
    SLIP = "slip", _("Slip")
    AMBIGUOUS = "ambiguous", _("Ambiguous item")


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def current(self) -> "AdjudicationQuerySet":
        """The latest decision on each solution."""
        later = Adjudication.objects.filter(solution=models.OuterRef("solution"), pk__gt=models.OuterRef("pk"))
        return self.filter(~models.Exists(later))


class Adjudication(Verdict):
    """A lead's decision on one solution; a later row replaces an earlier one."""

    correct = models.BooleanField(_("correct"), null=True)  # type: ignore[assignment]  # null unless gold
    solution = models.ForeignKey(Solution, models.PROTECT, related_name="adjudications")
    outcome = models.CharField(max_length=12, choices=Outcome)
    basis = models.CharField(max_length=12, choices=Basis)
    adopted = models.ForeignKey(Annotation, models.PROTECT, null=True, related_name="+")
    cause = models.CharField(max_length=20, choices=Cause, blank=True)
    rationale = models.TextField(_("note"), blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            *verdict_constraints("adjudication", outcome="gold"),
            models.CheckConstraint(
                # apart from the above, which SQL takes for kept when `correct` is null
                condition=~models.Q(outcome="gold") | models.Q(correct__isnull=False),
                name="adjudication_gold_has_a_verdict",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome="gold") | models.Q(correct=None, first_error=None, reason=""),
                name="adjudication_only_gold_has_a_verdict",
            ),
            models.CheckConstraint(
                condition=~models.Q(outcome="discarded", rationale=""),
                name="adjudication_discard_reason",
                violation_error_message=_("Say why the solution is discarded."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} ({self.basis}) for solution {self.solution_id}"


class AcceptedReason(models.Model):
    """A further right wording of a gold reason, beside the adjudication's own."""

    adjudication = models.ForeignKey(Adjudication, models.CASCADE, related_name="accepted_reasons")
    ordinal = models.PositiveSmallIntegerField()
    reason = models.TextField(blank=True)
    rectified = models.TextField(blank=True)

    class Meta:
        ordering = ["adjudication", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["adjudication", "ordinal"], name="accepted_reason_once")]

    def __str__(self) -> str:
        return self.reason[:60]


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


class AgreementSnapshot(models.Model):
    """The agreement figures as of some label: a cache, rebuilt from the labels at any time."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="agreement_snapshots")
    subject = models.CharField(max_length=100, blank=True)  # empty: the whole campaign
    through = models.PositiveBigIntegerField()  # the newest first label that is counted
    labels = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField()
    report = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["project", "subject"]
        constraints = [models.UniqueConstraint(fields=["project", "subject"], name="agreement_snapshot_once")]

    def __str__(self) -> str:
        return f"{self.project_id} {self.subject or 'all'}"
