"""The forms of releases and judges."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from exports.how_graded import PARSER_NAMES, HowGraded
from exports.judge_prompts import PRESETS
from exports.judging import NameTaken, check_name
from exports.models import Release
from exports.releases import CannotFreeze, check_version
from exports.step_scores import DEFAULT_THRESHOLD
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


FURTHER = ("top_p", "api", "parser", "base", "threshold", "tune", "step_tag", "votes", "self_checks")


class GradingForm(forms.Form):
    """How answers are graded: `how` in the cleaned data."""

    field_order = FURTHER

    parser = forms.ChoiceField(
        label=_("Parser of raw replies"), choices=[(name, name) for name in PARSER_NAMES], initial="stepmark",
        required=False,
        help_text=_("An official one reads as that benchmark’s script does, faults included, to match its numbers."),
    )  # fmt: skip
    threshold = forms.FloatField(
        label=_("Scores of steps: wrong at or below"), initial=DEFAULT_THRESHOLD, required=False
    )  # fmt: skip
    tune = forms.BooleanField(
        label=_("Tune that score on the dev split"), required=False,
        help_text=_("Its problems are left out of the figures then."),
    )  # fmt: skip
    votes = forms.TypedChoiceField(
        label=_("Votes on each reason"), choices=[(n, n) for n in (1, 3, 5)], coerce=int, initial=1,
        required=False,
    )  # fmt: skip
    self_checks = forms.IntegerField(
        label=_("Reasons asked about again"), min_value=0, max_value=200, initial=0, required=False,
        help_text=_("As decoys with a known verdict and in another order; they tell how far to trust the model."),
    )  # fmt: skip

    @property
    def first(self) -> Iterator[BoundField]:
        """What everybody fills in."""
        return (field for field in self if field.name not in FURTHER)

    @property
    def further(self) -> list[BoundField]:
        """What few change."""
        return [field for field in self if field.name in FURTHER]

    @property
    def further_open(self) -> bool:
        """Whether something in there is wrong, or was chosen."""
        chosen = self.changed_data if self.is_bound else ()
        return any(field.errors or field.name in chosen for field in self.further)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        return data | {"how": HowGraded.out_of(data)}


class JudgeForm(GradingForm):
    name = forms.CharField(label=_("Judge"), max_length=120, help_text=_("As it shall stand in the table."))
    answers = forms.FileField(label=_("Answers (JSONL)"))
    people = forms.FileField(
        label=_("People’s verdicts on the reasons (JSONL)"), required=False,
        help_text=_("One object a line: id, and same true or false. Without it and a model, reasons are not graded."),
    )  # fmt: skip
    base = forms.ChoiceField(
        label=_("Numbers of steps in the answers"), required=False,
        choices=[("", _("as printed at the steps")), ("0", _("count from 0")), ("1", _("count from 1"))],
    )  # fmt: skip
    model = forms.CharField(
        label=_("Model that compares the reasons"), required=False, max_length=200,
        help_text=_("Its endpoint is set on the server by OPENAI_BASE_URL and OPENAI_API_KEY."),
    )  # fmt: skip

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.release = release

    def clean_name(self) -> str:
        return free_name(self.release, self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        for field in ("answers", "people"):
            if data.get(field) and data[field].size > LARGEST_UPLOAD:
                self.add_error(field, _("The file is too large; grade it with the stepmark command."))
        if data.get("people") and data.get("model"):
            self.add_error("model", _("Give people’s verdicts or a model, not both."))
        return data


class RunForm(GradingForm):
    name = forms.CharField(label=_("Judge"), max_length=120, help_text=_("As it shall stand in the table."))
    model = forms.CharField(
        label=_("Model"), max_length=200,
        help_text=_("Its endpoint is set on the server by OPENAI_BASE_URL and OPENAI_API_KEY."),
    )  # fmt: skip
    preset = forms.ChoiceField(label=_("Prompt"), choices=[(name, name) for name in PRESETS])
    step_tag = forms.CharField(
        label=_("Mark behind each step"), max_length=40, initial=PRESETS["reward-model"].step_tag, required=False,
        strip=False, help_text=_("What a reward model scores; the prompt reward-model asks the server’s /pooling."),
    )  # fmt: skip
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
    top_p = forms.FloatField(label=_("Top p"), min_value=0, max_value=1, required=False)
    api = forms.ChoiceField(
        label=_("Way of asking"), required=False,
        choices=[("chat", _("chat completions")), ("responses", _("responses, where the server has them"))],
    )  # fmt: skip

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.release = release

    def clean_name(self) -> str:
        return free_name(self.release, self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        data["how"] = asdict(data["how"])
        data["api"] = data.get("api") or "chat"
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
