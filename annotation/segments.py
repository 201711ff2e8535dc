"""Splits a text into prose, mathematics, tables, code, figure programs and images, as its declared format allows.

`$` is money in plain problem sets: it opens mathematics only when the format says LaTeX, and not even then in prose.
A scan that finds no closer is not repeated, so the time grows with the length of the text, whatever it holds.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "math", "table", "code", "asy", "image"]

_ENVIRONMENTS = (
    "equation|align|aligned|alignat|gather|gathered|multline|eqnarray|flalign|split|array|cases|matrix|pmatrix|bmatrix"
    "|vmatrix|Bmatrix|Vmatrix|smallmatrix|subarray"
)
_ESCAPED = r"(?P<escaped>\\[\\$`])"
_FENCE = r"(?P<fence>^[ \t]*(?P<ticks>`{3,}|~{3,})(?P<info>[^`\n]*)(?:\n|\Z))"
_TICK = r"(?P<tick>`+)"
_IMAGE = (
    r"(?P<image><img_[\w-]{1,40}>|!\[[^\]\n]{0,300}\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,300}\")?\)"
    r"|\\includegraphics\*?\s{0,9}(?:\[[^\]\n]{0,300}\])?\s{0,9}\{[^{}\n]{0,500}\})"
)
_TEX = (
    r"(?P<asy>\[asy\]|\\begin\{asy\})|(?P<dollars>\$\$)|(?P<dollar>\$)|(?P<bracket>\\\[)|(?P<paren>\\\()"
    rf"|\\begin\{{(?P<environment>(?:{_ENVIRONMENTS})\*?)\}}|\\begin\{{(?P<table>tabular[xy]?\*?)\}}"
)
_OPENERS = {
    "plain": re.compile(_IMAGE),
    "latex": re.compile(rf"{_FENCE}|{_ESCAPED}|{_IMAGE}|{_TEX}", re.MULTILINE),
    "latex+markdown": re.compile(rf"{_FENCE}|{_ESCAPED}|{_IMAGE}|{_TICK}|{_TEX}", re.MULTILINE),
}
_BLANK_LINE = r"\n[ \t]*\n"
# What may follow an opener, up to the first token that closes it or shows that it opened nothing.
_UNTIL = {
    "bracket": (re.compile(r"\\[\\()]|\\\[|\\\]"), r"\]", (r"\[",)),
    "paren": (re.compile(rf"\\[\\]|\\[()\[]|{_BLANK_LINE}"), r"\)", (r"\(", r"\[", "\n")),
    "dollars": (re.compile(r"\\[\s\S]|\$\$"), "$$", ()),
    "dollar": (re.compile(rf"\\[\s\S]|\$|{_BLANK_LINE}"), "$", ("\n",)),
}

_WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mbox|mathrm|operatorname|hbox)\s*\{[^{}]*\}|\\begin\{\w+\*?\}|\\[a-zA-Z]+")
_PROSE = re.compile(r"(?<![\w\\])(?:[a-z]{2,} [a-z]{3,}|[a-z]{3,} [a-z]{2,})(?!\w)")
_LOOKS_LIKE_MATH = re.compile(r"[\\^_=<>+*/|]|\A\s*\S{1,12}\s*\Z")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the text: `source` as written, `content` without its delimiters. Sources join to the whole text."""

    kind: Kind
    source: str
    content: str
    display: bool = False
    language: str = ""


def split(text: str, text_format: str) -> list[Segment]:
    """The segments of a text in order. Unknown formats raise `ValueError`; `code` is one code segment."""
    if text_format == "code":
        return [Segment("code", text, text, display=True)]
    if text_format not in _OPENERS:
        raise ValueError(f"unknown text format: {text_format!r}")
    segments: list[Segment] = []
    hopeless: set[str] = set()
    position = plain_from = 0
    while match := _OPENERS[text_format].search(text, position):
        segment = _segment(text, match, hopeless)
        position = match.end()
        if segment is not None:
            segments += _prose(text[plain_from : match.start()])
            segments.append(segment)
            position = plain_from = match.start() + len(segment.source)
    return segments + _prose(text[plain_from:])


