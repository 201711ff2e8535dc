"""Frozen items and what is said of them, as pages show them."""

import json
from typing import Any

from django import template
from django.utils.translation import gettext as _

from annotation.models import Step, Verdict
from exports.models import ReleaseItem

register = template.Library()


@register.filter
def frozen(item: ReleaseItem) -> dict[str, Any]:
    """The frozen record of an item."""
    record: dict[str, Any] = json.loads(item.record)
    return record


@register.filter
def place_in(row: Verdict, record: dict[str, Any]) -> str:
    """What a verdict says of the solution, in words."""
    if row.correct is None:
        return _("no verdict")
    if row.correct:
        return _("correct")
    if row.first_error is None or row.first_error >= len(record["steps"]):
        return _("incorrect, no step")
    step = record["steps"][row.first_error]
    name = Step(position=row.first_error, label=step["label"], kind=step["kind"]).name
    if row.placement == Verdict.Placement.BEFORE:
        return _("incorrect, missing before %s") % name
    return _("incorrect at %s") % name
