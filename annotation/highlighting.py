"""Program code by line, coloured through classes alone (`mathematics.css` gives the colours)."""

import re

from django.utils.html import escape
from django.utils.safestring import SafeString
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from annotation.invisible import mark_hidden

LONGEST = 50_000  # longer code is shown without colours

# A closed list: the text names the language, and some of the other 500 lexers are slow on hostile input.
_LANGUAGES = {
    **dict.fromkeys(("python", "py", "python3"), "python"), "c": "c", **dict.fromkeys(("cpp", "c++"), "cpp"),
    "java": "java", **dict.fromkeys(("javascript", "js"), "javascript"), "json": "json", "sql": "sql",
    **dict.fromkeys(("bash", "sh", "shell"), "bash"), "go": "go", "rust": "rust", "r": "r",
}  # fmt: skip
_SIGNS = (
    ("cpp", re.compile(r"^\s*#\s*include\b|\bstd::", re.MULTILINE)),
    ("java", re.compile(r"\bpublic\s+(?:static|class)\b|\bSystem\.out\.")),
    ("go", re.compile(r"^(?:package \w+$|func \w)", re.MULTILINE)),
    ("javascript", re.compile(r"\b(?:const|let|function)\s+\w+\s*[=(]|=>\s*\{")),
    ("sql", re.compile(r"^\s*select\b.+\bfrom\b", re.MULTILINE | re.IGNORECASE)),
)


def guess_language(text: str) -> str:
    """The language whose tell-tale sign the text shows; Python when there is none."""
    return next((language for language, sign in _SIGNS if sign.search(text[:LONGEST])), "python")


def render_code(text: str, language: str | None = None) -> list[SafeString]:
    """The lines of a program as safe HTML, one entry for each `\\n`-separated line, indentation and tabs kept.

    `language` is what the text calls itself; an unknown name, or an empty one, gives lines without colours;
    None makes a guess.
    """
    text = text.replace("\r\n", "\n")
    name = guess_language(text) if language is None else _LANGUAGES.get(language.lower())
    if name is None or len(text) > LONGEST:
        html = str(escape(text))
    else:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
        # A formatter without line wrapping closes and reopens its spans at every line end.
        html = highlight(text.replace("\r", "\ufffd"), lexer, HtmlFormatter(nowrap=True))
        html = html if text.endswith("\n") else html.removesuffix("\n")
        html = html if html.count("\n") == text.count("\n") else str(escape(text))
    return [mark_hidden(line) for line in html.split("\n")]
