"""Small pictures of agreement as SVG: looks come from classes (pictures.css), numbers stand in the table beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

PLOT, ROW, EDGE = 300, 24, 8
LONGEST, LETTER = 26, 6.6  # of a name: letters, and the width of one
LEVELS = 10  # classes h0 to h9


@dataclass(frozen=True, slots=True)
class Dot:
    """A row of a dot plot: a value with its interval, and perhaps a second value, drawn hollow."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    second: float | None = None


@dataclass(frozen=True, slots=True)
class Heat:
    """A cell of a heat map: `share` (0 to 1) is its colour, None leaves it pale; `text` stands in it."""

    share: float | None
    text: str


def dots(rows: Sequence[Dot], label: str, line_at: float | None = None) -> str:
    """Values with intervals, one below the other, on a common axis from 0 (or the lowest quarter below it) to 1."""
    low, margin = _floor(rows), _margin(row.name for row in rows)
    svg = _picture(margin + PLOT + 2 * EDGE, ROW * len(rows) + 26, label)

    def x(value: float) -> float:
        return margin + EDGE + PLOT * (min(1.0, max(low, value)) - low) / (1 - low)

    bottom = ROW * len(rows) + 4
    for tick in sorted({low, 0.0, 0.5, 1.0}):
        _line(svg, x(tick), 2, x(tick), bottom, "axis")
        _text(svg, x(tick), bottom + 15, _number(tick), "middle")
    if line_at is not None:
        _line(svg, x(line_at), 2, x(line_at), bottom, "level")
    for place, row in enumerate(rows):
        y = ROW * place + ROW / 2 + 2
        _text(svg, margin - 4, y + 4, _short(row.name), "end", title=row.name)
        if row.low is not None and row.high is not None:
            _line(svg, x(row.low), y, x(row.high), y, "whisker")
        if row.second is not None:
            _circle(svg, x(row.second), y, "second")
        if row.value is not None:
            _circle(svg, x(row.value), y, "point")
    return _written(svg)


def trend(points: Sequence[Dot], label: str) -> str:
    """Values with intervals from left to right, joined by a line where neighbours have one."""
    low, height, left = _floor(points), 160, 44
    step = max(40.0, min(64.0, 360 / max(1, len(points))))
    svg = _picture(left + step * len(points) + EDGE, height + 50, label)

    def y(value: float) -> float:
        return 10 + height * (1 - (min(1.0, max(low, value)) - low) / (1 - low))

    for tick in sorted({low, 0.0, 0.5, 1.0}):
        _line(svg, left, y(tick), left + step * len(points), y(tick), "axis")
        _text(svg, left - 8, y(tick) + 4, _number(tick), "end")
    for name in ("second", "value"):
        before: tuple[float, float] | None = None
        for place, point in enumerate(points):
            found, x = getattr(point, name), left + step * (place + 0.5)
            if found is not None and before:
                _line(svg, *before, x, y(found), "path" if name == "value" else "path second")
            before = None if found is None else (x, y(found))
    for place, point in enumerate(points):
        x = left + step * (place + 0.5)
        _text(svg, x, height + 28, point.name.partition("-")[2] or point.name, "middle", title=point.name)
        if place == 0 or points[place - 1].name[:4] != point.name[:4]:
            _text(svg, x, height + 44, point.name[:4], "middle")
        if point.low is not None and point.high is not None:
            _line(svg, x, y(point.low), x, y(point.high), "whisker")
        if point.second is not None:
            _circle(svg, x, y(point.second), "second")
        if point.value is not None:
            _circle(svg, x, y(point.value), "point")
    return _written(svg)


