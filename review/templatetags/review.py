"""Names that review pages show."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.translation import gettext as _

from annotation.audit import ACTS, PARTICULARS
from annotation.forms import category_name as named
from annotation.models import Event, Project, ReportKind, Standing, Step, User, Verdict
from review.discussion import unseen_mentions
from review.models import Basis, Outcome, ReasonPair
from review.oddity_names import ODDITY_NAMES
from review.readers import Reader
from review.returns import questions_for

register = template.Library()
NAMED_VALUES: dict[str, dict[str, Any]] = {
    "basis": dict(Basis.choices),
    "kind": dict(ReportKind.choices),
    "outcome": dict(Outcome.choices),
    "placement": dict(Verdict.Placement.choices),
    "standing": dict(Standing.choices),
}


@register.simple_tag
def questions_waiting(annotator: User, project: Project) -> int:
    """How many questions of leads wait for this annotator's answer."""
    return questions_for(annotator, project).count()


@register.simple_tag
def mentions_waiting(user: User) -> int:
    """How many comments name this person and were not opened yet."""
    return unseen_mentions(user).count()


@register.filter
def step_name(position: int | None, steps: Sequence[Step]) -> str:
    """What people call the step at a position."""
    return next((step.name for step in steps if step.position == position), "–")


@register.filter
def category_name(category: str) -> str:
    """What people call an error category."""
    return named(category)


@register.filter
def sentence(text: str) -> str:
    """A fixed sentence of the statistics in the reader's language."""
    return _(text) if text else ""


@register.filter
def oddity_name(kind: str) -> str:
    """What people call a kind of oddity in an imported file."""
    return str(ODDITY_NAMES.get(kind, kind))


@register.filter
def act_name(event: Event) -> str:
    """What a logged act is called."""
    return str(ACTS.get(event.act, event.act))


@register.filter
def act_detail(event: Event) -> str:
    """The particulars of a logged act in one line."""
    shown = [
        _("%(name)s: %(value)s") % {"name": PARTICULARS.get(name, name), "value": _particular(name, value)}
        for name, value in event.detail.items()
        if value not in ("", None) and not (name == "placement" and event.detail.get("correct"))
    ]
    return " · ".join(shown)[:300]


def _particular(name: str, value: Any) -> str:
    if name in NAMED_VALUES:
        return str(NAMED_VALUES[name].get(value, value))
    if name == "first_error" and isinstance(value, int):
        return _("step %d") % (value + 1)
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    return named(str(value)) if name == "category" else str(value)


@register.filter
def pair_of(pairs: dict[tuple[int, int], ReasonPair], first: Reader) -> tuple[dict[tuple[int, int], ReasonPair], int]:
    """Half of a look-up of two readers' pair of reasons; `with_second` is the other half."""
    return pairs, first.label.pk


@register.filter
def with_second(half: tuple[dict[tuple[int, int], ReasonPair], int], second: Reader) -> ReasonPair | None:
    """The pair of two readers' reasons, whichever came first."""
    pairs, first = half
    return pairs.get((first, second.label.pk)) or pairs.get((second.label.pk, first))
