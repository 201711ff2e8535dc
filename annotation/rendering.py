"""Any text from a file or a model, made safe and readable: the only way from stored text to a page.

The text is hostile until it has passed here. What comes out needs neither inline style nor inline script.
"""

import re
from dataclasses import replace

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.highlighting import render_code
from annotation.invisible import HIDDEN, mark_hidden, mark_unseen, plain_label
from annotation.markdown import render_markdown
from annotation.mathematics import render_math
from annotation.segments import Segment, split
from annotation.tabular import Cell, table_rows

LONGEST = 50_000  # characters; the longest real text at hand has 10,421

_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPED_SIGN = re.compile(r"\\([$%#&_])")


def render(text: str, text_format: str) -> SafeString:
    """A block of safe HTML for a text in one of the formats `plain`, `latex`, `latex+markdown`, `code`.

    Nothing is left out: an image becomes a note that names it, mathematics that cannot be set shows its source,
    invisible characters that mislead become labels, and a text above `LONGEST` is shown as it is, unformatted.
    Raises `ValueError` for an unknown format.
    """
    text = _readable(text)
    if not text.strip():
        return format_html('<div class="rendered"><span class="left-out">{}</span></div>', _("(empty)"))
    if len(text) > LONGEST:
        return _unformatted(text)
    if text_format == "code":
        return _code_block(text, None)
    segments = split(text, text_format)
    if text_format == "latex+markdown" and (html := render_markdown(segments, _shown)) is not None:
        return format_html('<div class="rendered markdown" dir="auto">{}</div>', html)
    in_lines = format_html_join("", "{}", ((_in_lines(segment),) for segment in _trimmed(segments)))
    return format_html('<div class="rendered in-lines" dir="auto">{}</div>', in_lines)


def render_line(text: str, text_format: str) -> SafeString:
    """The same for a short text inside a line of the page, such as an option or an answer: a `span`, no Markdown."""
    if len(text) > LONGEST or text_format == "code":
        return format_html("<code>{}</code>", mark_hidden(escape(_readable(text))))
    segments = split(_readable(text), "latex" if text_format == "latex+markdown" else text_format)
    html = format_html_join("", "{}", ((_in_lines(segment),) for segment in segments))
    return format_html('<span class="rendered in-lines" dir="auto">{}</span>', html)


def render_start(text: str, text_format: str, most: int) -> SafeString:
    """The beginning of a text in one line, for lists: about `most` characters, and no formula is cut in two."""
    segments = split(_readable(text[:LONGEST]), "plain" if text_format == "code" else text_format)
    taken: list[SafeString] = []
    for segment in segments:
        if most <= 0:
            taken.append(SafeString("…"))
            break
        taken.append(_in_lines(_in_one_line(segment, most)))
        if segment.kind == "text" and len(segment.content) > most:
            break
        most -= len(segment.content)
    return format_html('<span class="rendered" dir="auto">{}</span>', format_html_join("", "{}", zip(taken)))


def _in_one_line(segment: Segment, most: int) -> Segment:
    """Words are cut; a formula stands in the line; what takes lines of its own stands for itself in its first words."""
    if segment.kind == "math":
        return replace(segment, display=False)
    kind, most = ("text", most) if segment.kind == "text" else ("code", min(most, 40))
    words = re.sub(r"\s+", " ", segment.content)
    cut = words if len(segment.content) <= most else f"{words[:most].rstrip()}…"
    return Segment("text", segment.source, cut) if kind == "text" else Segment("code", segment.source, cut.strip())


def reveal(text: str) -> SafeString:
    """The raw view: every character as it is stored, those that cannot be seen or told apart as labelled spans."""
    if len(text) > LONGEST:
        return _unformatted(_readable(text))
    return format_html('<pre class="raw">{}</pre>', mark_unseen(text) or _("(empty)"))


def _readable(text: str) -> str:
    """One kind of line end, and no lone surrogate: those cannot be sent to a browser."""
    return _SURROGATES.sub("\ufffd", text.replace("\r\n", "\n"))


def _unformatted(text: str) -> SafeString:
    note = _("This text of %(count)d characters is too long to format. It is shown as it is.") % {"count": len(text)}
    labelled = HIDDEN.sub(lambda match: f"[{plain_label(match.group())}]", text)
    return format_html(
        '<div class="rendered"><p class="left-out">{}</p><pre class="raw very-long">{}</pre></div>', note, labelled
    )


def _trimmed(segments: list[Segment]) -> list[Segment]:
    """Takes away the one line end on either side of a block, which would show as an empty line."""
    trimmed = []
    for index, segment in enumerate(segments):
        content = segment.content
        if segment.kind == "text":
            if index + 1 < len(segments) and segments[index + 1].display:
                content = re.sub(r"\n[ \t]*\Z", "", content)
            if index and segments[index - 1].display:
                content = re.sub(r"\A[ \t]*\n", "", content)
        trimmed.append(Segment(segment.kind, segment.source, content, segment.display, segment.language))
    return trimmed


def _in_lines(segment: Segment) -> SafeString:
    if segment.kind == "text":
        return mark_hidden(escape(_ESCAPED_SIGN.sub(r"\1", segment.content)))
    return _shown(segment)


def _shown(segment: Segment) -> SafeString:
    if segment.kind == "math":
        return render_math(segment.content, display=segment.display, source=segment.source)
    if segment.kind == "table":
        return _table(segment)
    if segment.kind == "asy":
        return format_html(
            '<details class="figure-source"><summary>{}</summary>{}</details>',
            _("Figure given as an Asymptote program"), _code_block(segment.content, "cpp"),
        )  # fmt: skip
    if segment.kind == "image":
        name = mark_hidden(escape(segment.content))
        return format_html('<span class="left-out">{} <code>{}</code></span>', _("Image left out:"), name)
    if segment.display:
        return _code_block(segment.content, segment.language)
    return format_html("<code>{}</code>", mark_hidden(escape(segment.content)))


def _table(segment: Segment) -> SafeString:
    rows = table_rows(segment.content)
    if not rows:
        return mark_hidden(escape(segment.source))
    lines = format_html_join("", "<tr>{}</tr>", ((format_html_join("", "{}", map(_table_cell, row)),) for row in rows))
    return format_html('<table data-source="{}"><tbody>{}</tbody></table>', segment.source, lines)


def _table_cell(cell: Cell) -> tuple[SafeString]:
    text = format_html_join("", "{}", ((_in_lines(part),) for part in split(cell.text, "latex")))
    tag = "th" if cell.heading else "td"
    return (format_html('<{} colspan="{}">{}</{}>', tag, cell.columns, text, tag),)


def _code_block(text: str, language: str | None) -> SafeString:
    lines = render_code(text, language)
    html = format_html_join("\n", "{}", ((line,) for line in lines))
    return format_html('<pre class="code"><code>{}</code></pre>', html)
