"""The figures of the table of scores: each with its interval and fraction, and the raw one beside a corrected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

METRICS = {
    "mr_score": "MR-Score",
    "mcc": "MCC",
    "acc_step": "Step",
    "acc_reason": "Reason",
    "f1": "F1",
    "correct_accuracy": "Correct",
}
COMPARED = ("mr_score", "acc_reason")  # made of verdicts on reasons
FRACTIONS = {
    "acc_step": ("step_hits", "n_incorrect"),
    "acc_step_within_one": ("near_hits", "n_incorrect"),
    "acc_reason": ("reason_hits", "n_incorrect"),
    "error_accuracy": ("step_hits", "n_incorrect"),
    "correct_accuracy": ("tp", "n_correct"),
}
UNDEFINED = "–"
_JOINED = "\N{NO-BREAK SPACE}"  # a narrow cell breaks before an interval, not inside

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in percent with its fraction and 95 % interval.

    `raw` is what a model's verdicts alone make of it; the fraction is then that of the raw figure.
    """

    value: str
    fraction: str = ""
    around: Sequence[float] | None = None
    raw: str = ""

    def __str__(self) -> str:
        fraction = f"{_JOINED}({self.fraction})" if self.fraction else ""
        span = f" [{percent(self.around[0])},{_JOINED}{percent(self.around[1])}]" if self.around else ""
        raw = self.raw.replace(" ", _JOINED)
        return f"{self.value}{span}; {raw}{fraction}" if raw else f"{self.value}{fraction}{span}"


def percent(value: float | None) -> str:
    """A share of 1 in percent with one decimal."""
    return UNDEFINED if value is None else f"{100 * value:.1f}"


def trust_of(report: Report) -> Mapping[str, Any]:
    """What is known of the verdicts on reasons: `status`, and what people's checks say of them."""
    found: Mapping[str, Any] = report["reasons"].get("trust") or {}
    return found


def trust_word(report: Report) -> str:
    """What has to stand beside a figure that a model's verdicts on reasons make; nothing where there are none of it."""
    reasons, status = report["reasons"], trust_of(report).get("status")
    if reasons.get("compared") == 0:
        return ""
    if status is None and reasons["mode"] == "llm" and not reasons["why_null"]:
        return "unchecked"  # a report from before there were checks
    return {"unchecked": "unchecked", "checked": "raw"}.get(status or "", "")


def is_checked(report: Report) -> bool:
    """Whether people checked the model's verdicts, so that there are corrected figures."""
    return trust_of(report).get("status") == "checked"


def headed(report: Report, names: Mapping[str, str], *, corrected: bool = False) -> dict[str, str]:
    """Names of metrics, those made of a model's verdicts with their word; `corrected` where the figures below are."""
    word = "corrected" if corrected and is_checked(report) else trust_word(report)
    return {metric: f"{name} ({word})" if word and metric in COMPARED else name for metric, name in names.items()}


def figure(
    found: Mapping[str, Any],
    metric: str,
    spans: Mapping[str, Any] | None = None,
    told: Mapping[str, Any] | None = None,
    *,
    checked: bool = False,
) -> Figure:
    """One metric of a group of items. `told` are the group's corrected figures.

    With `checked` a figure that a model's verdicts make is called raw, beside the corrected one where there is one.
    """
    value = found.get(metric)
    if value is None:
        return Figure(UNDEFINED)
    plain, fraction, around = percent(value), fraction_of(found, metric), (spans or {}).get(metric)
    if not checked or metric not in COMPARED:
        return Figure(plain, fraction, around)
    corrected = (told or {}).get(metric)
    if corrected is None:
        return Figure(f"raw {plain}", fraction, around)
    return Figure(percent(corrected), fraction, ((told or {}).get("intervals") or {}).get(metric), f"raw {plain}")


def fraction_of(found: Mapping[str, Any], metric: str) -> str:
    """The fraction that a share is, as "3/7"; nothing for other figures and for means of shares."""
    counts = found.get("counts")
    if not counts or metric not in FRACTIONS:
        return ""
    part, whole = FRACTIONS[metric]
    return f"{counts[part]}/{counts[whole]}"


def score_rows(report: Report) -> Iterator[tuple[str, dict[str, Figure]]]:
    """Name and figures of each row of the table of scores: the averages, then the subjects."""
    spans, told, checked = report["intervals"], trust_of(report).get("corrected") or {}, is_checked(report)

    def row(found: Mapping[str, Any], *place: str) -> dict[str, Figure]:
        around, corrected = within(spans, place), within(told, place)
        return {metric: figure(found, metric, around, corrected, checked=checked) for metric in METRICS}

    yield "macro mean", row(report["macro"], "macro")
    yield f"pooled (n {report['counts']['n']})", row(report["pooled"], "pooled")
    yield "item-weighted mean", row(report["item_weighted"], "item_weighted")
    for name, found in report["subjects"].items():
        yield f"{name or 'no subject'} (n {found['counts']['n']})", row(found, "subjects", name)


def within(mapping: Mapping[str, Any], place: Sequence[str]) -> Mapping[str, Any]:
    """What stands at a place, in reports of every age."""
    for name in place:
        mapping = mapping.get(name) or {}
    return mapping
