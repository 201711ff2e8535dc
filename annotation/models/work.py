"""What surrounds a label: drafts, skips, reports of broken items, guidelines and their acknowledgement."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.problems import Project, Solution


class Draft(models.Model):
    """What an annotator has typed and not submitted. `version` counts the saves, so that two tabs notice each other."""

    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    solution = models.ForeignKey(Solution, models.CASCADE, related_name="drafts")
    version = models.PositiveIntegerField(default=1)
    content = models.JSONField()  # the form's fields as typed
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["annotator", "solution"], name="draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.annotator_id} for {self.solution_id}, version {self.version}"


class Skip(models.Model):
    """An annotator passed an item by. It is not offered to them again until a lead takes the skip back."""

    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="skips")
    solution = models.ForeignKey(Solution, models.CASCADE, related_name="skips")
    reason = models.TextField(_("reason"))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["annotator", "solution"], name="skip_once")]

    def __str__(self) -> str:
        return self.reason[:60]


class ReportKind(models.TextChoices):
    BROKEN_PROBLEM = "broken-problem", _("The problem is broken")
    WRONG_KEY = "wrong-key", _("The answer key is wrong")
    BAD_SPLIT = "bad-split", _("The steps are badly split")
    CANNOT_JUDGE = "cannot-judge", _("I cannot judge this")


class Report(models.Model):
    """Something is wrong with an item: a fact of its own, never a label."""

    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="reports")
    solution = models.ForeignKey(Solution, models.CASCADE, related_name="reports")
    kind = models.CharField(_("what is wrong"), max_length=20, choices=ReportKind)
    comment = models.TextField(_("comment"))
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    answer = models.TextField(_("answer"), blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.CheckConstraint(condition=Q(kind__in=ReportKind.values), name="report_kind")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.comment[:60]}"


class Guideline(models.Model):
    """One version of a campaign's instructions; the highest version is in force."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="guidelines")
    version = models.PositiveSmallIntegerField()
    text = models.TextField(_("text"), help_text=_("Markdown with LaTeX."))
    changes = models.TextField(_("what changed"), blank=True)
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "-version"]
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="guideline_version_once")]

    def __str__(self) -> str:
        return f"{self.project_id} v{self.version}"


class Acknowledgement(models.Model):
    """An annotator has read a version of the guideline."""

    guideline = models.ForeignKey(Guideline, models.CASCADE, related_name="acknowledgements")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["guideline", "annotator"], name="acknowledgement_once")]

    def __str__(self) -> str:
        return f"{self.annotator_id} has read {self.guideline_id}"
