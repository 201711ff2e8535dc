"""Drafts: kept by version, never written over unseen, gone when they have become a label."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from annotation import drafts
from annotation.assignments import claim_next
from annotation.models import Draft, Project, Solution, User
from annotation.submission import Submission, submit
from tests.labels import RIGHT, solutions_of

FIRST, SECOND = {"reason": "One."}, {"reason": "Two."}


@pytest.fixture
def ana(annotators: list[User]) -> User:
    return annotators[0]


@pytest.fixture
def item(project: Project) -> Solution:
    return solutions_of(project)[0]


def test_each_save_is_a_version(ana: User, item: Solution) -> None:
    versions: list[int] = []
    for content in (FIRST, SECOND, SECOND):
        draft = drafts.save(ana, item, content, versions[-1] if versions else 0)
        assert draft is not None
        versions.append(draft.version)
    assert versions == [1, 2, 2]
    assert Draft.objects.get().content == SECOND


def test_text_on_top_of_an_older_version_is_refused_with_the_newer_one(ana: User, item: Solution) -> None:
    drafts.save(ana, item, FIRST, 0)
    with pytest.raises(drafts.DraftConflict) as conflict:
        drafts.save(ana, item, SECOND, 0)
    assert conflict.value.current.content == FIRST
    assert Draft.objects.get().content == FIRST


def test_the_same_text_on_top_of_an_older_version_is_no_conflict(ana: User, item: Solution) -> None:
    drafts.save(ana, item, FIRST, 0)
    drafts.save(ana, item, SECOND, 1)
    draft = drafts.save(ana, item, SECOND, 0)
    assert draft is not None
    assert draft.version == 2


def test_drafts_of_others_do_not_meet(annotators: list[User], item: Solution) -> None:
    drafts.save(annotators[0], item, FIRST, 0)
    drafts.save(annotators[1], item, SECOND, 0)
    assert [draft.content for draft in Draft.objects.order_by("annotator")] == [FIRST, SECOND]


def test_a_label_takes_the_place_of_its_draft(project: Project, ana: User, item: Solution) -> None:
    slot, key = claim_next(ana, project), uuid.uuid4()
    drafts.save(ana, slot.solution, FIRST, 0, key)
    submit(slot.pk, ana, Submission(key, RIGHT))
    assert drafts.draft_of(ana, slot.solution) is None


def test_a_save_that_arrives_after_its_submission_is_let_go(project: Project, ana: User) -> None:
    slot, key = claim_next(ana, project), uuid.uuid4()
    submit(slot.pk, ana, Submission(key, RIGHT))
    assert drafts.save(ana, slot.solution, FIRST, 0, key) is None
    assert not Draft.objects.exists()
    assert drafts.save(ana, slot.solution, FIRST, 0, uuid.uuid4()) is not None


def test_an_item_with_a_draft_comes_before_the_others(project: Project, ana: User) -> None:
    last = solutions_of(project)[-1]
    drafts.save(ana, last, FIRST, 0)
    assert claim_next(ana, project).solution == last


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_save_at_once_do_not_write_over_each_other(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    item, ana, together = solutions_of(make_project(1))[0], annotators[0], Barrier(4)

    def save(n: int) -> str:
        together.wait()
        try:
            drafts.save(ana, item, {"reason": str(n)}, 0)
        except drafts.DraftConflict:
            return "conflict"
        finally:
            connection.close()
        return str(n)

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(save, range(4)))
    assert outcomes.count("conflict") == 3
    assert Draft.objects.get().content["reason"] in outcomes
