"""Text that reaches a page: complete, readable, and harmless whatever it holds."""

import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from annotation.highlighting import guess_language, render_code
from annotation.invisible import UNSEEN
from annotation.rendering import LONGEST, render, render_line, render_start, reveal
from tests.annotation.markup import Inspector, inspect

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FORMATS = ["plain", "latex", "latex+markdown", "code"]
each_format = pytest.mark.parametrize("text_format", FORMATS)


def page(text: str, text_format: str = "plain") -> Inspector:
    inspector = inspect(render(text, text_format))
    assert inspector.unsafe == []
    return inspector


def test_real_texts_are_safe_and_whole() -> None:
    path = SHARED / "latex" / "latex_corpus.jsonl"
    if not path.exists():
        pytest.skip("the corpus of real texts is not on this machine")
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            text = json.loads(line)["text"]
            for text_format in FORMATS:
                page(text, text_format)


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": '<img src=x onerror="alert(1)"><b onclick=alert(1)>x</b>',
    "javascript link": "[x](javascript:alert(1)) <javascript:alert(1)> [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:x)",
    "data link": "[x](data:text/html;base64,PHNjcmlwdD4=) [y](vbscript:x) [z](file:///etc/passwd)",
    "local link": "[log out](/logout) [x](//evil.example) [y](?a=b) [z](#id)",
    "attribute": '[a](http://x "t\\" onclick=alert(1) x=\\"") [b](http://x/"onclick=alert(1))',
    "title": '[a](http://x/ "\u202e onclick=alert(1) \u202e") [b](<http://x/\u200b> "$x$")',
    "style": '<style>*{display:none}</style><p style="position:fixed">x</p>',
    "comment": "<!-- hidden --><![CDATA[x]]><?php x ?><!DOCTYPE x>",
    "svg": "<svg onload=alert(1)><math><mtext><mglyph><style><img src onerror=alert(1)>",
    "textarea": "</div></pre></textarea></script><form action=/x><input name=y>",
    "fence": '```"><script>alert(1)</script>\nx\n```',
    "formula in a link": '[a](http://x/$y$ "t $z$") ![$q$]($r$)',
    "formula in a tag": '<a href="$x$">$</a>$',
    "autolink": "<http://x/?a=\"onclick='alert(1)'>",
    "nul": "a\x00b\x0bc\x1b[31m",
}


@each_format
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(name: str, text_format: str) -> None:
    html = render(HOSTILE[name], text_format)
    inspector = inspect(html)
    assert inspector.unsafe == []
    assert not {"script", "img", "style", "svg", "form"} & set(inspector.tags)
    assert inspect(reveal(HOSTILE[name])).unsafe == []
    assert inspect(render_line(HOSTILE[name], text_format)).unsafe == []
    assert inspect(render_start(HOSTILE[name], text_format, 60)).unsafe == []


PIECES = ["$", "`", "```\n", "\n\n", "|", "> ", "- ", "*", "[", "](", ")", "<", "http://x/", "\ue0000\ue000"]


@given(
    st.lists(st.sampled_from([*HOSTILE.values(), *PIECES]), max_size=12).map("".join),
    st.sampled_from(FORMATS),
)
def test_any_mixture_is_safe(text: str, text_format: str) -> None:
    page(text, text_format)


@each_format
def test_markup_is_readable_as_text(text_format: str) -> None:
    assert "<b>x</b> & y" in page("<b>x</b> & y", text_format).text


def test_links_are_marked_and_only_to_other_sites() -> None:
    html = render("[a](https://example.org/x) [b](mailto:a@example.org) [c](ftp://example.org)", "latex+markdown")
    assert html.count("<a ") == 2
    assert "[c](ftp://example.org)" in html
    assert html.count('rel="noopener noreferrer"') == 2


def test_a_formula_in_an_address_stays_an_address() -> None:
    assert 'href="http://x/%24y%24"' in render("[a](http://x/$y$)", "latex+markdown")


def test_text_that_markdown_would_hide_is_shown() -> None:
    assert "[foo]: http://x" in page('[foo]: http://x "hidden"', "latex+markdown").text
    assert "&#x202e;" in page("a &#x202e; b", "latex+markdown").text
    assert "<!-- hidden -->" in page("<!-- hidden -->", "latex+markdown").text


def test_a_character_reference_cannot_copy_a_formula() -> None:
    # The placeholder of a formula is a private character; neither that character nor its reference may stand for it.
    assert page("$x$ &#xE000;0&#xE000; \ue0000\ue000", "latex+markdown").tex == ["x"]


def test_markdown_is_set() -> None:
    text = (
        "### Step 1\n\n**bold** *em* `code`\n\n1. one\n2. two\n\n| a | b |\n|---|--:|\n| $|x|$ | 2 |\n\n> q\n\n---\n"
        "```python\nx = 1\n```\n"
    )
    inspector = page(text, "latex+markdown")
    assert {"strong", "em", "code", "ol", "li", "table", "th", "td", "math", "blockquote", "hr", "pre"} <= set(
        inspector.tags
    )
    assert {"heading", "to-right", "code"} <= inspector.classes
    assert not {"h1", "h2", "h3"} & set(inspector.tags)
    assert inspector.tex == ["|x|"]


