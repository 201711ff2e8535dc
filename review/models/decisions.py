"""What leads decide: adjudications and their accepted reasons, and who is at which dispute."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Solution, Verdict, verdict_constraints


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
    clause = models.CharField(_("guideline clause"), max_length=120, blank=True)  # which part of it needs work
    rationale = models.TextField(_("note"), blank=True)
    seconds_by = models.ForeignKey(  # the further lead who agreed, where the first one had labelled the item
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
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


class DecisionLease(models.Model):
    """A lead is at this dispute; others get the next one meanwhile."""

    solution = models.OneToOneField(Solution, models.CASCADE, related_name="decision_lease")
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    ends_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.lead_id} at {self.solution_id}"


class Return(models.Model):
    """An item went back to its annotators with a question; it waits until each has answered or revised."""

    solution = models.ForeignKey(Solution, models.CASCADE, related_name="returns")
    question = models.TextField(_("question"))
    lead = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["solution"], condition=models.Q(closed_at=None), name="return_open_once",
                violation_error_message=_("This item is with its annotators already."),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.question[:60]
