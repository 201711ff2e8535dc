"""Names that review pages show."""

from collections.abc import Sequence

from django import template
from django.utils.translation import gettext as _

from annotation.forms import category_name as named
from annotation.models import Step

register = template.Library()


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