def heat(rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[int, int], Heat], label: str) -> str:
    """A heat map: rows x columns, a cell each; places without a cell stay empty."""
    size, head, left = 40, 74, 110
    svg = _picture(left + size * len(columns) + 46, head + size * len(rows) + EDGE, label)
    for place, name in enumerate(columns):
        x = left + size * place + size / 2
        text = _text(svg, x, head - 8, _short(name, 12), "start", title=name)
        text.set("transform", f"rotate(-50 {x:.1f} {head - 8})")
    for place, name in enumerate(rows):
        _text(svg, left - 8, head + size * place + size / 2 + 4, _short(name, 15), "end", title=name)
    for (row, column), each in cells.items():
        x, y = left + size * column, head + size * row
        shade = "none" if each.share is None else f"h{min(LEVELS - 1, int(each.share * LEVELS))}"
        Xml.SubElement(
            svg, "rect", {"x": str(x + 1), "y": str(y + 1), "width": str(size - 2), "height": str(size - 2),
                          "rx": "3", "class": f"cell {shade}"},
        )  # fmt: skip
        _text(svg, x + size / 2, y + size / 2 + 4, each.text, "middle", "in-cell")
    return _written(svg)


def bars(rows: Sequence[tuple[str, Sequence[int]]], names: Sequence[str], label: str) -> str:
    """Counts as parts of a whole, one stacked bar a row, with a legend of the parts' names."""
    margin = _margin(name for name, _counts in rows)
    svg = _picture(margin + PLOT + 56, ROW * len(rows) + 32, label)
    for place, (name, counts) in enumerate(rows):
        y, total, at = ROW * place + 2, sum(counts), margin
        _text(svg, margin - 8, y + 15, _short(name), "end", title=name)
        for part, count in enumerate(counts):
            width = PLOT * count / total if total else 0
            shape = {"x": f"{at:.1f}", "y": str(y + 3), "width": f"{width:.1f}", "height": str(ROW - 8)}
            Xml.SubElement(svg, "rect", shape | {"class": f"part{part}"})
            at += width
        _text(svg, margin + PLOT + 6, y + 15, str(total), "start")
    x = margin
    for part, name in enumerate(names):
        shape = {"x": f"{x:.1f}", "y": str(ROW * len(rows) + 12), "width": "10", "height": "10"}
        Xml.SubElement(svg, "rect", shape | {"class": f"part{part}"})
        _text(svg, x + 15, ROW * len(rows) + 21, name, "start")
        x += 34 + 7.2 * len(name)
    return _written(svg)


def standalone(picture: str, style: Path) -> str:
    """A picture as a file of its own: with its style inside, since nothing else will give it one."""
    head, _, rest = picture.partition(">")
    return f"{head}><style>{style.read_text(encoding='utf-8')}</style>{rest}"


def _margin(names: Iterable[str]) -> float:
    """The room that names need at the left."""
    return 24 + LETTER * min(LONGEST, max(map(len, names), default=0))


def _floor(rows: Sequence[Dot]) -> float:
    """Where the axis begins: 0, or the next quarter below what is drawn."""
    lowest = min((x for row in rows for x in (row.value, row.low, row.second) if x is not None), default=0.0)
    return next((low for low in (0.0, -0.25, -0.5, -0.75) if lowest >= low), -1.0)


def _picture(width: float, height: float, label: str) -> Xml.Element:
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}", "viewBox": f"0 0 {width:.0f} {height:.0f}"}
    about = {"xmlns": "http://www.w3.org/2000/svg", "class": "picture", "role": "img", "aria-label": label}
    return Xml.Element("svg", about | size)


def _line(svg: Xml.Element, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    Xml.SubElement(svg, "line", ends | {"class": kind})


def _circle(svg: Xml.Element, x: float, y: float, kind: str) -> None:
    Xml.SubElement(svg, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4.5", "class": kind})


def _text(
    svg: Xml.Element, x: float, y: float, text: str, anchor: str, kind: str = "", *, title: str = ""
) -> Xml.Element:
    found = Xml.SubElement(svg, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor})
    if kind:
        found.set("class", kind)
    found.text = text
    if title and title != text:
        Xml.SubElement(found, "title").text = title
    return found


def _short(name: str, most: int = LONGEST) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _number(value: float) -> str:
    return f"{value:g}".replace("0.", ".").replace("-", "−")


def _written(svg: Xml.Element) -> str:
    return Xml.tostring(svg, encoding="unicode")
