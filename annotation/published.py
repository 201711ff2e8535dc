"""Labels that come with a file: they fill slots as if their annotators had submitted them."""

import uuid
from collections.abc import Sequence
from itertools import batched

from django.db import transaction
from django.utils import timezone

from annotation import audit
from annotation.changes import labels_changed
from annotation.intake import BATCH
from annotation.jobs import Progress, no_progress
from annotation.models import Annotation, Assignment, Project, Solution, User
from annotation.sources.records import LabelRecord, SolutionRecord

NAMESPACE = uuid.UUID("6b1f0c1e-7a52-5d0e-9a51-0e5b8f3f7c11")


def annotator_account(project: Project, name: str) -> User:
    """The member of that name, else an account nobody can log in with that stands for a published annotator."""
    member = project.members.filter(username=name).first()
    if member:
        return member
    stand_in, made = User.objects.get_or_create(username=f"{project.slug}/{name}"[:150], defaults={"is_active": False})
    if made:
        stand_in.set_unusable_password()
        stand_in.save()
    return stand_in


def store_labels(
    project: Project, records: Sequence[SolutionRecord], by: User, progress: Progress = no_progress
) -> int:  # fmt: skip
    """Store the records' labels in their solutions' slots, a batch a transaction; returns how many are new.

    A label stored before is recognised by solution and annotator and left alone.
    """
    stored = done = 0
    accounts = {label.annotator for record in records for label in record.labels}
    people = {name: annotator_account(project, name) for name in sorted(accounts)}
    for batch in batched(records, BATCH, strict=False):
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=project.pk)
            stored += _store_batch(project, batch, people, by)
        done += len(batch)
        progress(done, len(records))
    return stored


def _store_batch(project: Project, batch: Sequence[SolutionRecord], people: dict[str, User], by: User) -> int:
    solutions = Solution.objects.filter(problem__project=project, item_id__in=[r.id for r in batch])
    by_id = {row.item_id: row for row in solutions.prefetch_related("assignments")}
    pairs: list[tuple[Assignment, SolutionRecord, LabelRecord]] = []
    for record in batch:
        pairs += _fill_slots(by_id[record.id], record, people)
    Assignment.objects.bulk_update([slot for slot, _r, _l in pairs if slot.pk], ["annotator", "submitted_at"])
    Assignment.objects.bulk_create([slot for slot, _r, _l in pairs if not slot.pk])
    stored = Annotation.objects.bulk_create(_annotation(*pair) for pair in pairs)
    audit.record_many("imported", by, project, {slot.solution_id for slot, _r, _l in pairs}, labels="annotations")
    labels_changed.send(Solution, solutions=[row.pk for row in by_id.values()])
    return len(stored)


def _fill_slots(
    solution: Solution, record: SolutionRecord, people: dict[str, User]
) -> list[tuple[Assignment, SolutionRecord, LabelRecord]]:
    slots = list(solution.assignments.all())
    taken = {slot.annotator_id for slot in slots}
    unused = [slot for slot in slots if slot.annotator_id is None]
    pairs = []
    for label in record.labels:
        annotator = people[label.annotator]
        if annotator.pk not in taken:
            slot = unused.pop(0) if unused else Assignment(solution=solution)
            slot.annotator, slot.submitted_at = annotator, timezone.now()
            taken.add(annotator.pk)
            pairs.append((slot, record, label))
    return pairs


def _annotation(slot: Assignment, record: SolutionRecord, label: LabelRecord) -> Annotation:
    key = uuid.uuid5(NAMESPACE, f"{slot.pk}/{record.id}/{label.annotator}")
    return Annotation(assignment=slot, key=key, active_seconds=label.active_seconds, **label.verdict.as_dict())
