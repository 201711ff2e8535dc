"""Tables of LaTeX taken apart: cells, headings, cells over several columns, and what is no plain table."""

import pytest

from annotation.segments import split
from annotation.tabular import MOST_CELLS, Cell, table_rows


def texts(content: str) -> list[list[str]]:
    rows = table_rows(content)
    assert rows is not None
    return [[cell.text for cell in row] for row in rows]


def test_cells_and_rows() -> None:
    assert texts("{c|c}\na & b \\\\ \\hline\nc&d\\\\[2pt]\ne & f\n") == [["a", "b"], ["c", "d"], ["e", "f"]]


@pytest.mark.parametrize(
    "preamble", ["{lc}", "[t]{|l|c|}", "{p{3cm}|c}", "{10cm}{lX}", "{10cm}[b]{lX}", "\n{@{}lc@{}}"]
)
def test_what_columns_are_like_is_no_cell(preamble: str) -> None:
    assert texts(f"{preamble}a&b") == [["a", "b"]]


@pytest.mark.parametrize(
    "rules", [r"\hline", r"\hline\hline", r"\toprule", r"\cline{1-2}", r"\cmidrule(lr){1-2} \midrule"]
)
def test_rules_are_left_out(rules: str) -> None:
    assert texts(rf"{{cc}}{rules} a&b\\{rules}c&d\\{rules}") == [["a", "b"], ["c", "d"]]


def test_empty_cells_keep_their_place() -> None:
    assert texts(r"{ccc}&1&\\1&&1") == [["", "1", ""], ["1", "", "1"]]


def test_what_separates_cells_does_so_only_outside_braces_and_formulas() -> None:
    assert texts(r"{cc}$x & y$ & {a & b} \& c") == [["$x & y$", r"{a & b} \& c"]]


def test_a_cell_over_several_columns_and_headings() -> None:
    title = r"\multicolumn{2}{|c|}{\textbf{Students of $a_{1}$}}"
    assert table_rows(rf"{{cc}}{title}\\\textbf{{A}}&\textbf{{B}} and \textbf{{C}}") == [
        [Cell("Students of $a_{1}$", columns=2, heading=True)],
        [Cell("A", heading=True), Cell(r"\textbf{B} and \textbf{C}")],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        "a&b",
        "{cc}{a&b",
        "{cc}a}&b",
        "{cc}$a&b",
        r"{cc}\begin{tabular}{c}a\end{tabular}&b",
        "{c}" + "&" * (MOST_CELLS + 1),
        "{" * 5_000,
    ],
)
def test_what_is_no_plain_table(content: str) -> None:
    assert table_rows(content) is None


def test_a_table_is_found_in_a_text_and_not_in_a_formula() -> None:
    table = r"\begin{tabular}{c}$a$\\b\end{tabular}"
    assert [(part.kind, part.source) for part in split(f"See {table} there", "latex")] == [
        ("text", "See "), ("table", table), ("text", " there"),
    ]  # fmt: skip
    assert [part.kind for part in split(rf"\[{table}\]", "latex")] == ["math"]
    assert [part.kind for part in split(r"\begin{tabular}{c} never closed", "latex")] == ["text"]
