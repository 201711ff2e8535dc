"""The Chinese catalogue says everything the pages say: nothing missing, nothing doubtful, compiled as it is written."""

import re
import shutil
import subprocess
import sys
from gettext import GNUTranslations
from pathlib import Path

import pytest

from tests.conftest import ROOT

LANGUAGE = "zh_Hans"
FOLDER = Path("config") / "locale" / LANGUAGE / "LC_MESSAGES"
SOURCES = ("annotation", "review", "exports", "config", "manage.py")
LEAVE_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "migrations")


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue after the strings of the source have been merged in, in a copy of the source."""
    if shutil.which("xgettext") is None:
        pytest.skip("the gettext tools are not on this machine")
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=LEAVE_OUT)
        else:
            shutil.copy(ROOT / name, copy / name)
    (copy / "config" / "locale").mkdir(exist_ok=True)
    command = [sys.executable, "manage.py", "makemessages", "-l", LANGUAGE, "--no-wrap", "--no-location"]
    subprocess.run(command, cwd=copy, check=True, capture_output=True, text=True)
    return copy / FOLDER / "django.po"


def entries(catalogue: Path, which: str) -> list[str]:
    """The msgids of some of the entries."""
    told = subprocess.run(
        ["msgattrib", which, "--no-obsolete", "--no-wrap", catalogue], check=True, capture_output=True, text=True
    ).stdout
    found = re.findall(r'^msgid ((?:".*"\n)+)', told, re.M)
    texts = ["".join(line.strip('"') for line in each.splitlines()) for each in found]
    return [text for text in texts if text]


def test_every_string_has_its_translation(extracted: Path) -> None:
    missing = entries(extracted, "--untranslated")
    assert missing == [], f"{len(missing)} strings have no translation; run manage.py makemessages -l {LANGUAGE}"


def test_no_translation_is_doubtful(extracted: Path) -> None:
    assert entries(extracted, "--only-fuzzy") == []


def test_the_compiled_catalogue_is_the_written_one(extracted: Path, tmp_path: Path) -> None:
    written = ROOT / FOLDER / "django.po"
    compiled = written.with_suffix(".mo")
    assert compiled.exists(), "run manage.py compilemessages"
    fresh = tmp_path / "fresh.mo"
    subprocess.run(["msgfmt", "--check-format", "-o", fresh, written], check=True, capture_output=True, text=True)

    def read(path: Path) -> dict[str, str]:
        with path.open("rb") as file:
            return {str(key): text for key, text in vars(GNUTranslations(file))["_catalog"].items() if key}

    assert read(compiled) == read(fresh), "run manage.py compilemessages"