def test_products_are_not_italics() -> None:
    inspector = page("3*3=9 and 9*60=540 and (a)*b*2", "latex+markdown")
    assert "em" not in inspector.tags
    assert inspector.text.strip() == "3*3=9 and 9*60=540 and (a)*b*2"


@pytest.mark.parametrize(
    ("text", "most", "seen"),
    [
        ("Find all such primes.", 40, "Find all such primes."),
        ("Find all such primes.", 9, "Find all…"),
        ("Let $x=1$. Find y.", 8, "Let <math>.…"),
        ("Let $x=1$. Find y.", 4, "Let …"),
        ("Let $x=1$ be", 20, "Let <math> be"),
        ("Let $x=1$ be small", 12, "Let <math> be s…"),
        ("First\n\nthen", 8, "First th…"),
        ("Run\n```\nprint(1)\nprint(2)\n```\n", 30, "Run <code>print(1) print(2)</code>"),
    ],
)
def test_the_beginning_of_a_text_stands_in_one_line_and_cuts_no_formula(text: str, most: int, seen: str) -> None:
    html = re.sub(
        r'<span class="tex".*?</math></span>', "<math>", str(render_start(text, "latex", most)), flags=re.DOTALL
    )
    inner = html.removeprefix('<span class="rendered" dir="auto">').removesuffix("</span>")
    assert " ".join(inner.split()) == seen


def test_a_line_end_is_a_line_end() -> None:
    assert page("one\ntwo", "latex+markdown").tags.count("br") == 1
    assert page("one\ntwo").text == "one\ntwo"


def test_dollars_are_money_in_plain_text() -> None:
    inspector = page("She has $5 and $x$.")
    assert inspector.tex == []
    assert inspector.text == "She has $5 and $x$."


def test_escaped_signs_of_latex_prose() -> None:
    assert page(r"\$5 is 20\% of \$25", "latex").text == "$5 is 20% of $25"


def test_a_formula_that_fails_shows_its_source() -> None:
    assert page(r"so \[\foo{x}\] it is", "latex").text == r"so \[\foo{x}\] it is"


@each_format
def test_an_unclosed_formula_is_text(text_format: str) -> None:
    assert "costs $x and" in page("costs $x and", text_format).text


def test_figures_are_collapsed_source() -> None:
    inspector = page("See\n[asy]\ndraw((0,0)--(1,1));\n[/asy]", "latex")
    assert {"details", "summary", "pre"} <= set(inspector.tags)
    assert "draw((0,0)--(1,1));" in inspector.text


@pytest.mark.parametrize("text_format", ["plain", "latex", "latex+markdown"])
@pytest.mark.parametrize("image", ["<img_3624>", "![a plot](http://x/y.png)", r"\includegraphics[width=3cm]{fig.png}"])
def test_images_become_a_note_that_names_them(image: str, text_format: str) -> None:
    inspector = page(f"see {image} there", text_format)
    assert "img" not in inspector.tags
    assert "left-out" in inspector.classes
    assert image in inspector.text


TABLE = r"\begin{tabular}{cc}\hline $x^2$&\textbf{<b>}\\\multicolumn{2}{c}{40\%}\end{tabular}"


@pytest.mark.parametrize("text_format", ["latex", "latex+markdown"])
def test_tables_of_latex_are_set(text_format: str) -> None:
    inspector = page(f"See\n{TABLE}\nthere", text_format)
    assert [inspector.tags.count(tag) for tag in ("table", "tr", "td", "th")] == [1, 2, 2, 1]
    assert inspector.tex == ["x^2"]
    assert "<b>40%" in inspector.text
    assert not inspector.unsafe


@pytest.mark.parametrize("text_format", ["latex", "latex+markdown"])
def test_a_table_that_cannot_be_set_shows_its_source(text_format: str) -> None:
    source = r"\begin{tabular}{c}{a & <i>\end{tabular}"
    inspector = page(source, text_format)
    assert source in inspector.text
    assert not inspector.unsafe


def test_long_runs_of_digits_can_wrap() -> None:
    styles = (Path(__file__).resolve().parents[2] / "config/static/stepmark/mathematics.css").read_text()
    rule = next(line for line in styles.split("\n") if line.startswith(".rendered {"))
    assert "overflow-wrap: anywhere" in rule
    assert "9" * 40 in page("9" * 40).text


@each_format
def test_direction_marks_are_visible_and_without_effect(text_format: str) -> None:
    html = render("abc\u202etxt.exe\u202c \u2067x\u2069 \u061c\u200f", text_format)
    for character, name in zip("\u202e\u202c\u2067\u2069\u061c", ["RLO", "PDF", "RLI", "PDI", "ALM"], strict=True):
        assert character not in html
        assert name in html


