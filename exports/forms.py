"""The forms of releases and judges."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from exports.judge_prompts import PRESETS
from exports.judging import NameTaken, check_name
from exports.models import Release
from exports.releases import CannotFreeze, check_version
from review.forms import LARGEST_UPLOAD


class ReleaseForm(forms.Form):
    version = forms.CharField(label=_("Version"), max_length=40, help_text=_("As 1.0.0; it never changes afterwards."))
    notes = forms.CharField(
        label=_("Notes"), required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3})
    )  # fmt: skip

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_version(self) -> str:
        version: str = self.cleaned_data["version"]
        try:
            check_version(self.project, version)
        except CannotFreeze as error:
            raise ValidationError(str(error)) from error
        return version


class ComparingForm(forms.Form):
    """How often a model is asked about a reason."""

    votes = forms.TypedChoiceField(
        label=_("Votes on each reason"), choices=[(n, n) for n in (1, 3, 5)], coerce=int, empty_value="1",
        required=False,
    )  # fmt: skip
    self_checks = forms.IntegerField(
        label=_("Reasons asked about again"), min_value=0, max_value=200, initial=0, required=False,
        help_text=_("As decoys with a known verdict and in another order; they tell how far to trust the model."),
    )  # fmt: skip

    def clean_votes(self) -> int:
        return int(self.cleaned_data["votes"])

    def clean_self_checks(self) -> int:
        return self.cleaned_data["self_checks"] or 0


class JudgeForm(ComparingForm):
    name = forms.CharField(label=_("Judge"), max_length=120, help_text=_("As it shall stand in the table."))
    answers = forms.FileField(label=_("Answers (JSONL)"))
    people = forms.FileField(
        label=_("People’s verdicts on the reasons (JSONL)"), required=False,
        help_text=_("One object a line: id, and same true or false. Without it and a model, reasons are not graded."),
    )  # fmt: skip
    model = forms.CharField(
        label=_("Model that compares the reasons"), required=False, max_length=200,
        help_text=_("Its endpoint is set on the server by OPENAI_BASE_URL and OPENAI_API_KEY."),
    )  # fmt: skip
    field_order = ("name", "answers", "people", "model", "votes", "self_checks")

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.release = release

    def clean_name(self) -> str:
        return free_name(self.release, self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for field in ("answers", "people"):
            if data.get(field) and data[field].size > LARGEST_UPLOAD:
                self.add_error(field, _("The file is too large; grade it with the stepmark command."))
        if data.get("people") and data.get("model"):
            self.add_error("model", _("Give people’s verdicts or a model, not both."))
        return data


class RunForm(ComparingForm):
    name = forms.CharField(label=_("Judge"), max_length=120, help_text=_("As it shall stand in the table."))
    model = forms.CharField(
        label=_("Model"), max_length=200,
        help_text=_("Its endpoint is set on the server by OPENAI_BASE_URL and OPENAI_API_KEY."),
    )  # fmt: skip
    preset = forms.ChoiceField(label=_("Prompt"), choices=[(name, name) for name in PRESETS])
    shots = forms.IntegerField(label=_("Demonstrations"), min_value=0, max_value=8, initial=0)
    samples = forms.IntegerField(
        label=_("Samples, decided by majority"), min_value=1, max_value=16, initial=1
    )  # fmt: skip
    temperature = forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, initial=0)
    max_tokens = forms.IntegerField(label=_("Longest reply in tokens"), min_value=1, required=False)
    seed = forms.IntegerField(label=_("Seed"), min_value=0, required=False, initial=0)
    price_in = forms.FloatField(label=_("Price of a million prompt tokens"), min_value=0, required=False)
    price_out = forms.FloatField(label=_("Price of a million reply tokens"), min_value=0, required=False)
    grader = forms.CharField(
        label=_("Model that compares the reasons"), required=False, max_length=200,
        help_text=_("Empty: reasons are not graded."),
    )  # fmt: skip
    field_order = ("name", "model", "preset", "shots", "samples", "temperature", "seed", "max_tokens", "price_in",
                   "price_out", "grader", "votes")  # fmt: skip

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.release = release

    def clean_name(self) -> str:
        return free_name(self.release, self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if (data.get("price_in") is None) != (data.get("price_out") is None):
            self.add_error("price_out", _("Give both prices or neither."))
        return data


def free_name(release: Release, name: str) -> str:
    """The name of a run without blanks around it; refused when the release has it already."""
    name = name.strip()
    try:
        check_name(release, name)
    except NameTaken as error:
        raise ValidationError(str(error)) from error
    return name
