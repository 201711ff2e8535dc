"""A report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from exports.reports.sections import Section, sections
from exports.reports.summary import summary, title_of

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")


def markdown(report: Mapping[str, Any]) -> str:
    """The report as Markdown with tables; texts of the report cannot start mark-up of their own."""
    pieces = [
        f"# {escaped(title_of(report))}",
        *map(escaped, summary(report)),
        *(_section(section) for section in sections(report)),
    ]
    return "\n\n".join(pieces) + "\n"


def escaped(text: str) -> str:
    """A text as it is, on one line: everything that could be mark-up has a backslash before it."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _section(section: Section) -> str:
    pieces = [f"## {escaped(section.title)}"]
    if section.rows:
        aligned = ["---", *["---:"] * (len(section.columns) - 1)]
        body = [_line([escaped(cell) for cell in row]) for row in section.rows]
        pieces.append("\n".join([_line([escaped(name) for name in section.columns]), _line(aligned), *body]))
    return "\n\n".join([*pieces, *(escaped(note) for note in section.notes)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
