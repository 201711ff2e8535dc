"""A release folder: written whole or not at all, the same bytes for the same state, tampering told by item."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.sources.records import LabelRecord, SolutionRecord
from annotation.verdicts import Verdict
from exports.folder import FolderError, content_hash, read_folder, restore_folder, verify_folder, write_folder
from tests.exports.small_release import solution

FACTS = {
    "project": "small",
    "version": "1.0",
    "notes": "数学 <b>",
    "policy": {"votes": 2},
    "agreement": {"alpha": None},
}
VOTES = [{"id": "x", "annotator": "a1", "correct": True}]
LEFT_OUT = [{"id": "y", "outcome": "discarded", "why": "no right option"}]


def records() -> list[SolutionRecord]:
    return [
        solution("a", 1, problem="p"),
        solution("b", None, problem="p"),
        solution("c", 0, subject="biology", reason="line separator \u2028 and café"),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "releases" / "1.0"
    write_folder(path, records(), VOTES, LEFT_OUT, FACTS)
    return path


def test_the_manifest_counts_and_hashes(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    lines = (folder / "items.jsonl").read_bytes().removesuffix(b"\n").split(b"\n")
    hashes = [hashlib.sha256(line).hexdigest() for line in lines]
    ids = [record.id for record in records()]
    assert {name: manifest[name] for name in ("format", "schema_version", *FACTS)} == {
        "format": "stepmark-release", "schema_version": 1, **FACTS
    }  # fmt: skip
    assert manifest["counts"] == {
        "items": 3,
        "problems": 2,
        "by_subject": {"biology": {"correct": 0, "incorrect": 1}, "math": {"correct": 1, "incorrect": 1}},
    }
    assert manifest["items"] == dict(zip(ids, hashes, strict=True))
    told = "".join(f"{item} {digest}\n" for item, digest in zip(ids, hashes, strict=True))
    assert manifest["content_hash"] == hashlib.sha256(told.encode()).hexdigest()
    data = (folder / "votes.jsonl").read_bytes()
    described = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "lines": 1}
    assert manifest["files"]["votes.jsonl"] == described


def test_files_are_canonical_and_hold_no_labels(folder: Path) -> None:
    assert (folder / "votes.jsonl").read_bytes() == b'{"id":"x","annotator":"a1","correct":true}\n'
    assert "数学 <b>" in (folder / "manifest.json").read_text(encoding="utf-8")
    assert b'"labels"' not in (folder / "items.jsonl").read_bytes()


def test_labels_never_reach_the_items(tmp_path: Path) -> None:
    labelled = replace(solution("a", 1), labels=(LabelRecord("ann", Verdict(True)),))
    write_folder(tmp_path / "r", [labelled], [], [], FACTS)
    assert b"ann" not in (tmp_path / "r" / "items.jsonl").read_bytes()


def test_the_same_state_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_folder(tmp_path / "again", iter(records()), iter(VOTES), iter(LEFT_OUT), FACTS)
    for path in folder.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_reading_gives_back_what_was_written(folder: Path) -> None:
    read = read_folder(folder)
    assert [(item.id, item.gold, item.steps) for item in read.items] == [
        (item.id, item.gold, item.steps) for item in records()
    ]
    assert read.hash == read.manifest["content_hash"] == content_hash(read.manifest["items"])


def test_an_intact_folder_verifies(folder: Path) -> None:
    assert verify_folder(folder) == []


def test_a_release_is_never_overwritten(folder: Path) -> None:
    before = (folder / "items.jsonl").read_bytes()
    with pytest.raises(FolderError, match="exists already"):
        write_folder(folder, [], [], [], FACTS)
    assert (folder / "items.jsonl").read_bytes() == before


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken() -> Iterator[SolutionRecord]:
        yield solution("a", 1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "r", broken(), [], [], FACTS)
    assert list(tmp_path.iterdir()) == []


def test_every_item_has_a_gold_label_and_is_there_once(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="no gold label"):
        write_folder(tmp_path / "r", [replace(solution("a", 1), gold=None)], [], [], FACTS)
    with pytest.raises(FolderError, match="twice"):
        write_folder(tmp_path / "r", [solution("a", 1), solution("a", 1)], [], [], FACTS)


def test_an_empty_release_can_be_written_and_verified(tmp_path: Path) -> None:
    write_folder(tmp_path / "r", [], [], [], FACTS)
    assert verify_folder(tmp_path / "r") == []


def edit(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def run(folder: Path) -> None:
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return run


def drop_line(data: bytes) -> bytes:
    return data.split(b"\n", 1)[1]


def swap(data: bytes) -> bytes:
    one, two, rest = data.split(b"\n", 2)
    return b"\n".join((two, one, rest))


A, B, C = (record.id for record in records())
TAMPERINGS = {
    "a changed label": (edit("items.jsonl", lambda d: d.replace(b"caf", b"kaf")), f"line 3: item {C} was changed."),
    "a missing item": (edit("items.jsonl", drop_line), f"items.jsonl: item {A} is missing."),
    "a repeated item": (edit("items.jsonl", lambda d: d + d.split(b"\n")[0]), f"line 4: item {A} is there twice."),
    "an added item": (edit("items.jsonl", lambda d: d + b'{"id":"sm-1"}\n'), "line 4: item sm-1 was added."),
    "an added line": (edit("items.jsonl", lambda d: d + b"{\n"), "line 4: item that cannot be read was added."),
    "another order": (edit("items.jsonl", swap), "the items are in another order."),
    "a lost line end": (edit("items.jsonl", lambda d: d[:-1]), "items.jsonl was changed (3 lines then, 2 now)."),
    "a changed vote": (edit("votes.jsonl", lambda d: d.replace(b"true", b"null")), "votes.jsonl was changed."),
    "a missing file": (lambda folder: (folder / "left_out.jsonl").unlink(), "left_out.jsonl is missing."),
    "an added file": (lambda folder: (folder / "more.txt").touch(), "more.txt was added."),
    "a changed policy": (edit("manifest.json", lambda d: d.replace(b"votes", b"veto")), "manifest.json was changed."),
    "a manifest that is none": (edit("manifest.json", lambda _: b"{}"), "not that of a Stepmark release"),
    "a broken manifest": (edit("manifest.json", lambda d: d[:9]), "manifest.json is not JSON"),
    "a manifest of the future": (edit("manifest.json", lambda d: d.replace(b'version":1', b'version":2')), "reads 1"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "this is no release folder"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_told_by_file_line_and_item(folder: Path, name: str) -> None:
    tamper, words = TAMPERINGS[name]
    tamper(folder)
    faults = verify_folder(folder)
    assert any(words in fault for fault in faults), faults
    with pytest.raises(FolderError, match="not an intact release"):
        read_folder(folder)


def test_a_forged_id_with_fitting_hashes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r"
    item = solution("a", 1)
    write_folder(path, [item], [], [], FACTS)
    line = (path / "items.jsonl").read_text(encoding="utf-8").replace(item.id, "sm-0")
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    manifest["items"] = {"sm-0": hashlib.sha256(line[:-1].encode()).hexdigest()}
    manifest["content_hash"] = content_hash(manifest["items"])
    manifest["files"]["items.jsonl"]["sha256"] = hashlib.sha256(line.encode()).hexdigest()
    del manifest["manifest_hash"]
    sealed = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    manifest["manifest_hash"] = hashlib.sha256(sealed.encode()).hexdigest()
    (path / "items.jsonl").write_text(line, encoding="utf-8")
    (path / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False), encoding="utf-8")
    assert verify_folder(path) == []
    with pytest.raises(FolderError, match="the item called sm-0"):
        read_folder(path)


def test_a_kept_release_is_restored_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    texts = {path.name: [path.read_text(encoding="utf-8")] for path in folder.iterdir()}
    restore_folder(tmp_path / "restored", texts)
    assert verify_folder(tmp_path / "restored") == []
    assert (tmp_path / "restored" / "items.jsonl").read_bytes() == (folder / "items.jsonl").read_bytes()
