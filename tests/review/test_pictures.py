"""Pictures: where things are drawn, that texts are only texts, and that looks come from classes alone."""

from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from review.pictures import Dot, Heat, bars, dots, heat, standalone, trend

HOSTILE = '<script>alert("1")</script> & more'
ALL = {
    "dots": dots([Dot(HOSTILE, 0.5, 0.4, 0.6, 0.7), Dot("nothing", None)], HOSTILE, 0.3),
    "trend": trend([Dot(HOSTILE, 0.5, 0.4, 0.6, 0.7), Dot("2026-W06", None), Dot("2026-W07", 1)], HOSTILE),
    "heat": heat([HOSTILE], ["b"], {(0, 0): Heat(0.95, HOSTILE)}, HOSTILE),
    "bars": bars([(HOSTILE, [1, 2]), ("none", [0, 0])], ["one", HOSTILE], HOSTILE),
}


def drawn(picture: str, kind: str) -> list[Xml.Element]:
    """The shapes of a class."""
    return [each for each in Xml.fromstring(picture).iter() if kind in each.get("class", "").split()]


@pytest.mark.parametrize("name", list(ALL))
def test_a_picture_is_labelled_and_holds_no_markup_of_others_and_no_looks(name: str) -> None:
    root = Xml.fromstring(ALL[name])
    assert root.get("role") == "img"
    assert root.get("aria-label") == HOSTILE
    assert "<script" not in ALL[name]
    assert not [each for each in root.iter() if each.get("style") or each.get("fill")], "the policy forbids them"


def test_a_value_stands_at_its_place_on_the_axis() -> None:
    picture = dots([Dot("a", 0.0), Dot("b", 0.25, 0.0, 0.5), Dot("c", 1.0)], "label")
    nought, half, one = (float(each.get("x1", "")) for each in drawn(picture, "axis"))
    assert half - nought == pytest.approx(one - half)
    places = [(float(each.get("cx", "")) - nought) / (one - nought) for each in drawn(picture, "point")]
    assert places == pytest.approx([0, 0.25, 1])
    (whisker,) = drawn(picture, "whisker")
    assert [float(whisker.get(end, "")) for end in ("x1", "x2")] == pytest.approx([nought, half])


@pytest.mark.parametrize(
    ("lowest", "first_tick"), [(0.2, "0"), (-0.1, "−.25"), (-0.25, "−.25"), (-0.3, "−.5"), (-1.5, "−1")]
)
def test_the_axis_begins_where_the_lowest_value_needs_it(lowest: float, first_tick: str) -> None:
    texts = [each.text for each in Xml.fromstring(dots([Dot("a", 0.5, lowest, 0.6)], "label")).iter() if each.text]
    assert texts[0] == first_tick


def test_a_line_stops_where_a_value_is_missing() -> None:
    points = [Dot("2026-W01", 0.1), Dot("2026-W02", 0.2), Dot("2026-W03", None), Dot("2026-W04", 0.3)]
    assert len(drawn(trend(points, "label"), "path")) == 1


def test_colours_follow_shares_and_hidden_cells_stay_pale() -> None:
    cells = {(0, 0): Heat(0.0, "0"), (0, 1): Heat(0.55, "55"), (1, 0): Heat(1.0, "100"), (1, 1): Heat(None, "·")}
    picture = heat(["a", "b"], ["a", "b"], cells, "label")
    assert [each.get("class") for each in drawn(picture, "cell")] == ["cell h0", "cell h5", "cell h9", "cell none"]


def test_a_file_carries_its_style(tmp_path: Path) -> None:
    style = tmp_path / "style.css"
    style.write_text(".point { fill: red; }")
    root = Xml.fromstring(standalone(ALL["dots"], style))
    assert root[0].text == ".point { fill: red; }"
    assert root.get("role") == "img"
