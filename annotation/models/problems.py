"""Campaigns, problems, their answer keys, sampled solutions and steps."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.answers import is_accepted


class TextFormat(models.TextChoices):
    PLAIN = "plain", _("Plain text")
    LATEX = "latex", _("Text with LaTeX")
    LATEX_MARKDOWN = "latex+markdown", _("Markdown with LaTeX")
    CODE = "code", _("Code")


class Standing(models.TextChoices):
    USABLE = "usable", _("Usable")
    AMBIGUOUS = "ambiguous", _("Ambiguous")
    NO_RIGHT_OPTION = "no-right-option", _("No right option")
    WRONG_KEY = "wrong-key", _("Wrong answer key")
    UNANSWERABLE = "unanswerable", _("Unanswerable")


class AfterError(models.TextChoices):
    """What becomes of the steps after the first error where every step is labelled."""

    UNLABELLED = "unlabelled", _("They stay unlabelled")
    LABELLED = "labelled", _("They are labelled like the others")
    REALISATION = "realisation", _("They are labelled, and may realise the error")


class StepKind(models.TextChoices):
    STEP = "step", _("Step")
    ANSWER = "answer", _("Answer")
    CODE = "code", _("Code line")


def default_categories() -> list[str]:
    """The error categories a new project starts with."""
    return ["calculation", "logic", "fact", "misread", "missing-case", "other"]


class Project(models.Model):
    """A labelling campaign and its policy."""

    slug = models.SlugField(_("short name"), unique=True)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="projects", blank=True)
    overlap = models.PositiveSmallIntegerField(
        _("overlap"), default=2, validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text=_("How many annotators label each solution, each without seeing the others."),
    )  # fmt: skip
    lease_minutes = models.PositiveSmallIntegerField(
        _("minutes an item stays reserved"), default=45, validators=[MinValueValidator(5), MaxValueValidator(1440)]
    )
    show_answer_key = models.BooleanField(_("show the answer key to annotators"), default=True)
    show_reference = models.BooleanField(_("show the reference solution to annotators"), default=False)
    ask_category = models.BooleanField(_("ask for the error category"), default=True)
    ask_rectified = models.BooleanField(_("ask for the rectified step"), default=True)
    categories = models.JSONField(_("error categories"), default=default_categories)
    min_reason = models.PositiveSmallIntegerField(_("shortest reason, in characters"), default=15)
    every_step = models.BooleanField(_("label every step"), default=False)
    after_error = models.CharField(
        _("steps after the first error"), max_length=12, choices=AfterError, default=AfterError.UNLABELLED
    )
    daily_goal = models.PositiveSmallIntegerField(
        _("daily goal"), default=0, help_text=_("Labels a day and annotator; 0 shows none.")
    )
    second_lead = models.BooleanField(_("a lead who labelled an item needs a second lead to decide it"), default=True)
    second_approval = models.BooleanField(_("a changed answer key needs another lead’s approval"), default=True)
    export_discussion = models.BooleanField(_("releases take the discussion of their items along"), default=False)
    hint_model = models.CharField(
        _("model that hints whether two reasons say the same"), max_length=200, blank=True,
        help_text=_("Empty: no hints. A hint never decides anything."),
    )  # fmt: skip
    paused = models.BooleanField(_("paused: no new items are handed out"), default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(overlap__gte=1), name="project_overlap",
                violation_error_message=_("Each solution needs at least one annotator."),
            ),
            models.CheckConstraint(condition=Q(after_error__in=AfterError.values), name="project_after_error"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.name


class Problem(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="problems")
    source = models.CharField(max_length=200)
    external_id = models.CharField(max_length=200)
    subject = models.CharField(max_length=100, blank=True, db_index=True)
    level = models.CharField(max_length=100, blank=True)
    question = models.TextField()
    options = models.JSONField(default=list)  # [{"label": "A", "text": "…"}, …] in the order shown
    reference_solution = models.TextField(blank=True)
    text_format = models.CharField(max_length=20, choices=TextFormat, default=TextFormat.PLAIN)
    standing = models.CharField(max_length=20, choices=Standing, default=Standing.USABLE)
    extra = models.JSONField(default=dict)  # what a round trip to the source format needs

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "source", "external_id"], name="problem_once",
                violation_error_message=_("This project already has a problem with this source and id."),
            ),
            models.CheckConstraint(condition=Q(text_format__in=TextFormat.values), name="problem_text_format"),
            models.CheckConstraint(condition=Q(standing__in=Standing.values), name="problem_standing"),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.source} {self.external_id}"

    @property
    def reason_format(self) -> str:
        """How what people write about this problem is set: as the problem, but never as a program."""
        return TextFormat.PLAIN if self.text_format == TextFormat.CODE else self.text_format

    @property
    def answer_key(self) -> list[str]:
        """The accepted answers in force; empty when none is known. Reads prefetched keys when they are there."""
        keys = list(self.answer_keys.all())
        accepted: list[str] = keys[-1].accepted if keys else []
        return accepted


class AnswerKey(models.Model):
    """One version of a problem's accepted answers; the highest version is in force."""

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="answer_keys")
    version = models.PositiveSmallIntegerField()
    accepted = models.JSONField()  # list of texts
    reason = models.TextField(blank=True)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["problem", "version"]
        constraints = [models.UniqueConstraint(fields=["problem", "version"], name="answer_key_version_once")]

    def __str__(self) -> str:
        return f"{self.problem_id} v{self.version}: {self.accepted}"


class Solution(models.Model):
    """One sampled solution, its text kept byte for byte."""

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="solutions")
    item_id = models.CharField(max_length=40, db_index=True)
    sampled_from = models.CharField(max_length=200)
    ordinal = models.PositiveSmallIntegerField(default=0)
    raw_text = models.TextField()
    final_answer = models.TextField(null=True)
    provenance = models.JSONField(default=dict)
    settled_at = models.DateTimeField(null=True)  # a lead has decided; nothing below may change any more

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["problem", "sampled_from", "ordinal"], name="solution_once",
                violation_error_message=_("This problem already has this solution."),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.item_id} by {self.sampled_from}"

    @property
    def answer_agrees(self) -> bool | None:
        """Whether the final answer is accepted by the key in force; None when that cannot be told."""
        stated = self.provenance.get("final_answer_correct")
        if isinstance(stated, bool):
            return stated
        if not self.final_answer or not self.problem.answer_key:
            return None
        labels = {option["label"] for option in self.problem.options}
        return is_accepted(self.final_answer, self.problem.answer_key, labels)


class Step(models.Model):
    """One step: where it stands (0-based) and what the text prints are different facts."""

    solution = models.ForeignKey(Solution, models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField()
    label = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=10, choices=StepKind, default=StepKind.STEP)
    text = models.TextField(blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["solution", "position"]
        constraints = [
            models.UniqueConstraint(fields=["solution", "position"], name="step_position_once"),
            models.CheckConstraint(condition=Q(end__gte=F("start")), name="step_span"),
            models.CheckConstraint(condition=Q(kind__in=StepKind.values), name="step_kind"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What people call this step: the printed label, else its place counted from one."""
        number = self.label or str(self.position + 1)
        if self.kind == StepKind.ANSWER:
            return str(_("Answer"))
        if self.kind == StepKind.CODE:
            return str(_("Line %(number)s") % {"number": number})
        return str(_("Step %(number)s") % {"number": number})
