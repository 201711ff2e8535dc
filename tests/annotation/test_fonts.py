"""The font cut for the pages: small, complete where it must be, able to stretch."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from fontTools.ttLib import TTFont
from pytest_django import Settings

from annotation.fonts import MathFontFinder, font_name, math_font

STYLES = Path(__file__).resolve().parents[2] / "config" / "static" / "stepmark" / "mathematics.css"


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("data")
    before, configured.DATA_DIR = configured.DATA_DIR, folder
    yield math_font()
    configured.DATA_DIR = before


def test_small_enough_for_a_cold_cache(font: Path) -> None:
    assert 50_000 < font.stat().st_size < 110_000


def test_letters_operators_and_delimiters_are_there(font: Path) -> None:
    characters = TTFont(font).getBestCmap()
    wanted = "aZ09+−×÷=≠≤≥⩽⩾∈∉⊂∪∩∑∏∫∮√∞∂∇→⇒⟹⟺↦αωΓΩϕ𝑎𝑍ℎ𝐀𝐳𝒜ℒ𝔤ℝ𝔼𝛼𝛺𝜶⌊⌋⌈⌉⟨⟩‖′″△□⋯⋮⏞⏟ℓℵ"
    assert [character for character in wanted if ord(character) not in characters] == []


@pytest.mark.parametrize("character", "()[]{}|‖⟨⟩⌊⌋⌈⌉√")
def test_delimiters_can_stretch(font: Path, character: str) -> None:
    cut = TTFont(font)
    variants = cut["MATH"].table.MathVariants
    stretching = dict(zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True))
    construction = stretching[cut.getBestCmap()[ord(character)]]
    assert len(construction.MathGlyphVariantRecord) > 1 or construction.GlyphAssembly.PartRecords


def test_the_style_sheet_names_this_font() -> None:
    assert f'url("../fonts/{font_name()}")' in STYLES.read_text()


def test_the_font_is_cut_once(font: Path, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    kept = tmp_path / "fonts" / font_name()
    kept.parent.mkdir()
    kept.write_bytes(b"made before")
    assert math_font().read_bytes() == b"made before"


def test_the_font_is_a_static_file(font: Path, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = font.parent.parent
    settings.STATICFILES_FINDERS = ["annotation.fonts.MathFontFinder"]
    settings.STATIC_ROOT = tmp_path
    call_command("collectstatic", interactive=False, stdout=StringIO())
    assert (tmp_path / "fonts" / font_name()).read_bytes() == font.read_bytes()


def test_the_finder_answers_for_its_file_alone(font: Path, settings: Settings) -> None:
    settings.DATA_DIR = font.parent.parent
    finder = MathFontFinder()
    assert finder.find(f"fonts/{font_name()}") == str(font)
    assert finder.find(f"fonts/{font_name()}", find_all=True) == [str(font)]
    assert finder.find("secret_key") == []
