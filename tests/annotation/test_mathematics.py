"""One expression: set right, refused safely, its source never lost."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.mathematics import LONGEST, nesting, render_math, to_mathml
from tests.annotation.markup import inspect

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "latex" / "latex_exprs.jsonl"
STYLES = ROOT / "config" / "static" / "stepmark" / "mathematics.css"


def corpus() -> list[dict[str, Any]]:
    if not CORPUS.exists():
        pytest.skip("the corpus of real expressions is not on this machine")
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").split("\n") if line]


def test_corpus_renders_and_every_failure_shows_its_source() -> None:
    expressions = corpus()
    failed = 0
    for expression in expressions:
        tex = expression["latex"]
        html = render_math(tex, display=expression["display"], source=f"${tex}$")
        page = inspect(html)
        assert page.unsafe == [], tex
        assert page.tex == [tex]
        if "math" not in page.tags:
            failed += 1
            assert page.text == f"${tex}$"
    assert len(expressions) > 4000
    assert failed / len(expressions) <= 0.004


def test_every_class_of_the_corpus_has_a_rule() -> None:
    styles = STYLES.read_text()
    used = set().union(*(inspect(render_math(e["latex"], display=e["display"])).classes for e in corpus()))
    assert used >= {"tm-box", "tm-left", "tm-right", "tm-solid-right", "tex", "tex-display"}
    assert [name for name in used if f".{name}" not in styles] == []


def test_inline_declarations_become_classes() -> None:
    page = inspect(render_math(r"\begin{array}{r|l} a & b \\ \hline c & d \end{array}", display=True))
    assert {"tm-right", "tm-left", "tm-solid-right", "tm-solid-top"} <= page.classes
    assert page.unsafe == []


def test_unknown_declarations_are_dropped() -> None:
    # A colour without a class of its own, and a width that would push text off the page.
    html = render_math(r"\textcolor{orange}{x} a\hspace{9999em}b c\hspace{-9999em}d \raisebox{300em}{up}")
    assert "style" not in html.split("<math", 1)[1]
    assert not {"9999em", "300em", "voffset"} & set(html.split("<math", 1)[1].replace('"', " ").split())


def test_boxes_and_strokes_are_classes_in_every_browser() -> None:
    html = render_math(r"\boxed{5}+\cancel{x}+\bcancel{y}+\xcancel{z}")
    assert inspect(html).classes >= {"tm-box", "tm-up", "tm-down"}
    assert "menclose" not in html


def test_source_is_kept_for_copying() -> None:
    tex = 'a<b & "c"'
    assert inspect(render_math(rf"\text{{{tex}}}")).tex == [rf"\text{{{tex}}}"]


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\href{javascript:alert(1)}{x}",
        r"\htmlClass{x}{y}",
        r'\mathrm{a"onmouseover=alert(1)}',
        "<img src=x onerror=alert(1)>",
        "</math><script>alert(1)</script>",
        r"\text{</mtext></math><style>*{display:none}</style>}",
        r"\label{x\"><svg onload=alert(1)>}",
        "\x00<b>\ud800",
    ],
)
@pytest.mark.parametrize("display", [True, False])
def test_hostile_expressions_make_no_markup(tex: str, display: bool) -> None:
    page = inspect(render_math(tex, display=display))
    assert page.unsafe == []
    assert "a" not in page.tags


HOSTILE = ("\\", "{", "}", "$", "&", "<", ">", '"', "'", "#", "%", "^", "_", "\\text{", "\\frac", "\\left(", "\\right)",
           "\\begin{align}", "\\end{align}", "\\\\", "\\tag{", "\\color{red}", "x", "1", " ", "\n", "\u202e",
           "<script>")  # fmt: skip


@given(st.lists(st.sampled_from(HOSTILE), max_size=25).map("".join))
def test_any_mixture_of_tokens_is_safe(tex: str) -> None:
    assert inspect(render_math(tex, display=True)).unsafe == []


DEEP = {
    "braces": "x^{" * 5000 + "x" + "}" * 5000,
    "left": r"\left(" * 60 + "x" + r"\right)" * 60,
    "environments": r"\begin{matrix}" * 60 + "x" + r"\end{matrix}" * 60,
    "commands": r"\sqrt " * 60 + "x",
    "definitions": r"\def\a#1{\sqrt{#1}}\a{\a{x}}",
    "length": "x" * (LONGEST + 1),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_could_end_the_process_shows_its_source(name: str) -> None:
    page = inspect(render_math(DEEP[name]))
    assert page.classes == {"tex-error"}
    assert page.text == DEEP[name]


def test_the_converter_does_end_the_process_without_the_guard() -> None:
    """If this fails the guard on nesting has become needless."""
    program = (
        "from math_core import LatexToMathML\n"
        "LatexToMathML().convert_with_local_state('x^{' * 9000 + 'x' + '}' * 9000, displaystyle=True)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode < 0


@pytest.mark.parametrize(
    ("tex", "depth"),
    [("x", 0), (r"\frac{a}{b}", 1), (r"\frac{a}{\sqrt{b}}", 2), (r"\{\{\{", 0), (r"\left(\left(x\right)\right)", 2),
     (r"\leftarrow\leftarrow", 0), (r"\begin{a}{x}\end{a}", 2)],
)  # fmt: skip
def test_nesting_counts_what_nests(tex: str, depth: int) -> None:
    # \begin{a}{x}: the name's braces are inside \begin.
    assert nesting(tex) == depth


def test_a_percent_sign_does_not_hide_the_rest() -> None:
    assert "50%ofx" in inspect(render_math("50% of x")).text
    assert inspect(render_math("a%\n+b")).text == "a+b"
    assert inspect(render_math(r"5\%")).text == "5%"


def test_money_inside_a_formula_is_shown() -> None:
    assert inspect(render_math(r"2 \times $4 = \$8 \text{ not $9$}")).text.replace("\xa0", " ") == "2×$4=$8 not $9$"


def test_numbers_that_the_text_does_not_print_are_not_added() -> None:
    assert "(1)" not in render_math(r"\begin{align}a&=b\end{align}", display=True)
    assert "(3)" in render_math(r"a=b \tag{3}", display=True)
    assert "(3)" in render_math(r"\begin{aligned}a&=b\end{aligned}\tag{3}", display=True)


@pytest.mark.parametrize("tex", [r"x=1 \\ y=2", r"x&=1 \\ y&=2"])
def test_lines_without_an_environment_stay_lines(tex: str) -> None:
    assert inspect(render_math(tex, display=True)).tags.count("mtr") == 2


@pytest.mark.parametrize(
    "tex",
    [r"\begin{eqnarray}a&=&b\end{eqnarray}", r"\begin{alignat}{2}a&=b&c&=d\end{alignat}", r"\mbox{a}",
     r"\overarc{AB}", r"a\plus{}b",
     r"\sum_{\substack{n \mid 24 \\ n>0}} n", r"\renewcommand{\arraystretch}{1.5}\begin{matrix}a\end{matrix}",
     r"\left(\begin{smallmatrix}a\end{smallmatrix}\right)", r"\label{eq:1}x"],
)  # fmt: skip
def test_what_the_converter_does_not_know_is_rewritten(tex: str) -> None:
    assert to_mathml(tex, display=True) is not None


def test_invisible_characters_do_not_break_an_expression_and_are_shown() -> None:
    page = inspect(render_math("x\u202e+\u200by"))
    assert page.text == "x+yRLO ZWSP ×2"
    assert page.tex == ["x\u202e+\u200by"]


def test_letters_keep_their_order() -> None:
    text = inspect(render_math(r"\frac{a}{b}+\sqrt{c}=d")).text
    assert all(text.index(first) < text.index(then) for first, then in pairwise("abcd"))


@pytest.mark.parametrize(
    ("tex", "rows"),
    [
        (r"\begin{pmatrix}1&2\\3&4\\\end{pmatrix}", 2),
        (r"\begin{align*}a&=b\\[2pt] \end{align*}", 1),
        (r"\begin{array}{|c|c|}\hline 1&2\\\hline 3&4\\ \hline\end{array}", 2),
        (r"\begin{array}{c}\begin{array}{c}1\\\hline\end{array}\\2\end{array}", 3),
    ],
)
def test_a_break_after_the_last_row_makes_no_empty_row(tex: str, rows: int) -> None:
    mathml = to_mathml(tex, display=True) or ""
    assert mathml.count("<mtr>") == rows
    assert ("tm-solid-bottom" in mathml) == ("hline" in tex), "the rule below the last row stays"