def test_direction_follows_the_text() -> None:
    assert 'dir="auto"' in render("مرحبا", "plain")
    assert 'dir="auto"' in render("مرحبا", "latex+markdown")


@each_format
def test_zero_width_and_tag_characters_are_visible(text_format: str) -> None:
    text = page("a\u200bb \ufeffc \U000e0041\U000e0042 d\x93", text_format).text
    assert all(name in text for name in ("ZWSP", "BOM", "U+E0041 U+E0042 ×2", "U+0093"))


def test_joiners_are_kept_where_a_script_needs_them() -> None:
    family = "👩\u200d🔬 می\u200cشود ❤\ufe0f"
    assert page(family).text == family
    assert "ZWJ" in page("pass\u200dword").text


@each_format
@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_an_empty_step_says_so(text: str, text_format: str) -> None:
    assert page(text, text_format).text == "(empty)"


@each_format
def test_deep_nesting_ends_no_process(text_format: str) -> None:
    deep = "$" + "{" * 5000 + "x" + "}" * 5000 + "$"
    assert "{" * 5000 in page(deep, text_format).text
    assert page(">" * 5000 + "x", text_format).text == ">" * 5000 + "x"


@each_format
def test_a_megabyte_is_shown_whole_and_unformatted(text_format: str) -> None:
    text = "**a** $x$ <b> \u202e" * 70_000
    inspector = page(text, text_format)
    assert len(text) > 900_000
    assert inspector.text.count("**a** $x$ <b> [RLO]") == 70_000
    assert not {"math", "strong"} & set(inspector.tags)


def test_just_below_the_limit_is_formatted() -> None:
    assert page("$x$" + "a" * (LONGEST - 3), "latex").tex == ["x"]


def test_lone_surrogates_reach_no_page() -> None:
    for text_format in FORMATS:
        render("a\ud800b $\udc00$", text_format).encode()
    assert "U+D800" in reveal("a\ud800b")


def test_the_raw_view_labels_all_that_cannot_be_seen() -> None:
    text = inspect(reveal("a\tb\xa0c\u200d d  \ne\u2003<i>\r\n")).text
    assert text == "aTABbNBSPcZWJ d··\neU+2003<i>CR\n"


def test_the_raw_view_covers_unicode() -> None:
    """Every control, format, separator and surrogate character that this Python knows, but space and line end."""
    missed = [
        hex(point)
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Zs", "Zl", "Zp", "Cs"}
        and chr(point) not in " \n"
        and not UNSEEN.fullmatch(chr(point))
    ]
    assert missed == []


def test_code_keeps_lines_and_indentation() -> None:
    source = 'def f(x):\n\tif x:\n\n        return """a\nb"""  # <b>\n'
    rendered = render_code(source)
    assert [inspect(line).text for line in rendered] == source.split("\n")
    assert 'class="k"' in rendered[0]
    # A string over two lines is closed and opened again, so that each line stands alone.
    assert all(line.count("<span") == line.count("</span>") for line in rendered)


@given(st.text(alphabet="def \t\n\r\"'#{}<>&\\x\u2028\x0c\x85\u202e`1", max_size=60))
def test_code_has_one_entry_a_line(source: str) -> None:
    lines = render_code(source)
    assert len(lines) == source.replace("\r\n", "\n").count("\n") + 1
    assert all(inspect(line).unsafe == [] for line in lines)


@pytest.mark.parametrize(
    ("source", "language"),
    [("x = 1", "python"), ("#include <stdio.h>\nint x;", "cpp"), ("public class A {}", "java"),
     ("const x = 1", "javascript"), ("SELECT a FROM b", "sql"), ("package main\n", "go")],
)  # fmt: skip
def test_language_is_guessed(source: str, language: str) -> None:
    assert guess_language(source) == language


def test_a_language_nobody_knows_is_shown_without_colours() -> None:
    assert render_code("if x < 1", "mermaid") == ["if x &lt; 1"]


def test_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="html"):
        render("x", "html")


def test_a_short_text_stays_in_its_line() -> None:
    inspector = inspect(render_line("$\\frac{1}{2}$ of \u202e*it*", "latex+markdown"))
    assert not {"div", "p", "em"} & set(inspector.tags)
    assert inspector.text == "12 of RLO*it*"
    assert inspect(render_line("a" * (LONGEST + 1), "latex")).tags == ["code"]
    assert inspect(render_line("x < $y$", "code")).text == "x < $y$"


def test_filters() -> None:
    filters = "{{ text|rendered_line:format }}{{ text|rendered:format }}{{ text|revealed }}"
    html = Template("{% load rendering %}" + filters).render(Context({"text": "$x$\u200b<b>", "format": "latex"}))
    assert inspect(html).unsafe == []
    assert "<math>" in html
    assert html.count("&lt;b&gt;") == 3
