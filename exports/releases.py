"""Freezing a release, and giving out its folder and files at any later time."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import locks
from django.db import transaction
from django.utils.translation import gettext as _

from annotation import audit
from annotation.jobs import Progress, no_progress
from annotation.models import Project, User
from annotation.sources.records import Oddity, SolutionRecord
from exports import folder
from exports.errata import errata
from exports.final_verdicts import discussion, gold_records, left_out, votes
from exports.formats import FORMATS
from exports.models import Release, ReleaseItem
from exports.splits import half_of
from review import kept_figures
from review.label_rows import label_columns
from review.rechecks import gold_error

VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]{0,39}")
POLICY_FIELDS = (
    "overlap", "show_answer_key", "show_reference", "ask_category", "ask_rectified", "categories", "min_reason"
)  # fmt: skip


class CannotFreeze(ValueError):
    """There is nothing to freeze, or the version is no version or taken."""


def check_version(project: Project, version: str) -> None:
    """Raise CannotFreeze when the version cannot be used or the campaign has no gold yet."""
    if not VERSION.fullmatch(version):
        raise CannotFreeze(_("A version has letters, digits, dots and dashes, as 1.0.0 has."))
    if Release.objects.filter(project=project, version=version).exists():
        raise CannotFreeze(_("Version %s exists already. A release never changes; choose another version.") % version)
    if next(gold_records(project), None) is None:
        raise CannotFreeze(_("Nothing is decided yet. Confirm or adjudicate items first."))


def freeze(
    project: Project, version: str, notes: str, by: User, progress: Progress = no_progress
) -> Release:  # fmt: skip
    """Copy what is decided into a release that never changes. The same state gives the same bytes.

    Raises: CannotFreeze.
    """
    check_version(project, version)
    facts = {"project": project.slug, "version": version, "notes": notes, **_facts(project)}
    with tempfile.TemporaryDirectory() as scratch, transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        path = Path(scratch) / "release"
        counted = _counting(gold_records(project), progress)
        folder.write_folder(path, counted, votes(project), left_out(project), facts, discussion(project))
        return _store(project, version, notes, by, path)


def _facts(project: Project) -> dict[str, Any]:
    policy = {name: getattr(project, name) for name in POLICY_FIELDS}
    agreement = kept_figures.measured(project.slug, "", label_columns(project)[0])
    noise = asdict(gold_error(project))
    return {"policy": policy, "agreement": agreement, "gold_error": noise, "errata": errata(project)}


def _counting(records: Iterator[SolutionRecord], progress: Progress) -> Iterator[SolutionRecord]:
    for number, record in enumerate(records):
        if number % 500 == 0:
            progress(number, 0)
        yield record


def _store(project: Project, version: str, notes: str, by: User, path: Path) -> Release:
    held = folder.read_folder(path)
    lines = (path / folder.ITEMS).read_text(encoding="utf-8").split("\n")[:-1]
    release = Release.objects.create(
        project=project, version=version, notes=notes, frozen_by=by, content_hash=held.hash,
        manifest_text=(path / folder.MANIFEST).read_text(encoding="utf-8"),
        votes_text=(path / folder.VOTES).read_text(encoding="utf-8"),
        left_out_text=(path / folder.LEFT_OUT).read_text(encoding="utf-8"),
        discussion_text=(path / folder.DISCUSSION).read_text(encoding="utf-8"),
    )  # fmt: skip
    ReleaseItem.objects.bulk_create(
        (
            _item(release, place, record, line)
            for place, (record, line) in enumerate(zip(held.items, lines, strict=True))
        ),
        batch_size=500,
    )
    audit.record("released", by, project, version=version, content_hash=held.hash)
    return release


def _item(release: Release, place: int, record: SolutionRecord, line: str) -> ReleaseItem:
    if record.gold is None:
        raise CannotFreeze(f"{record.id} has no gold label.")  # the folder's reader refuses this before
    return ReleaseItem(
        release=release, item_id=record.id, position=place, subject=record.problem.subject, record=line,
        problem=f"{record.problem.source}\x1f{record.problem.external_id}",
        sha256=folder.line_hash(line), **asdict(record.gold.verdict),
    )  # fmt: skip


def lines_of(release: Release) -> Iterator[str]:
    """The lines of items.jsonl as frozen, in order."""
    return release.items.order_by("position").values_list("record", flat=True).iterator(chunk_size=500)


def folder_of(release: Release) -> Path:
    """The release's folder on this machine; rebuilt from the frozen rows when it is missing or was tampered with.

    Raises: CannotFreeze when the rows themselves no longer fit their hashes.
    """
    path = _place(release)
    with _alone(path):
        if not path.exists() or faults_of(release, path):
            _rebuild(release, path)
    return path


def _place(release: Release) -> Path:
    return Path(settings.RELEASES_DIR) / release.project.slug / release.version


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Work on a folder while every other thread and process that wants to waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as file:
        locks.lock(file, locks.LOCK_EX)
        yield  # closing the file gives the lock back


def _rebuild(release: Release, path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    _restore(release, path)
    faults = faults_of(release, path)
    if faults:
        raise CannotFreeze(_("The stored release was tampered with: %s") % faults[0])


def _restore(release: Release, path: Path) -> None:
    texts = {
        folder.MANIFEST: [release.manifest_text], folder.VOTES: [release.votes_text],
        folder.LEFT_OUT: [release.left_out_text], folder.DISCUSSION: [release.discussion_text],
        folder.ITEMS: (line + "\n" for line in lines_of(release)),
    }  # fmt: skip
    folder.restore_folder(path, texts)


def tampering(release: Release) -> list[str]:
    """What is not as frozen in the folder on this machine and in the stored rows; empty when all is. Mends nothing."""
    path = _place(release)
    with _alone(path):
        on_disk = faults_of(release, path) if path.exists() else []
    return on_disk + [_("In the database: %s") % fault for fault in _stored_faults(release)]


def _stored_faults(release: Release) -> list[str]:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "release"
        _restore(release, path)
        faults = faults_of(release, path)
        if faults:
            return faults
        held = folder.read_folder(path)
    if held.hash != release.content_hash:
        return [_("the content hash is not that of the items.")]
    return [
        _("item %s does not say what its frozen line says.") % item.item_id
        for item, record in zip(release.items.order_by("position"), held.items, strict=True)
        if record.gold is None or (item.item_id, item.verdict) != (record.id, record.gold.verdict)
    ]


def faults_of(release: Release, path: Path) -> list[str]:
    """What in a folder is not as frozen, one sentence each; empty when intact."""
    faults = folder.verify_folder(path)
    manifest = path / folder.MANIFEST
    if not faults and manifest.read_text(encoding="utf-8") != release.manifest_text:
        faults = [_("manifest.json is not the one that was frozen.")]
    return faults


def records_of(release: Release) -> list[SolutionRecord]:
    """The frozen items as plain records. Raises: CannotFreeze when the rows were tampered with."""
    return folder.read_folder(folder_of(release)).items


def export(release: Release, format_name: str, path: Path, half: str = "") -> list[Oddity]:
    """Write the release, or its public or private half, in a format; returns what the format could not express.

    Raises: as `records_of`.
    """
    records = records_of(release)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        return list(FORMATS[format_name](half_of(records, half, release.content_hash) if half else records, out))
