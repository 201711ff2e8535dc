"""A grade report as a page, a text, a table for a paper, or plots; made from its JSON alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from exports.reports.latex import latex
from exports.reports.markdown import markdown
from exports.reports.page import page
from exports.reports.plots import PLOTS
from exports.reports.summary import summary, title_of, versions

__all__ = ["FORMATS", "PLOTS", "NoReport", "Report", "check_report", "plot", "render"]

Report = Mapping[str, Any]

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "html": page,
    "md": markdown,
    "tex": latex,
    "json": lambda report: json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n",
}

_PARTS = (
    "macro",
    "pooled",
    "item_weighted",
    "subjects",
    "intervals",
    "counts",
    "answers",
    "reasons",
    "how",
    "baselines",
)


class NoReport(ValueError):
    """This is no report of a grading."""


def check_report(report: Any) -> Report:
    """The report, if it is one. Raises: NoReport naming what is missing."""
    if not isinstance(report, dict):
        raise NoReport("This is no grade report: an object as `stepmark grade --json` prints is expected.")
    missing = [part for part in _PARTS if part not in report]
    if missing:
        raise NoReport(f"This is no grade report: {', '.join(missing)} is missing.")
    return report


def render(report: Report, form: str) -> str:
    """The report in one of FORMATS."""
    return FORMATS[form](report)


def plot(report: Report, name: str) -> str:
    """One of PLOTS as SVG, described. Raises: NoReport when the report has no figures for it."""
    drawn = PLOTS[name](report)
    if drawn is None:
        raise NoReport(f"There is nothing to draw for {name}: {report.get('why_no_confidence') or 'no figures'}")
    told = escape(" ".join([title_of(report) + ".", *summary(report), versions(report)]))
    return drawn.replace("</title>", f"</title><desc>{told}</desc>", 1)
