"""How scores are printed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exports import differences
from exports.report_words import REPORT_WORDS
from exports.reports import figures
from exports.reports.figures import COMPARED, fraction_of

register = template.Library()
register.filter("points", differences.points)
register.filter("unsigned_points", differences.unsigned_points)
register.filter("p_value", differences.p_value)


@register.filter
def score(value: float | None) -> str:
    """A score from -1 to 1 with three places and no leading nought; a dash when it is not defined."""
    if value is None:
        return "–"
    return f"{value:z.3f}".replace("0.", ".", 1) if abs(value) < 0.9995 else f"{value:.0f}"


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


@register.filter
def fraction(found: Mapping[str, Any], metric: str) -> str:
    """The fraction that a share is, as 3/7; nothing for figures that are none."""
    return fraction_of(found, metric)


@register.filter
def trust_word(report: Mapping[str, Any]) -> str:
    """What has to stand beside a figure that a model's verdicts on reasons make: `raw`, `unchecked`, or nothing."""
    return figures.trust_word(report)


@register.inclusion_tag("exports/figure.html")
def figure(
    report: Mapping[str, Any],
    found: Mapping[str, Any] | None,
    metric: str,
    spans: Mapping[str, Any] | None = None,
    told: Mapping[str, Any] | None = None,
    *,
    tagged: bool = False,
) -> dict[str, Any]:
    """A metric of a group with its fraction and interval; the corrected one of `told` above the raw one.

    `tagged` says beside the figure that it is unchecked, for tables whose heading does not.
    """
    value, word = at(found, metric), trust_word(report) if metric in COMPARED else ""
    around, fraction_told = at(spans, metric), "" if value is None else fraction_of(found or {}, metric)
    if value is None or word != "raw":
        unchecked = tagged and value is not None and word == "unchecked"
        return {"value": value, "around": around, "fraction": fraction_told, "raw": None, "unchecked": unchecked}
    corrected, around = at(told, metric), at(at(told, "intervals"), metric)
    return {"value": corrected, "around": around, "fraction": fraction_told, "raw": value}


@register.simple_tag
def dot(value: float | None, interval: Sequence[float] | None = None, low: float = 0.0) -> SafeString:
    """A point with its interval on a line from `low` to 1, for table cells; the numbers stand beside it."""
    if value is None:
        return SafeString("")

    def x(score_: float) -> str:
        return f"{100 * (min(1, max(low, score_)) - low) / (1 - low):.1f}%"

    whisker = (
        format_html('<line class="whisker" x1="{}" x2="{}" y1="8" y2="8"/>', x(interval[0]), x(interval[1]))
        if interval
        else ""
    )
    return format_html(
        '<svg class="dot" height="16" aria-hidden="true"><line class="axis" x1="0" x2="100%" y1="8" y2="8"/>'
        '{whisker}<circle cx="{cx}" cy="8" r="4.5"/></svg>',
        whisker=whisker, cx=x(value),
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
