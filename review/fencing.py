"""Hostile text in a prompt: between marks that it cannot forge, and without the control words of chat templates."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from annotation.control_words import defused


def fence(contents: Sequence[str]) -> str:
    """A code that stands in none of the contents, always the same for the same contents.

    It is drawn from their hash, so whoever writes one of them cannot foresee it.
    """
    seed = hashlib.sha256()
    for content in contents:
        seed.update(f"{len(content)}:{content}".encode("utf-8", "surrogatepass"))
    code = seed.hexdigest()[:16]
    while any(code in content for content in contents):
        code = hashlib.sha256(code.encode()).hexdigest()[:16]
    return code


def fenced(parts: Sequence[tuple[str, str]]) -> str:
    """Named parts, each between marks with one code that stands in none of them."""
    safe = [(name, defused(text)) for name, text in parts]
    code = fence([text for _, text in safe])
    return "\n".join(f"<<<{name} {code}>>>\n{text}\n<<<end {name} {code}>>>" for name, text in safe)


_MARK = re.compile(
    r"^[ \t]*<<<(?P<end>end )?(?:problem|options|step|paragraph|accepted|candidate)\b"
    r"[^<>\n]{0,80} [0-9a-f]{16}>>>[ \t]*$",
    re.MULTILINE,
)


def unquoted(text: str, *, to_the_end: bool = True) -> str:
    """A reply without the material it repeats between marks: what stands there is no word of the model's own.

    What comes before a lone end mark continues the material; what follows a lone opening mark too, if `to_the_end`.
    """
    kept, start, opened = [], 0, False
    for mark in _MARK.finditer(text):
        piece, start = text[start : mark.start()], mark.end()
        if not (mark["end"] or (opened and to_the_end)):
            kept.append(piece)
        opened = not mark["end"]
    if not (opened and to_the_end):
        kept.append(text[start:])
    return "\n".join(piece.strip("\n") for piece in kept).strip()
