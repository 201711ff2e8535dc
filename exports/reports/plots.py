"""Plots of a report as SVG: subjects with their intervals, reliability, risk against coverage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from exports.reports.figures import COMPARED, is_checked, trust_of, trust_word, within

_WIDTH, _HEIGHT, _LEFT, _TOP, _ROW = 480, 340, 56, 24, 26
_INK, _SOFT, _MARK = "#1b1f24", "#c3c9d1", "#0b5cad"

Plot = Callable[[Mapping[str, Any]], str | None]


def subjects(report: Mapping[str, Any]) -> str | None:
    """A dot and a 95 % interval for each subject and the macro mean: MR-Score, or F1 without compared reasons."""
    metric = "mr_score" if report["macro"]["mr_score"] is not None else "f1"
    places = [("macro mean", ["macro"])]
    places += [
        (f"{_short(name or 'no subject')} (n {found['counts']['n']})", ["subjects", name])
        for name, found in report["subjects"].items()
    ]
    shown = [(name, *_shown(report, metric, *place)) for name, place in places]
    rows = [(name, value, around) for name, value, around in shown if value is not None]
    if not rows:
        return None
    left, height = 200, _TOP + _ROW * len(rows) + 40
    scale = _scale(left, 460)
    drawn = [_axis(left, 460, _TOP + _ROW * len(rows))]
    for place, (name, value, around) in enumerate(rows):
        y = _TOP + _ROW * place + _ROW / 2
        drawn.append(_text(left - 10, y + 4, name, anchor="end"))
        if around:
            drawn.append(_line(scale(max(around[0], 0)), y, scale(around[1]), y, _MARK, 2))
        drawn.append(_dot(scale(max(value, 0)), y, f"{name}: {100 * value:.1f}"))
    words = {"unchecked": " (reasons unchecked)", "raw": " (corrected)"} if metric == "mr_score" else {}
    name = {"mr_score": "MR-Score", "f1": "F1"}[metric]
    return _svg(480, height, f"{name}{words.get(trust_word(report), '')} by subject, percent, 95 % intervals", drawn)


def _shown(report: Mapping[str, Any], metric: str, *place: str) -> tuple[float | None, Sequence[float] | None]:
    """The figure of a group and its interval; the corrected ones where people checked what a model made of reasons."""
    if metric in COMPARED and is_checked(report):
        corrected = within(trust_of(report).get("corrected") or {}, place)
        return corrected.get(metric), (corrected.get("intervals") or {}).get(metric)
    return within(report, place).get(metric), within(report["intervals"], place).get(metric)


def reliability(report: Mapping[str, Any]) -> str | None:
    """Share of right verdicts against mean confidence for each bin, with Wilson intervals; the line is perfection."""
    found = report.get("calibration")
    if not found:
        return None
    across, up = _scale(_LEFT, _WIDTH - 20), _scale(_HEIGHT - 48, _TOP)
    drawn = [_square(), _line(across(0), up(0), across(1), up(1), _SOFT, 1)]
    for each in found["bins"]:
        x = across(each["confidence"])
        drawn.append(_line(x, up(each["interval"][0]), x, up(each["interval"][1]), _MARK, 2))
        told = f"confidence {100 * each['confidence']:.1f}, right {each['right']} of {each['n']}"
        drawn.append(_dot(x, up(each["share"]), told))
    return _svg(_WIDTH, _HEIGHT, "Reliability: share of right verdicts against confidence, percent", drawn)


def risk(report: Mapping[str, Any]) -> str | None:
    """Error rate of the most confident answers against the share of items answered."""
    found = report.get("risk_coverage")
    if not found:
        return None
    across, up = _scale(_LEFT, _WIDTH - 20), _scale(_HEIGHT - 48, _TOP)
    points = " ".join(f"{across(coverage):.1f},{up(value):.1f}" for coverage, value in found["curve"])
    curve = f'<polyline points="{points}" fill="none" stroke="{_MARK}" stroke-width="2"/>'
    return _svg(_WIDTH, _HEIGHT, "Risk (error rate) against coverage, percent", [_square(), curve])


PLOTS: Mapping[str, Plot] = {"subjects": subjects, "reliability": reliability, "risk": risk}


def _scale(start: float, end: float) -> Callable[[float], float]:
    return lambda share: start + (end - start) * share


def _square() -> str:
    up = _scale(_HEIGHT - 48, _TOP)
    pieces = [_axis(_LEFT, _WIDTH - 20, _HEIGHT - 48)]
    for percent in (0, 25, 50, 75, 100):
        y = up(percent / 100)
        pieces.append(_line(_LEFT, y, _WIDTH - 20, y, _SOFT, 0.5) + _text(_LEFT - 6, y + 4, str(percent), anchor="end"))
    return "".join(pieces)


def _axis(left: float, right: float, y: float) -> str:
    scale, pieces = _scale(left, right), [_line(left, y, right, y, _INK, 1)]
    for percent in (0, 25, 50, 75, 100):
        x = scale(percent / 100)
        pieces.append(_line(x, y, x, _TOP - 4, _SOFT, 0.5) + _text(x, y + 18, str(percent)))
    return "".join(pieces)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width:g}"/>'


def _dot(x: float, y: float, told: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_MARK}"><title>{escape(told)}</title></circle>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" fill="{_INK}">{escape(text)}</text>'


def _short(name: str, longest: int = 21) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _svg(width: float, height: float, title: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="system-ui, sans-serif"><title>{escape(title)}</title>'
        f"{''.join(drawn)}{_text(width / 2, height - 8, title)}</svg>\n"
    )
