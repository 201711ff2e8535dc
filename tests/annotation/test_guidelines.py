"""Guidelines: versions that stay, read before the next item, and recorded on the label that followed them."""

import uuid

import pytest

from annotation import guidelines
from annotation.assignments import GuidelineUnread, claim_next
from annotation.models import Project, User
from annotation.submission import Submission, submit
from tests.labels import RIGHT


def test_a_changed_text_is_a_new_version_and_the_old_one_stays(project: Project, lead: User) -> None:
    first = guidelines.publish(project, "One.", "", lead)
    second = guidelines.publish(project, "Two.", "A new rule.", lead)
    assert (first.version, second.version) == (1, 2)
    assert guidelines.in_force(project) == second
    assert project.guidelines.get(version=1).text == "One."


def test_the_same_text_again_is_no_new_version(project: Project, lead: User) -> None:
    assert guidelines.publish(project, "One.", "", lead) == guidelines.publish(project, "One.", "typo?", lead)


def test_a_new_version_is_read_before_the_next_item(project: Project, annotators: list[User], lead: User) -> None:
    ana = annotators[0]
    guidelines.acknowledge(guidelines.publish(project, "One.", "", lead), ana)
    slot = claim_next(ana, project)
    second = guidelines.publish(project, "Two.", "", lead)
    with pytest.raises(GuidelineUnread):
        claim_next(ana, project)
    guidelines.acknowledge(second, ana)
    assert claim_next(ana, project) == slot


def test_a_label_follows_the_version_its_annotator_had_read(
    project: Project, annotators: list[User], lead: User
) -> None:
    ana, first = annotators[0], guidelines.publish(project, "One.", "", lead)
    guidelines.acknowledge(first, ana)
    slot = claim_next(ana, project)
    second = guidelines.publish(project, "Two.", "", lead)
    guidelines.acknowledge(second, annotators[1])
    assert submit(slot.pk, ana, Submission(uuid.uuid4(), RIGHT)).guideline == first
    guidelines.acknowledge(second, ana)
    assert submit(claim_next(ana, project).pk, ana, Submission(uuid.uuid4(), RIGHT)).guideline == second


def test_without_a_guideline_a_label_names_none(project: Project, annotators: list[User]) -> None:
    slot = claim_next(annotators[0], project)
    assert submit(slot.pk, annotators[0], Submission(uuid.uuid4(), RIGHT)).guideline is None
