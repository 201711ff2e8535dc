"""Markdown around segments already taken out of the text, passed through an allow-list of tags."""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import override
from urllib.parse import quote

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.invisible import mark_hidden
from annotation.segments import Segment


def _may_link(url: str) -> bool:
    return bool(re.match(r"(?:https?://|mailto:)", url, re.IGNORECASE))


class _Markdown(MarkdownIt):
    @override
    def validateLink(self, url: str) -> bool:
        """A link that is refused stays as it was written."""
        return _may_link(url)


# Off: what hides text (link definitions, entities), what loads something (images), and what a step's text only seems
# to be (indented code, underlined headings).
_MARKDOWN = _Markdown("commonmark", {"html": False, "breaks": True})
_MARKDOWN.enable("table").disable(["image", "entity", "reference", "code", "lheading"])
_DEEPEST = _MARKDOWN.options["maxNesting"] - 1  # at this level the parser drops what is inside

_ALIGNMENTS = {"text-align:left": "to-left", "text-align:right": "to-right", "text-align:center": "to-center"}


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    return value if (tag, name) != ("a", "href") or _may_link(value) else None


_CLEANER = nh3.Cleaner(
    tags={"p", "br", "hr", "em", "strong", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td",
          "a", "code", "pre"},
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
    allowed_classes={"p": {"heading"}, "th": set(_ALIGNMENTS.values()), "td": set(_ALIGNMENTS.values())},
    attribute_filter=_keep_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)  # fmt: skip

# "3*4 = 12 and 5*6" multiplies; CommonMark would set what is between the stars in italics.
_PRODUCT = re.compile(r"(?<=[\d)])\*(?=[\w(])|(?<=\w)\*(?=\d)")
_PRIVATE_USE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))


def render_markdown(segments: Sequence[Segment], shown: Callable[[Segment], SafeString]) -> SafeString | None:
    """Safe HTML of the text segments as Markdown, with every other segment put in its place by `shown`.

    None when quotes or lists are nested so deep that the parser would drop what they hold.
    """
    text = "".join(segment.source for segment in segments)
    used = set(text)
    mark = next(chr(point) for point in chain(*_PRIVATE_USE) if chr(point) not in used)
    written = "".join(_written(segment, f"{mark}{index}{mark}") for index, segment in enumerate(segments))
    tokens = _MARKDOWN.parse(written)
    if any(token.level >= _DEEPEST for token in tokens):
        return None
    html = str(mark_hidden(_CLEANER.clean(_html(tokens))))
    blocks = "|".join(str(index) for index, segment in enumerate(segments) if segment.display)
    if blocks:
        html = re.sub(rf"(?:<br>\n?)?({mark}(?:{blocks}){mark})(?:<br>\n?)?", r"\1", html)
        html = re.sub(rf"<p>({mark}(?:{blocks}){mark})</p>", r"\1", html)
    return mark_safe(_put_back(html, mark, segments, shown))  # noqa: S308


def _put_back(html: str, mark: str, segments: Sequence[Segment], shown: Callable[[Segment], SafeString]) -> str:
    place = re.compile(rf"{mark}(\d+){mark}")
    place_in_address = re.compile(rf"(?:{mark}|{quote(mark)})(\d+)(?:{mark}|{quote(mark)})")

    def in_text(match: re.Match[str]) -> str:
        return shown(segments[int(match.group(1))])

    def in_address(match: re.Match[str]) -> str:
        return escape(quote(segments[int(match.group(1))].source))

    # Between angle brackets is a tag; the only attribute the text can reach is the address of a link.
    parts = re.split(r"(<[^>]*>)", html)
    parts[::2] = [place.sub(in_text, part) for part in parts[::2]]
    parts[1::2] = [place_in_address.sub(in_address, part) for part in parts[1::2]]
    return "".join(parts)


def _written(segment: Segment, placeholder: str) -> str:
    if segment.kind == "text":
        return _PRODUCT.sub(r"\\*", segment.source)
    if segment.kind == "math" or not segment.display:
        return placeholder
    indent = segment.source[: len(segment.source) - len(segment.source.lstrip(" \t"))]
    return f"\n\n{indent}{placeholder}\n\n"


def _html(tokens: list[Token]) -> str:
    for token in tokens:
        _soften(token)
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return html


def _soften(token: Token) -> None:
    """Headings would break the outline of the page, and inline alignment its content policy: both become classes."""
    if token.type in ("heading_open", "heading_close"):
        token.tag = "p"
    if token.type == "heading_open":
        token.attrSet("class", "heading")
    if alignment := _ALIGNMENTS.get(str(token.attrGet("style") or "")):
        token.attrs = {"class": alignment}
