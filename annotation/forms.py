"""The forms of labelling and of setting up."""

import uuid
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import AfterError, Guideline, Project, Report, ReportKind, Role, Solution, Step, User, Verdict
from annotation.projects import free_slug
from annotation.submission import Submission, check, first_error_of
from annotation.verdicts import Placement, VerdictError
from annotation.verdicts import Verdict as VerdictParts

CATEGORY_NAMES = {
    "calculation": _("Calculation"),
    "logic": _("Logic"),
    "fact": _("Fact"),
    "misread": _("Misread"),
    "missing-case": _("Missing case"),
    "other": _("Other"),
}


def category_name(category: str) -> str:
    """The name people see; a project's own categories are shown as they are written."""
    return str(CATEGORY_NAMES.get(category, category))


def in_words(error: VerdictError) -> str:
    """What contradicts itself in a verdict, in the reader's language."""
    said = gettext(error.message)
    return said % error.values if error.values else said


def truth(value: str) -> bool:
    """Read the value of a yes-or-no radio button."""
    return value in (True, "true", "True")


class VerdictForm(forms.Form):
    """The three questions. The same form labels and adjudicates."""

    correct = forms.TypedChoiceField(
        label=_("Is the solution correct?"), coerce=truth, empty_value=None, widget=forms.RadioSelect,
        choices=[("true", _("Correct")), ("false", _("Incorrect"))],
        error_messages={"required": _("Say whether the solution is correct.")},
    )  # fmt: skip
    first_error = forms.TypedChoiceField(
        label=_("First erroneous step"), coerce=int, empty_value=None, required=False, widget=forms.RadioSelect
    )
    placement = forms.ChoiceField(
        label=_("Where is the fault?"), choices=Verdict.Placement.choices, initial="at", widget=forms.RadioSelect,
        required=False,
    )  # fmt: skip
    category = forms.ChoiceField(label=_("Why"), required=False, widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Reason"), required=False, strip=False, max_length=20_000, widget=forms.Textarea)
    rectified = forms.CharField(
        label=_("Rectified step"), required=False, strip=False, max_length=20_000, widget=forms.Textarea
    )

    def __init__(self, *args: Any, project: Project, steps: Sequence[Step], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.steps = project, steps
        names = [(step.position, step.name) for step in steps]
        self.fields["first_error"].choices = names  # type: ignore[attr-defined]
        self.fields["category"].choices = [(c, category_name(c)) for c in project.categories]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            self.verdict = self._verdict(data)
            try:
                self.verdict.check(len(self.steps))
                self.check_policy()
            except VerdictError as error:
                self.add_error(error.field if error.field in self.fields else None, in_words(error))
        return data

    def check_policy(self) -> None:
        """Hold the verdict against what applies to this kind of form; raises VerdictError."""

    def _verdict(self, data: dict[str, Any]) -> VerdictParts:
        if data["correct"]:
            return VerdictParts(correct=True)  # what was typed before changing one's mind does not count
        parts = {name: data.get(name) or "" for name in ("category", "reason", "rectified")}
        placement: Placement = "before" if data.get("placement") == "before" else "at"
        return VerdictParts(correct=False, first_error=data["first_error"], placement=placement, **parts)


STEP_VALUES = [("1", _("Correct")), ("0", _("Neutral")), ("-1", _("Incorrect")), ("2", _("Realises the error"))]


class LabelForm(VerdictForm):
    """What the workbench sends. Where every step is labelled, verdict and first error follow from the steps."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    assignment = forms.IntegerField(widget=forms.HiddenInput)
    active_seconds = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0, max_value=86_400)
    confirm_conflict = forms.BooleanField(
        label=_("The final answer disagrees with the key, and every step is right all the same."), required=False
    )

    def __init__(self, *args: Any, solution: Solution, **kwargs: Any) -> None:
        self.solution = solution
        steps = kwargs.pop("steps", None) or list(solution.steps.all())
        kwargs["initial"] = {"key": uuid.uuid4(), "placement": "at", "active_seconds": 0} | kwargs.get("initial", {})
        super().__init__(*args, project=solution.problem.project, steps=steps, **kwargs)
        self.every_step = self.project.every_step
        if self.every_step:
            self.fields["correct"].required = False
            for step in steps:
                self.fields[f"step_{step.position}"] = forms.TypedChoiceField(
                    choices=STEP_VALUES, coerce=int, empty_value=None, required=False, widget=forms.RadioSelect
                )

    @property
    def asks_conflict(self) -> bool:
        """Whether the confirmation has to be shown: the form was refused for want of it, or it is given already."""
        return "confirm_conflict" in self.errors or bool(self["confirm_conflict"].value())

    def step_labels(self) -> dict[int, int]:
        """The labelled steps by position; what stands after the first error counts only where the project wants it."""
        if not self.every_step:
            return {}
        stated = {step.position: self.cleaned_data.get(f"step_{step.position}") for step in self.steps}
        labels = {position: value for position, value in stated.items() if value is not None}
        first = first_error_of(labels)
        if first is not None and self.project.after_error == AfterError.UNLABELLED:
            return {position: value for position, value in labels.items() if position <= first}
        return labels

    def _verdict(self, data: dict[str, Any]) -> VerdictParts:
        if self.every_step:
            first = first_error_of(self.step_labels())
            data = data | {"correct": first is None, "first_error": first}
        return super()._verdict(data)

    def check_policy(self) -> None:
        check(self.submission(), self.solution)

    def submission(self) -> Submission:
        """What a valid form hands to the rule."""
        data = self.cleaned_data
        confirmed = bool(data.get("confirm_conflict"))
        return Submission(data["key"], self.verdict, data.get("active_seconds") or 0, confirmed, self.step_labels())


class SkipForm(forms.Form):
    reason = forms.CharField(
        label=_("Why do you skip it?"), max_length=500, widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": _("Say in a word why you skip it.")},
    )  # fmt: skip


class ReportForm(forms.ModelForm[Report]):
    kind = forms.ChoiceField(label=_("What is wrong?"), choices=[("", _("Choose…")), *ReportKind.choices])

    class Meta:
        model = Report
        fields = ("kind", "comment")
        widgets = {"comment": forms.Textarea(attrs={"rows": 3})}


class GuidelineForm(forms.ModelForm[Guideline]):
    class Meta:
        model = Guideline
        fields = ("text", "changes")
        widgets = {"text": forms.Textarea(attrs={"rows": 24}), "changes": forms.TextInput()}


PROJECT_PARTS = [
    (_("The project"), ("name", "slug", "description", "members")),
    (_("What annotators see and are asked"), (
        "show_answer_key", "show_reference", "ask_category", "categories", "ask_rectified", "min_reason", "every_step",
        "after_error",
    )),
    (_("How work is handed out"), ("overlap", "lease_minutes", "daily_goal", "paused")),
    (_("Decisions and releases"), ("second_lead", "second_approval", "export_discussion", "hint_model")),
]  # fmt: skip


class ProjectForm(forms.ModelForm[Project]):
    categories = forms.CharField(
        label=_("Error categories"), widget=forms.Textarea(attrs={"rows": 6}), help_text=_("One a line.")
    )

    class Meta:
        model = Project
        fields = tuple(chain.from_iterable(names for _heading, names in PROJECT_PARTS))
        widgets = {"description": forms.Textarea(attrs={"rows": 3}), "members": forms.CheckboxSelectMultiple()}
        labels = {"members": _("Members")}
        help_texts = {"slug": _("Part of addresses and release names. Left empty, it is made of the name.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["members"].queryset = User.objects.filter(is_active=True).order_by("username")  # type: ignore[attr-defined]
        self.initial["categories"] = "\n".join(self.instance.categories)
        self.fields["slug"].required = False
        if self.instance.pk:
            self.fields["slug"].disabled = True  # it stands in addresses and in release names

    def parts(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        for heading, names in PROJECT_PARTS:
            yield str(heading), [self[name] for name in names]

    def clean_slug(self) -> str:
        return self.cleaned_data["slug"] or free_slug(self.data.get("name", ""))

    def clean_categories(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["categories"].splitlines() if line.strip()]
        if not names:
            raise ValidationError(_("Give at least one category."))
        if len(set(names)) < len(names):
            raise ValidationError(_("A category stands here twice."))
        return names


class AccountForm(UserCreationForm[User]):
    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "role")

    role = forms.ChoiceField(label=_("Role"), choices=Role)


class AccountChangeForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ("first_name", "last_name", "email", "role", "is_active")
