"""Files of a release as they are handed out."""

import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from exports.folder import FILES, MANIFEST
from exports.models import Release
from exports.releases import export, folder_of

DOWNLOADS = (*FILES, MANIFEST)
HALVES = ("public", "private")
SUFFIXES = {"mr-ben": "json", "processbench": "json", "stepmark": "jsonl"}


def open_file(release: Release, name: str) -> BinaryIO:
    """One file of the release's folder, byte for byte. Raises: CannotFreeze when the rows were tampered with."""
    return (folder_of(release) / name).open("rb")


def packed(release: Release) -> BytesIO:
    """The whole folder as a ZIP file, for `stepmark grade`. Raises: as `open_file`."""
    folder = folder_of(release)
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in DOWNLOADS:
            archive.write(folder / name, f"{release.project.slug}-{release.version}/{name}")
    data.seek(0)
    return data


def in_format(release: Release, name: str, half: str = "") -> BinaryIO:
    """The release, or one of HALVES, in one of the formats that evaluation pipelines read."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "export"
        export(release, name, path, half)
        return path.open("rb")  # stays readable after the folder is gone


def file_name(release: Release, rest: str) -> str:
    """The name under which a file is saved."""
    return f"{release.project.slug}-{release.version}-{rest}"


def format_file_name(release: Release, name: str, half: str = "") -> str:
    """The name under which the release in a format is saved."""
    return file_name(release, f"{half}-{name}.{SUFFIXES[name]}" if half else f"{name}.{SUFFIXES[name]}")
