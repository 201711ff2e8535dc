"""A report as one HTML file that needs nothing else: no script, no font, no address."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

from exports.reports.plots import PLOTS
from exports.reports.sections import Section, sections
from exports.reports.summary import summary, title_of

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #d5d9de; text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
div.wide { overflow-x: auto; }
p { max-width: 50rem; }
svg { max-width: 100%; height: auto; }
@media print { body { margin: 0; } }
</style>
</head>
<body>
<h1>$title</h1>
$summary
$content
</body>
</html>
""")


def page(report: Mapping[str, Any]) -> str:
    """The report as a page; every text of the report is escaped."""
    drawn = {"Scores": "subjects", "Calibration": "reliability", "Risk and coverage": "risk"}
    pieces = []
    for section in sections(report):
        plot = PLOTS[drawn[section.title]](report) if section.title in drawn else None
        pieces.append(_section(section, plot or ""))
    told = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in summary(report))
    return _PAGE.substitute(title=escape(title_of(report)), summary=told, content="\n".join(pieces))


def _section(section: Section, plot: str) -> str:
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in section.notes)
    return f"<section>\n<h2>{escape(section.title)}</h2>\n{_table(section)}{plot}{notes}</section>"


def _table(section: Section) -> str:
    if not section.rows:
        return ""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in section.columns)
    body = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in section.rows
    )
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(section.title)}">{table}</div>\n'
