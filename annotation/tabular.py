"""A LaTeX table that stands in a text, taken apart into rows of cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CELLS = 2_000
_GROUP = r"\{(?:[^{}]|\{[^{}]*\}){0,300}\}"
# The width of tabular* and its like, where the table hangs, and what the columns are like.
_PREAMBLE = re.compile(rf"\s*(?:{_GROUP}\s*(?=(?:\[\w\]\s*)?{_GROUP}))?(?:\[\w\]\s*)?{_GROUP}")
_RULES = re.compile(r"(?:\s*\\(?:hline|toprule|midrule|bottomrule|(?:cline|cmidrule(?:\(\w*\))?)\{[\d\s-]*\}))+")
_TOKEN = re.compile(r"(?P<row>\\\\\*?(?:\[[^\]\n]{0,20}\])?)|(?P<cell>&)|\\[\s\S]|[{}$]|[^\\{}$&]+")
_SEVERAL = re.compile(rf"\\multicolumn\s*\{{\s*(\d{{1,2}})\s*\}}\s*{_GROUP}\s*\{{")
_BOLD = re.compile(r"\\textbf\s*\{")


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell as it was written, how many columns it takes, and whether it is set bold as a whole."""

    text: str
    columns: int = 1
    heading: bool = False


def table_rows(content: str) -> list[list[Cell]] | None:
    """The rows of what stands between `\\begin{tabular}` and `\\end{tabular}`; None when it is no plain table."""
    preamble = _PREAMBLE.match(content)
    if preamble is None or r"\begin" in content or content.count("&") > MOST_CELLS:
        return None
    rows: list[list[Cell]] = [[]]
    for text, ends in _cells(content[preamble.end() :]):
        if ends is None:
            return None
        rows[-1].append(_cell(text if rows[-1] else _RULES.sub("", text, count=1)))
        if ends != "cell":
            rows.append([])
    return [row for row in rows if any(cell.text for cell in row) or len(row) > 1]


def _cells(text: str) -> Iterator[tuple[str, str | None]]:
    """Each cell with what ends it, the last with an empty text; None ends it where braces or dollars do not match."""
    written, depth, in_formula = "", 0, False
    for token in _TOKEN.finditer(text):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        in_formula ^= token.group() == "$"
        if token.lastgroup and not depth and not in_formula:
            yield written, token.lastgroup
            written = ""
        else:
            written += token.group()
        if depth < 0:
            break
    yield written, None if depth or in_formula else ""


def _cell(text: str) -> Cell:
    several = _whole(_SEVERAL, text.strip())
    columns, inner = (max(int(several[0][1]), 1), several[1]) if several else (1, text.strip())
    bold = _whole(_BOLD, inner)
    return Cell(bold[1] if bold else inner, columns, heading=bool(bold))


def _whole(command: re.Pattern[str], text: str) -> tuple[re.Match[str], str] | None:
    """The argument of a command that is all of the text."""
    match = command.match(text)
    if match is None or not text.endswith("}"):
        return None
    inner = text[match.end() : -1]
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", inner):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return None
    return match, inner.strip()
