"""Releases, which never change, and judges' answers to them."""

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Verdict, verdict_constraints
from exports.human_checks import BY_VERDICT, RANDOM
from exports.judge_facts import judge_facts, with_judge


class Release(models.Model):
    """A frozen copy. Nothing here is computed from live rows after freezing."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    notes = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64)
    manifest_text = models.TextField()  # the files of the folder, byte for byte, beside the items' own lines
    votes_text = models.TextField(blank=True)
    left_out_text = models.TextField(blank=True)
    discussion_text = models.TextField(blank=True)
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="release_version_once",
                violation_error_message=_("This version exists already; a correction is a new version."),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.project.slug} {self.version}"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the manifest says: counts, policy, agreement, hashes."""
        facts: dict[str, Any] = json.loads(self.manifest_text)
        return facts


class ReleaseItem(Verdict):
    release = models.ForeignKey(Release, models.CASCADE, related_name="items")
    item_id = models.CharField(max_length=40)
    position = models.PositiveIntegerField()
    subject = models.CharField(max_length=100, blank=True)
    problem = models.CharField(max_length=420, default="")  # source and external id, the cluster of the intervals
    record = models.TextField()  # the line of items.jsonl, byte for byte
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "item_id"], name="release_item_once"),
            models.UniqueConstraint(fields=["release", "position"], name="release_item_position_once"),
            *verdict_constraints("release_item"),
        ]

    def __str__(self) -> str:
        return self.item_id


class ChecksDesign(models.TextChoices):
    """How a run's sample of comparisons is drawn for people to check."""

    BY_VERDICT = BY_VERDICT, _("half of each verdict of the model")
    RANDOM = RANDOM, _("a plain random sample")


class JudgeRun(models.Model):
    """One judge model's answers to one release, and their grading."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="runs")
    name = models.CharField(_("judge"), max_length=120)
    answers_sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict)  # how it was graded: reasons mode, grader model, policies, weights
    trust = models.JSONField(default=dict)  # what people's checks say of the reason comparison; empty: unchecked
    checks_design = models.CharField(max_length=20, choices=ChecksDesign, default=ChecksDesign.BY_VERDICT)
    report = models.JSONField(default=dict)  # the result as `stepmark grade --json` prints it; empty until graded
    graded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "name"], name="judge_run_name_once",
                violation_error_message=_("This release already has a run with this name; choose another."),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.name

    @property
    def checked_report(self) -> dict[str, Any]:
        """The report together with what people's checks say of it, and how the judge was asked."""
        report: dict[str, Any] = self.report
        if self.trust:
            report = report | {"reasons": report["reasons"] | {"trust": self.trust}}
        asked = judge_facts(self.options.get("run") or {})
        return with_judge(report, {"name": self.name, **asked}) if report else report

    @property
    def ranking(self) -> tuple[bool, float]:
        """What the best run is the largest of: MR-Score as people's checks correct it, else as it is.

        Runs whose reasons were not compared come after all others, by F1.
        """
        corrected = self.trust.get("corrected", {}).get("macro", {}).get("mr_score")
        found = self.report.get("mr_score") if corrected is None else corrected
        return found is not None, (self.report.get("f1") or 0.0) if found is None else found


class JudgeVerdict(Verdict):
    """A judge's answer to one item; every item of the release has one row, answered or not."""

    correct = models.BooleanField(_("correct"), null=True)  # type: ignore[assignment]  # null: no usable verdict
    run = models.ForeignKey(JudgeRun, models.CASCADE, related_name="verdicts")
    item = models.ForeignKey(ReleaseItem, models.PROTECT, related_name="judge_verdicts")
    status = models.CharField(max_length=20)
    flags = models.JSONField(default=list)
    confidence = models.FloatField(null=True)
    raw = models.TextField(blank=True)
    reason_same = models.BooleanField(null=True)
    reason_explanation = models.TextField(blank=True)

    class Meta:
        ordering = ["run", "item"]
        constraints = [models.UniqueConstraint(fields=["run", "item"], name="judge_verdict_once")]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.status}"


class HumanCheck(models.Model):
    """One comparison of reasons in a random sample, and what a person says of it without seeing the model's verdict."""

    verdict = models.ForeignKey(JudgeVerdict, models.CASCADE, related_name="human_checks")
    checker = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    same = models.BooleanField(null=True)  # null until checked
    adjudicated = models.BooleanField(default=False)  # settles a difference between two checkers
    checked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["verdict", "checker", "adjudicated"], name="human_check_once"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict_id} by {self.checker_id}"


class ErrorTag(models.Model):
    """A word that a person put on a judge's answer while browsing its errors."""

    verdict = models.ForeignKey(JudgeVerdict, models.CASCADE, related_name="tags")
    tag = models.CharField(_("tag"), max_length=60)
    tagged_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    tagged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["tag"]
        constraints = [models.UniqueConstraint(fields=["verdict", "tag"], name="error_tag_once")]

    def __str__(self) -> str:
        return self.tag


class RunComparison(models.Model):
    """Two or more judges compared on the same items, each with the first."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="comparisons")
    runs = models.CharField(max_length=1000)  # keys of the runs in order, with commas; behind a bar those of references
    report = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["release", "runs"], name="run_comparison_once")]

    def __str__(self) -> str:
        return self.runs
