"""Characters that a reader cannot see, made visible: bidirectional controls, zero-width characters, control codes."""

import re
import unicodedata

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

# Control and format characters, separators, surrogates, tags, and blank letters, written as ranges of code points.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Joiners and variation selectors shape emoji and some scripts; after plain ASCII, or doubled, they only hide.
_JOINING = "\u200c\u200d\ufe00-\ufe0f"
_SPACES = "\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"

HIDDEN = re.compile(f"(?:[{_ALWAYS}]|(?<![^\x00-\x7f{_ALWAYS}{_JOINING}])[{_JOINING}])+")
UNSEEN = re.compile(f"[{_ALWAYS}{_JOINING}{_SPACES}]+| +(?=\n|$)")

_NAMES = {
    "\t": "TAB", "\r": "CR", "\xa0": "NBSP", "\xad": "SHY", "\u061c": "ALM", "\u200b": "ZWSP", "\u200c": "ZWNJ",
    "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS", "\u2060": "WJ", "\ufeff": "BOM",
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
}  # fmt: skip


def label(character: str) -> str:
    """The short name shown in place of an invisible character: `RLO`, or `U+E0041`."""
    return _NAMES.get(character, f"U+{ord(character):04X}")


def plain_label(run: str) -> str:
    """A run of invisible characters as text: its distinct names in order and how many characters there are."""
    names = list(dict.fromkeys(map(label, run)))
    shown = " ".join(names[:3]) + (" …" if len(names) > 3 else "")
    return shown if len(run) == 1 else f"{shown} ×{len(run)}"


def _mark(match: re.Match[str]) -> SafeString:
    run = match.group()
    if set(run) == {" "}:
        return format_html('<span class="unseen">{}</span>', "·" * len(run))
    first = f"U+{ord(run[0]):04X} {unicodedata.name(run[0], '')}".rstrip()
    return format_html('<span class="unseen" title="{}">{}</span>', first, plain_label(run))


def mark_hidden(html: str) -> SafeString:
    """Replace invisible characters of HTML that is safe already by labelled spans; no attribute value may hold one."""
    return mark_safe(HIDDEN.sub(_mark, html))  # noqa: S308


def mark_unseen(text: str) -> SafeString:
    """Escape `text` and label all that cannot be told apart by eye: unusual spaces, tabs and trailing blanks too."""
    parts: list[str] = []
    position = 0
    for match in UNSEEN.finditer(text):
        parts += [text[position : match.start()], _mark(match)]
        position = match.end()
    return format_html_join("", "{}", ((part,) for part in [*parts, text[position:]]))