def _prose(text: str) -> list[Segment]:
    return [Segment("text", text, text)] if text else []


def _segment(text: str, match: re.Match[str], hopeless: set[str]) -> Segment | None:
    kind = match.lastgroup or ""
    if kind == "image":
        return Segment("image", match.group(), match.group())
    if kind == "fence":
        return _fence(text, match)
    if kind == "tick":
        return _code_span(text, match, hopeless)
    if kind == "asy":
        return _figure(text, match, hopeless)
    if kind in ("environment", "table"):
        return _environment(text, match, hopeless)
    return _delimited(text, match, kind) if kind in _UNTIL else None


def _delimited(text: str, match: re.Match[str], kind: str) -> Segment | None:
    tokens, closer, refusals = _UNTIL[kind]
    for token in tokens.finditer(text, match.end()):
        if token.group() == closer:
            content = text[match.end() : token.start()]
            if not content.strip() or _is_prose(content, kind, text[token.end() : token.end() + 1]):
                return None
            display = kind in ("bracket", "dollars")
            return Segment("math", text[match.start() : token.end()], content, display=display)
        if token.group().startswith(refusals):
            return None
    return None


def _is_prose(content: str, kind: str, following: str) -> bool:
    """Whether dollar signs with this between them are amounts of money, or an unclosed formula met the next one."""
    if kind not in ("dollar", "dollars"):
        return False
    if _PROSE.search(_WORDS_IN_TEX.sub("\\\\", content)):
        return kind == "dollar" or "\n\n" in content
    if kind == "dollars":
        return False
    if following.isdigit() and "\\" not in content:
        return True
    if not (content[0].isspace() or content[-1].isspace()):
        return False
    return content.rstrip()[-1] in "=+-*/(<>," or not _LOOKS_LIKE_MATH.search(content)


def _fence(text: str, match: re.Match[str]) -> Segment:
    ticks = match.group("ticks")
    closing = re.compile(rf"^[ \t]*{ticks[0]}{{{len(ticks)},}}[ \t]*$", re.MULTILINE).search(text, match.end())
    end, stop = (closing.start(), closing.end()) if closing else (len(text), len(text))
    content = text[match.end() : end].removesuffix("\n")
    info = match.group("info").split()
    return Segment("code", text[match.start() : stop], content, display=True, language=info[0] if info else "")


def _code_span(text: str, match: re.Match[str], hopeless: set[str]) -> Segment | None:
    for run in re.compile(rf"`+|{_BLANK_LINE}").finditer(text, match.end()) if match.group() not in hopeless else ():
        if run.group() == match.group():
            return Segment("code", text[match.start() : run.end()], text[match.end() : run.start()])
        if run.group().startswith("\n"):
            return None
    hopeless.add(match.group())
    return None


def _figure(text: str, match: re.Match[str], hopeless: set[str]) -> Segment | None:
    closer = "[/asy]" if match.group().startswith("[") else r"\end{asy}"
    end = -1 if closer in hopeless else text.find(closer, match.end())
    if end < 0:
        hopeless.add(closer)
        return None
    return Segment("asy", text[match.start() : end + len(closer)], text[match.end() : end].strip("\n"), display=True)


def _environment(text: str, match: re.Match[str], hopeless: set[str]) -> Segment | None:
    name = match.group("environment") or match.group("table")
    depth = 1
    edges = re.compile(rf"\\(begin|end)\{{{re.escape(name)}\}}")
    for edge in edges.finditer(text, match.end()) if name not in hopeless else ():
        depth += 1 if edge.group(1) == "begin" else -1
        if depth == 0:
            source = text[match.start() : edge.end()]
            if match.group("table"):
                return Segment("table", source, text[match.end() : edge.start()], display=True)
            return Segment("math", source, source, display=True)
    hopeless.add(name)
    return None
