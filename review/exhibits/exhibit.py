"""A picture and its table: one description for the page, the CSV file and the SVG file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project


@dataclass(frozen=True)
class Column:
    """`name` heads it on the page; `csv` are the names of its column, or columns, in the file."""

    name: str
    csv: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True)
class Cell:
    """`value` goes into the file (a tuple fills as many columns); `text`, `note` and the link `href` onto the page."""

    value: Any
    text: str = ""
    note: str = ""
    href: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A picture with its table; `warnings` stand above them, `notes` below, `links` lead to further files."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    picture: str = ""
    legend: str = ""
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = field(default=())

    def csv_rows(self) -> Iterator[list[Any]]:
        """The table as rows for a file, header first."""
        yield [name for column in self.columns for name in column.csv]
        for row in self.rows:
            yield [part for cell in row for part in (cell.value if isinstance(cell.value, tuple) else (cell.value,))]

    def shown_rows(self) -> Iterator[list[tuple[Column, Cell]]]:
        """The cells of each row with their columns."""
        for row in self.rows:
            yield list(zip(self.columns, row, strict=True))


def text(value: Any, href: str = "", note: str = "") -> Cell:
    """A cell that shows its value."""
    return Cell(value, str(value), note, href)


def count(value: int, href: str = "") -> Cell:
    """A number of items; it opens to them where there are any."""
    return Cell(value, f"{value:,}".replace(",", "\u202f"), href=href if value else "")


def score(value: float | None) -> str:
    """A figure as it is printed: three places, no leading nought."""
    if value is None:
        return "–"
    shown = f"{value:.3f}"
    return (shown.replace("0.", ".", 1) if abs(value) < 0.9995 else f"{value:.0f}").replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """An interval as it is printed; empty when there is none."""
    return "" if low is None or high is None else f"{score(low)} – {score(high)}"


def percent(value: float | None) -> str:
    """A share as it is printed."""
    return "–" if value is None else f"{100 * value:.1f} %"


def translated(sentence: str) -> str:
    """A fixed sentence of the statistics in the reader's language."""
    return _(sentence) if sentence else ""


def address(name: str, project: Project, query: Mapping[str, Any], **kwargs: Any) -> str:
    """The address of a page of the campaign; empty parts of the query are left out."""
    given = {key: value for key, value in query.items() if value not in ("", None)}
    # An empty part is a part all the same: what has no subject, or no guideline.
    if given.get("by") and query.get("part") == "":
        given["part"] = ""
    return reverse(name, args=[project.slug, *kwargs.values()]) + (f"?{urlencode(given)}" if given else "")
