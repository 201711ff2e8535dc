"""The forms of review."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation import guidelines
from annotation.forms import VerdictForm
from annotation.models import Annotation, Project, Standing, Step, TextFormat
from annotation.sources import SOURCES
from review.adjudication import Decision
from review.models import Cause, Outcome

LARGEST_UPLOAD = 64 * 1024 * 1024


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"), choices=[(name, name) for name in SOURCES])
    labels = forms.ChoiceField(
        label=_("Published labels"), initial="ignore",
        choices=[
            ("ignore", _("Ignore them: everything is to be labelled here")),
            ("gold", _("Take them as gold: the project is finished")),
            ("annotations", _("Take them as annotators’ labels, to be adjudicated here")),
        ],
    )  # fmt: skip
    text_format = forms.ChoiceField(
        label=_("Text format"), required=False, choices=[("", _("As the file’s format suggests")), *TextFormat.choices]
    )
    skip_bad = forms.BooleanField(label=_("Skip records with errors, and list them"), required=False)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_UPLOAD:
            raise ValidationError(
                _("The file is larger than %(n)d MB; import it with manage.py import_solutions."),
                params={"n": LARGEST_UPLOAD // 2**20},
            )
        if not file.size:
            raise ValidationError(_("The file is empty."))
        return file


class DecisionForm(VerdictForm):
    """A lead's decision: the same three questions, and what the decision rests on."""

    outcome = forms.ChoiceField(choices=Outcome, initial=Outcome.GOLD, widget=forms.HiddenInput)
    adopted = forms.IntegerField(required=False, widget=forms.HiddenInput)
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    missing_labels = forms.IntegerField(required=False, min_value=0)
    clause = forms.ChoiceField(
        label=_("Clause of the guideline that needs work"), required=False, help_text=_("Where a clause is at fault."),
        widget=forms.Select(attrs={"data-key": "g"}),
    )  # fmt: skip
    cause = forms.ChoiceField(
        label=_("Why they differed"), choices=Cause, required=False, widget=forms.RadioSelect
    )  # fmt: skip
    rationale = forms.CharField(
        label=_("Note"), required=False, max_length=20_000, widget=forms.Textarea,
        help_text=_("Needed when you overrule everyone or discard."),
    )  # fmt: skip

    def __init__(
        self, *args: Any, project: Project, steps: Sequence[Step], labels: Sequence[Annotation], **kwargs: Any
    ) -> None:  # fmt: skip
        super().__init__(*args, project=project, steps=steps, **kwargs)
        self.labels = {label.pk: label for label in labels}
        clauses = guidelines.clauses(project)
        self.fields["clause"].choices = [("", "–"), *((name, name) for name in clauses)]  # type: ignore[attr-defined]
        if self.data.get("outcome", Outcome.GOLD) != Outcome.GOLD:
            self.fields["correct"].required = False

    def clean_adopted(self) -> int | None:
        adopted: int | None = self.cleaned_data["adopted"]
        if adopted is not None and adopted not in self.labels:
            raise ValidationError(_("That label does not belong to this item."))
        return adopted

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("outcome") != Outcome.GOLD:
            return self.cleaned_data
        return super().clean()

    def decision(self) -> Decision:
        """What a valid form hands to the rule."""
        data = self.cleaned_data
        outcome = Outcome(data["outcome"])
        gold = outcome == Outcome.GOLD
        adopted = self.labels.get(data["adopted"]) if gold and data.get("adopted") else None
        return Decision(
            outcome, self.verdict if gold else None, adopted, data.get("cause", ""), data.get("clause", ""),
            data.get("rationale", ""), data.get("seen"), data.get("missing_labels") or 0,
        )  # fmt: skip


class QuestionForm(forms.Form):
    question = forms.CharField(
        label=_("Question to the annotators"), max_length=5_000, widget=forms.Textarea(attrs={"rows": 3})
    )


class CommentForm(forms.Form):
    text = forms.CharField(
        label=_("Comment"), max_length=10_000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("@login tells somebody."),
    )  # fmt: skip
    clause = forms.CharField(required=False, max_length=120, widget=forms.HiddenInput)


class KeyForm(forms.Form):
    accepted = forms.CharField(
        label=_("Accepted answers"), required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One a line; each of them is right."),
    )  # fmt: skip
    standing = forms.ChoiceField(label=_("Standing of the problem"), choices=Standing)
    reason = forms.CharField(label=_("Reason"), max_length=10_000, widget=forms.Textarea(attrs={"rows": 3}))

    def clean_accepted(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["accepted"].splitlines() if line.strip()]


class RecheckForm(forms.Form):
    size = forms.IntegerField(label=_("Items to decide again"), min_value=1, max_value=1000, initial=20)
