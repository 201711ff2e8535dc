"""How scores are printed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exports import differences
from exports.report_words import REPORT_WORDS

register = template.Library()
register.filter("points", differences.points)
register.filter("unsigned_points", differences.unsigned_points)
register.filter("p_value", differences.p_value)
PLOT_WIDTH = 180


@register.filter
def score(value: float | None) -> str:
    """A score from -1 to 1 with three places and no leading nought; a dash when it is not defined."""
    if value is None:
        return "–"
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 0.9995 else f"{value:.0f}"


@register.filter
def span(interval: Sequence[float] | None) -> str:
    """An interval as `.51–.59`; nothing when there is none."""
    return "–".join(f"{end:.2f}".replace("0.", ".", 1) if abs(end) < 1 else f"{end:.0f}" for end in interval or ())


@register.filter
def percent(value: float | None) -> str:
    """A share as a percentage with one place."""
    return "–" if value is None else f"{100 * value:.1f} %"


@register.filter
def at(mapping: Mapping[str, Any] | None, key: str) -> Any:
    """The value under a key; nothing when there is none."""
    return mapping.get(key) if mapping else None


@register.simple_tag
def dot(value: float | None, interval: Sequence[float] | None = None, low: float = 0.0) -> SafeString:
    """A point with its interval on a line from `low` to 1, for table cells; the numbers stand beside it."""
    if value is None:
        return SafeString("")

    def x(score_: float) -> str:
        return f"{4 + (PLOT_WIDTH - 8) * (min(1, max(low, score_)) - low) / (1 - low):.1f}"

    whisker = (
        format_html('<line class="whisker" x1="{}" x2="{}" y1="8" y2="8"/>', x(interval[0]), x(interval[1]))
        if interval
        else ""
    )
    return format_html(
        '<svg class="dot" width="{w}" height="16" viewBox="0 0 {w} 16" aria-hidden="true">'
        '<line class="axis" x1="4" x2="{end}" y1="8" y2="8"/>{whisker}<circle cx="{cx}" cy="8" r="4.5"/></svg>',
        w=PLOT_WIDTH, end=PLOT_WIDTH - 4, whisker=whisker, cx=x(value),
    )  # fmt: skip


@register.filter
def points_span(interval: Sequence[float] | None) -> str:
    """The interval of a difference in percentage points; nothing when there is none."""
    return " … ".join(differences.points(end) for end in interval or ())


@register.filter
def named(name: str) -> str:
    """What people call a name that a report holds; others stay as they are."""
    return str(REPORT_WORDS.get(name, name))


@register.filter
def words(text: str) -> list[str]:
    """The words of a text, to loop over."""
    return text.split()
