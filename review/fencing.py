"""Hostile text in a prompt: between marks that it cannot forge, and without the control words of chat templates."""

from __future__ import annotations

import hashlib
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
