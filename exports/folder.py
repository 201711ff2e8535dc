"""A release as a folder on disk: written once, read, and verified down to the line."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.sources.records import BadRecord, SolutionRecord
from annotation.sources.stepmark import read
from exports.formats.stepmark import line as line_of

FORMAT = "stepmark-release"
SCHEMA_VERSION = 1
ITEMS, VOTES, LEFT_OUT, MANIFEST = "items.jsonl", "votes.jsonl", "left_out.jsonl", "manifest.json"
DISCUSSION = "discussion.jsonl"
FILES = (ITEMS, VOTES, LEFT_OUT, DISCUSSION)


class FolderError(ValueError):
    """A release folder cannot be written or trusted."""


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """A verified release; `items` are in its order and all have a gold label, `hash` is its content hash."""

    manifest: Mapping[str, Any]
    items: list[SolutionRecord]
    hash: str
    votes: tuple[Mapping[str, Any], ...] = ()  # annotators' labels: id, annotator and the parts of a verdict


def write_folder(
    path: Path,
    records: Iterable[SolutionRecord],
    votes: Iterable[Mapping[str, Any]],
    left_out: Iterable[Mapping[str, Any]],
    facts: Mapping[str, Any],
    discussion: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Write a release and return its manifest; the folder appears whole or not at all.

    `facts` are what the manifest says beside what is counted here: project, version, notes, policy, agreement.
    Raises: FolderError when the folder exists, a record has no gold label, or an id occurs twice.
    """
    if path.exists():
        raise FolderError(f"{path} exists already; a release never changes, a correction is a new version.")
    with _appearing(path) as partial:
        return _write_files(partial, records, {VOTES: votes, LEFT_OUT: left_out, DISCUSSION: discussion}, facts)


def restore_folder(path: Path, texts: Mapping[str, Iterable[str]]) -> None:
    """Write a release again from the kept texts of its files, by name; the caller verifies the result."""
    with _appearing(path) as partial:
        for name, pieces in texts.items():
            with (partial / name).open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)


@contextmanager
def _appearing(path: Path) -> Iterator[Path]:
    """A folder to write in that takes its name only when all is written."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def read_folder(path: Path) -> ReleaseFolder:
    """The release in a folder. Raises: FolderError when it is not intact."""
    faults = verify_folder(path)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise FolderError(f"{path} is not an intact release: {faults[0]}{more}")
    manifest = json.loads((path / MANIFEST).read_bytes())
    items = [_gold_item(record) for record in read((path / ITEMS).read_bytes(), ITEMS)]
    for item, stated in zip(items, manifest["items"], strict=True):
        if item.id != stated:
            raise FolderError(
                f"{path}: the item called {stated} has a source, external id and model that make {item.id}."
            )
    votes = tuple(json.loads(line) for line in (path / VOTES).read_bytes().splitlines())
    return ReleaseFolder(manifest, items, manifest["content_hash"], votes)


def verify_folder(path: Path) -> list[str]:
    """What was changed, added or is missing, one sentence each; empty when the folder is as it was written."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes(), parse_constant=_no_constant)
    except OSError:
        return [f"{MANIFEST} is missing; this is no release folder."]
    except (ValueError, RecursionError) as error:
        return [f"{MANIFEST} is not JSON ({error})."]
    fault = _odd_manifest(manifest)
    if fault:
        return [fault]
    faults = [f"{name} was added." for name in sorted(os.listdir(path)) if name not in (*FILES, MANIFEST)]
    if manifest.get("manifest_hash") != _manifest_hash(manifest):
        faults.append(f"{MANIFEST} was changed.")
    if manifest["content_hash"] != content_hash(manifest["items"]):
        faults.append(f"{MANIFEST}: content_hash does not fit its items.")
    for name in FILES:
        faults += _file_faults(path / name, manifest)
    return faults


def content_hash(items: Mapping[str, str]) -> str:
    """sha256 over "id sha256" lines in the order of the release."""
    return hashlib.sha256("".join(f"{item} {digest}\n" for item, digest in items.items()).encode()).hexdigest()


def line_hash(line: str) -> str:
    """sha256 of a line of items.jsonl, without its line break."""
    return hashlib.sha256(line.encode()).hexdigest()


def _canonical(value: Mapping[str, Any]) -> str:
    """JSON as all files of a release have it: keys in the order given, no blanks, no escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _manifest_hash(manifest: Mapping[str, Any]) -> str:
    """sha256 of the manifest without this hash itself: the content hash covers the items alone."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return hashlib.sha256(_canonical(rest).encode()).hexdigest()


