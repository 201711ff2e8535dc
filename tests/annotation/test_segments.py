"""Where mathematics, code, figures and images begin and end; where a dollar is money."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.mathematics import to_mathml
from annotation.segments import split

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FORMATS = ["plain", "latex", "latex+markdown", "code"]


def lines(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        pytest.skip(f"{path.name} is not on this machine")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def kinds(text: str, text_format: str = "latex") -> list[tuple[str, str]]:
    return [(segment.kind, segment.content) for segment in split(text, text_format)]


def math(text: str, text_format: str = "latex") -> list[str]:
    return [content for kind, content in kinds(text, text_format) if kind == "math"]


def test_corpus_is_found_and_nearly_all_of_it_renders() -> None:
    found = failed = 0
    for record in lines(SHARED / "latex" / "latex_corpus.jsonl"):
        segments = split(record["text"], "latex+markdown")
        assert "".join(segment.source for segment in segments) == record["text"]
        for segment in segments:
            if segment.kind == "math":
                found += 1
                failed += to_mathml(segment.content, display=segment.display) is None
    assert found > 6900  # 6,949 expressions by the count of the corpus's makers
    assert failed / found <= 0.004


def test_money_in_plain_text_is_never_mathematics() -> None:
    for record in lines(SHARED / "gsm8k" / "test.jsonl"):
        assert math(record["question"] + record["answer"], "plain") == []


def test_money_in_a_set_that_says_latex_is_rarely_mathematics() -> None:
    records = lines(SHARED / "gsm8k" / "test.jsonl")
    taken = [record for record in records if math(record["question"])]
    assert len(taken) / len(records) < 0.01


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $x$ b", ["x"]),
        ("a $$x$$ b", ["x"]),
        (r"a \(x\) b \[y\] c", ["x", "y"]),
        (r"\[a \\[2pt] b\]", [r"a \\[2pt] b"]),
        (r"\begin{align*}a&=b\end{align*}", [r"\begin{align*}a&=b\end{align*}"]),
        (
            r"\begin{array}{c}\begin{array}{c}a\end{array}\end{array}!",
            [r"\begin{array}{c}\begin{array}{c}a\end{array}\end{array}"],
        ),
        (r"costs $\$$105", [r"\$"]),
        (r"\$5 and \$6", []),
        ("$5 and he paid $6", []),
        ("from $5 to $6", []),
        ("$59.71 = 0.20 * $11.94", []),
        ("$ x^2 $", ["x^2"]),
        (r"$x \text{ if and only if it is } y$", [r"x \text{ if and only if it is } y"]),
        ("unclosed $x\n\nnext $y$", ["y"]),
        (r"unclosed \(x and \(y\)", ["y"]),
        (r"unclosed \[x and \[y\]", ["y"]),
        ("$$\n\nx=1\n\n$$", ["x=1"]),
        ("$$ unclosed\n\nthen some prose here $$x$$", ["x"]),
        ("$$", []),
        ("$ $", []),
    ],
)
def test_delimiters(text: str, expected: list[str]) -> None:
    assert [content.strip() for content in math(text)] == expected


def test_display_is_told_from_inline() -> None:
    shown = [segment.display for segment in split(r"$a$ $$b$$ \(c\) \[d\]", "latex") if segment.kind == "math"]
    assert shown == [False, True, False, True]


def test_code_hides_mathematics_and_keeps_indentation() -> None:
    text = "see\n```python\n  x = '$a$'\n```\nafter $b$"
    assert kinds(text) == [("text", "see\n"), ("code", "  x = '$a$'"), ("text", "\nafter "), ("math", "b")]
    assert [segment.language for segment in split(text, "latex")][1] == "python"


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert kinds("```\nx = 1\n$y$") == [("code", "x = 1\n$y$")]


def test_code_spans_only_in_markdown() -> None:
    assert math("`$x$`", "latex+markdown") == []
    assert math("`$x$`", "latex") == ["x"]


def test_figures_and_images() -> None:
    text = r"[asy]draw($x$);[/asy] <img_3624> ![alt](http://x/y.png) \includegraphics[width=3cm]{fig} $z$"
    assert [kind for kind, _ in kinds(text) if kind != "text"] == ["asy", "image", "image", "image", "math"]
    assert math("[asy] never closed $x$") == ["x"]


def test_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="markdown"):
        split("x", "markdown")


TOKENS = ["$", "$$", "\\(", "\\)", "\\[", "\\]", "`", "```", "~~~", "\n", "\n\n", " ", "a", "5", "[asy]", "[/asy]",
          "\\", "{", "\\begin{align}", "\\end{align}", "<img_1>", "![", "](", ")", "é", "\u2028"]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=40).map("".join), st.sampled_from(FORMATS))
def test_nothing_is_lost(text: str, text_format: str) -> None:
    assert "".join(segment.source for segment in split(text, text_format)) == text
