"""Grade reports in every form: complete, with fractions, escaped, and honest about unchecked reasons."""

import json
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from exports.grading import grade
from exports.human_checks import read_checks
from exports.parsing import read_answers
from exports.reports import FORMATS, NoReport, check_report, plot, render
from exports.reports.plots import PLOTS
from exports.trust import with_checks
from tests.exports.small_release import solution
from tests.exports.test_double_sampling import filled, graded
from tests.exports.test_grading import release, replying

HOSTILE = '<script>alert("1")</script> & | `x` $\\evil{y}_1 %'


@cache
def report() -> dict[str, Any]:
    """Three subjects, one with a hostile name; 2 of 4 steps found in math; confidence given."""
    items = [solution(f"w{n}", n % 2, problem=f"p{n}") for n in range(4)]
    items += [solution("r", None), solution("h", 1, subject=HOSTILE), solution("b", None, subject="biology")]
    lines = []
    for n, item in enumerate(items):
        assert item.gold is not None
        gold = item.gold.verdict
        said: dict[str, Any] = {"id": item.id, "correct": gold.correct, "confidence": 0.5 + n / 20}
        if not gold.correct:
            said |= {"first_error": (gold.first_error or 0) + (0 if n < 2 else 1), "reason": "because"}
        lines.append(json.dumps(said).encode())
    answers = read_answers(lines, items)
    made = grade(release(items), answers, reasons=replying("Verdict: same"), label_noise=0.02)
    stored: dict[str, Any] = json.loads(json.dumps(made.as_dict()))
    return stored


class Tags(HTMLParser):
    """What a browser would see: tags, attributes, text, and whether all is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(text: str) -> Tags:
    found = Tags()
    found.feed(text)
    assert found.open == []
    return found


def test_the_page_is_whole_escaped_and_needs_nothing_else() -> None:
    text = render(report(), "html")
    found = seen(text)
    assert "script" not in found.tags
    assert HOSTILE in found.text
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href")]
    for title in ("Scores", "Beside it", "Answers", "Reasons", "Calibration", "Risk and coverage", "How it was made"):
        assert f"<h2>{title}</h2>" in text
    assert text.count("<svg") == 3


def test_shares_have_their_fractions_and_undefined_is_no_number() -> None:
    text = render(report(), "md")
    line = next(line for line in text.splitlines() if line.startswith("| math (n 5)"))
    assert "50.0 (2/4)" in line
    line = next(line for line in text.splitlines() if line.startswith("| biology (n 1)"))
    # no incorrect solution in biology: only MCC (0/0, counted as 0) and the one correct solution have values
    assert line.split("|")[2:-1] == [" – ", " 0.0 ", " – ", " – ", " – ", " 100.0 (1/1) "]


def test_every_form_says_that_reasons_are_unchecked() -> None:
    for form in ("html", "md", "tex"):
        assert "Reason (unchecked)" in render(report(), form), form
    assert "unchecked" in plot(report(), "subjects")


def test_a_checked_report_shows_corrected_scores_first() -> None:
    made = with_checks(graded(), read_checks(filled(graded(), lambda n, _: n % 3 != 0))).as_dict()
    stored = json.loads(json.dumps(made))
    for form in ("html", "md", "tex"):
        text = render(stored, form)
        assert text.index("macro, corrected") < text.index("macro mean"), form
        assert "Reason (raw)" in text
    assert "checked by people" in render(stored, "md")


def test_markdown_cannot_be_broken_out_of() -> None:
    text = render(report(), "md")
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    kinds = {child.type for token in tokens for child in token.children or ()} | {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "code_inline", "link_open", "image"}
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == sum(line.startswith("| ") and not line.startswith("| ---") for line in text.splitlines())


def test_the_latex_table_is_balanced_and_escaped() -> None:
    text = render(report(), "tex")
    assert r"\textless{}script\textgreater{}" in text
    assert r"\textbackslash{}evil\{y\}\_1 \%" in text
    assert r"\$" in text
    body = text.split(r"\hline")[2]
    assert {line.count(" & ") for line in body.strip().splitlines()} == {6}
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert text.count(r"\begin") == text.count(r"\end")


@pytest.mark.parametrize("name", PLOTS)
def test_plots_are_svg_that_can_be_parsed(name: str) -> None:
    root = ElementTree.fromstring(plot(report(), name))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert not [each for each in root.iter() if each.tag.endswith("script")]


def test_a_dot_stands_where_its_value_is() -> None:
    root = ElementTree.fromstring(plot(report(), "reliability"))
    (dot,) = [each for each in root.iter() if each.tag.endswith("circle")]
    # seven answers make one bin: mean confidence .65, all verdicts right; the axes go from 56 to 460 and 292 to 24
    assert float(dot.attrib["cx"]) == pytest.approx(56 + 404 * 0.65, abs=0.1)
    assert float(dot.attrib["cy"]) == pytest.approx(24, abs=0.1)


def test_json_is_the_report_itself() -> None:
    assert json.loads(render(report(), "json")) == report()
    assert set(FORMATS) == {"html", "md", "tex", "json"}


def test_what_is_no_report_is_refused() -> None:
    cases: list[Any] = [[], {"macro": {}}, "text"]
    for wrong in cases:
        with pytest.raises(NoReport, match="no grade report"):
            check_report(wrong)
    silent = {**report(), "calibration": None, "risk_coverage": None, "why_no_confidence": "No answer states one."}
    with pytest.raises(NoReport, match="No answer states one"):
        plot(silent, "risk")
    assert "No answer states one." in render(silent, "md").replace("\\", "")
