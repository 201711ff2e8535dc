"""Versions of a campaign's instructions, and who has read them."""

from django.db import transaction

from annotation import audit
from annotation.models import Acknowledgement, Guideline, Project, User


def in_force(project: Project) -> Guideline | None:
    """The newest guideline of a campaign."""
    return Guideline.objects.filter(project=project).order_by("-version").first()


@transaction.atomic
def publish(project: Project, text: str, changes: str, by: User) -> Guideline:
    """Put a new version in force; annotators read it before their next item. The same text again changes nothing."""
    Project.objects.select_for_update().get(pk=project.pk)
    newest = in_force(project)
    if newest and newest.text == text:
        return newest
    version = newest.version + 1 if newest else 1
    audit.record("guideline-published", by, project, version=version, changes=changes)
    return Guideline.objects.create(project=project, version=version, text=text, changes=changes, written_by=by)


def acknowledge(guideline: Guideline, annotator: User) -> None:
    """Note that the annotator has read this version."""
    Acknowledgement.objects.get_or_create(guideline=guideline, annotator=annotator)


def last_read(project: Project, annotator: User) -> Guideline | None:
    """The newest guideline this annotator has acknowledged: what a label of theirs follows."""
    return Guideline.objects.filter(project=project, acknowledgements__annotator=annotator).order_by("-version").first()


def unread(project: Project, annotator: User) -> Guideline | None:
    """The guideline in force, if this annotator has not acknowledged it."""
    newest = in_force(project)
    if newest is None or newest.acknowledgements.filter(annotator=annotator).exists():
        return None
    return newest


def clauses(project: Project) -> list[str]:
    """The headings of the guideline in force: what a decision or a discussion can name."""
    newest = in_force(project)
    lines = newest.text.splitlines() if newest else []
    return [line.lstrip("#").strip()[:120] for line in lines if line.startswith("#")]
