"""The mathematics font of the pages: a small woff2 cut at run time from the STIX Two Math that ziamath installs.

The full font has 1.5 MB. The cut keeps the letters, operators and delimiters that mathematics on a page needs, with the
size variants that let a parenthesis grow; any other character falls back to a font of the reader's machine.
"""

import logging
import os
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.utils import matches_patterns
from django.core.files.storage import FileSystemStorage, Storage
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

REVISION = 1  # of the choice of characters; a new one needs a new file name, here and in mathematics.css

_CHARACTERS = (
    (0x20, 0x7E), (0xA0, 0xFF),  # Latin
    (0x300, 0x30C), (0x332, 0x333), (0x338, 0x338), (0x20D0, 0x20DC),  # accents
    (0x391, 0x3D1), (0x3D5, 0x3D6), (0x3F0, 0x3F1), (0x3F5, 0x3F5),  # Greek
    (0x2010, 0x2044), (0x2057, 0x2057), (0x2060, 0x2064), (0x2100, 0x213F),  # punctuation, letterlike symbols
    (0x2190, 0x21FF), (0x27F5, 0x27FF),  # arrows
    (0x2200, 0x22FF), (0x2A00, 0x2A06), (0x2A7D, 0x2A7E), (0x2AAF, 0x2AB0), (0x27C2, 0x27C2),  # operators
    (0x2308, 0x230B), (0x2329, 0x232A), (0x239B, 0x23B7), (0x23DC, 0x23E1), (0x27E6, 0x27EF),  # delimiters, braces
    (0x25A0, 0x25A1), (0x25B3, 0x25B3), (0x25CA, 0x25CB), (0x25FB, 0x25FC), (0x2605, 0x2605), (0xFE00, 0xFE01),
    (0x1D400, 0x1D4CF),  # bold, italic, bold italic, script
    (0x1D504, 0x1D56B),  # Fraktur, double-struck
    (0x1D6A4, 0x1D755),  # dotless i and j; Greek bold, italic, bold italic
    (0x1D7CE, 0x1D7D7),  # bold digits
)  # fmt: skip


def font_name() -> str:
    """The file name, which changes with the font's package and with the choice of characters."""
    return f"stix-two-math-{version('ziamath')}-r{REVISION}.woff2"


def math_font() -> Path:
    """The font file under `DATA_DIR/fonts`, cut on first use (some seconds) and kept; safe with several processes."""
    target: Path = settings.DATA_DIR / "fonts" / font_name()
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=target.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            _cut().save(file)
        Path(part).chmod(0o644)
        Path(part).replace(target)
    return target


def _cut() -> TTFont:
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it tells every glyph it keeps
    # Layout features double the size and no browser needs them to set MathML; the MATH table carries what stretches.
    options = Options(flavor="woff2", hinting=False, layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14])
    font = TTFont(str(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"))
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[point for first, last in _CHARACTERS for point in range(first, last + 1)])
    subsetter.subset(font)
    font.flavor = "woff2"
    return font


class MathFontFinder(BaseFinder):
    """Makes the font a static file, so that a style sheet can name it and `collectstatic` takes it along."""

    def find(self, path: str, find_all: bool = False) -> Any:
        """The font's path when `path` names it, else an empty list, as Django's own finders do."""
        if path != f"fonts/{font_name()}":
            return []
        return [str(math_font())] if find_all else str(math_font())

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        name = f"fonts/{font_name()}"
        if not matches_patterns(name, ignore_patterns or []):
            math_font()
            yield name, FileSystemStorage(location=settings.DATA_DIR)