@dataclass
class _Counted:
    """What is counted while the records pass by on their way into the file."""

    items: dict[str, str]
    problems: set[tuple[str, str]]
    subjects: dict[str, dict[str, int]]

    def passing(self, records: Iterable[SolutionRecord]) -> Iterator[str]:
        for record in records:
            if record.gold is None:
                raise FolderError(f"{record.id} ({record.where}) has no gold label.")
            if record.id in self.items:
                raise FolderError(f"{record.id} ({record.where}) is in the release twice.")
            line = line_of(record, labels=False)
            self.items[record.id] = line_hash(line)
            self.problems.add((record.problem.source, record.problem.external_id))
            subject = self.subjects.setdefault(record.problem.subject, {"correct": 0, "incorrect": 0})
            subject["correct" if record.gold.verdict.correct else "incorrect"] += 1
            yield line


def _write_files(
    folder: Path,
    records: Iterable[SolutionRecord],
    beside: Mapping[str, Iterable[Mapping[str, Any]]],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    counted = _Counted({}, set(), {})
    files = {
        ITEMS: _write_lines(folder / ITEMS, counted.passing(records)),
        **{name: _write_lines(folder / name, map(_canonical, lines)) for name, lines in beside.items()},
    }
    by_subject = dict(sorted(counted.subjects.items()))
    computed = {
        "counts": {"items": len(counted.items), "problems": len(counted.problems), "by_subject": by_subject},
        "content_hash": content_hash(counted.items),
        "files": files,
        "items": counted.items,
    }
    manifest = {"format": FORMAT, "schema_version": SCHEMA_VERSION, **facts, **computed}
    manifest["manifest_hash"] = _manifest_hash(manifest)
    _write_lines(folder / MANIFEST, [_canonical(manifest)])
    return manifest


def _write_lines(path: Path, lines: Iterable[str]) -> dict[str, Any]:
    digest, size, number = hashlib.sha256(), 0, 0
    with path.open("xb") as file:
        for line in lines:
            data = f"{line}\n".encode()
            file.write(data)
            digest.update(data)
            size, number = size + len(data), number + 1
        file.flush()
        os.fsync(file.fileno())
    return {"sha256": digest.hexdigest(), "bytes": size, "lines": number}


def _gold_item(record: SolutionRecord | BadRecord) -> SolutionRecord:
    if isinstance(record, BadRecord):
        raise FolderError(f"{ITEMS}, {record.where}: {record.oddities[0].message}")
    if record.gold is None:
        raise FolderError(f"{ITEMS}, {record.where}: there is no gold label that can be read.")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _odd_manifest(manifest: Any) -> str | None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return f"{MANIFEST} is not that of a Stepmark release."
    if manifest.get("schema_version") != SCHEMA_VERSION:
        return f"{MANIFEST} has schema version {manifest.get('schema_version')!r}; this program reads {SCHEMA_VERSION}."
    kinds = {"content_hash": str, "files": dict, "items": dict}
    odd = [name for name, kind in kinds.items() if not isinstance(manifest.get(name), kind)]
    return f"{MANIFEST}: {odd[0]} is missing or of the wrong type." if odd else None


def _file_faults(path: Path, manifest: Mapping[str, Any]) -> list[str]:
    stated = manifest["files"].get(path.name)
    if not isinstance(stated, dict):
        return [f"{MANIFEST} does not name {path.name}."]
    try:
        data = path.read_bytes()
    except OSError:
        return [f"{path.name} is missing."]
    faults = _item_faults(data, manifest["items"]) if path.name == ITEMS else []
    if faults or hashlib.sha256(data).hexdigest() == stated.get("sha256"):
        return faults
    lines = data.count(b"\n")
    was = f" ({stated.get('lines')} lines then, {lines} now)" if lines != stated.get("lines") else ""
    return [f"{path.name} was changed{was}."]


def _item_faults(data: bytes, stated: Mapping[str, str]) -> list[str]:
    """What differs between the lines and the manifest, by item."""
    faults: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else [], start=1):
        item = _id_in(line)
        if item not in stated:
            faults.append(f"{ITEMS}, line {number}: item {item} was added.")
        elif item in seen:
            faults.append(f"{ITEMS}, line {number}: item {item} is there twice.")
        elif hashlib.sha256(line).hexdigest() != stated[item]:
            faults.append(f"{ITEMS}, line {number}: item {item} was changed.")
        seen.setdefault(item, number)
    faults += [f"{ITEMS}: item {item} is missing." for item in stated if item not in seen]
    if not faults and list(seen) != list(stated):
        faults.append(f"{ITEMS}: the items are in another order.")
    return faults


def _id_in(line: bytes) -> str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return "that cannot be read"
    return str(found.get("id")) if isinstance(found, dict) else "that is no object"
