"""Drafts over the API: kept for their writer alone, and never lost to another client."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.assignments import claim_next
from annotation.models import Assignment, Draft, Project, User
from tests.programs import Program


@pytest.fixture
def ana(annotators: list[User]) -> Program:
    return Program(annotators[0])


@pytest.fixture
def slot(project: Project, annotators: list[User]) -> Assignment:
    return claim_next(annotators[0], project)


def test_a_draft_is_kept_and_found_again(ana: Program, slot: Assignment) -> None:
    here = f"assignments/{slot.pk}/draft/"
    nothing = ana.get(here)
    assert (nothing["version"], nothing["content"]) == (0, {})
    Assignment.objects.filter(pk=slot.pk).update(lease_ends_at=timezone.now() + timedelta(seconds=9))
    typed = {"reason": " 7 × 8 ", "correct": "false", "rectified": ""}
    kept = ana.post(here, content=typed, base=0)
    assert (kept["version"], kept["content"]) == (1, typed)
    assert kept["lease_ends_at"] > (timezone.now() + timedelta(minutes=1)).isoformat(), "the lease is kept with it"
    assert ana.get(here)["content"] == typed


def test_another_clients_draft_is_not_written_over(ana: Program, slot: Assignment) -> None:
    here = f"assignments/{slot.pk}/draft/"
    ana.post(here, content={"reason": "one"}, base=0)
    assert ana.post(here, 409, content={"reason": "two"}, base=0)["field"] == "base"
    assert ana.get(here)["content"] == {"reason": "one"}
    assert ana.post(here, content={"reason": "two"}, base=1)["version"] == 2


def test_what_is_typed_is_kept_after_the_item_went_to_somebody_else(
    ana: Program, slot: Assignment, annotators: list[User]
) -> None:
    Assignment.objects.filter(pk=slot.pk).update(annotator=annotators[1])
    here = f"assignments/{slot.pk}/draft/"
    kept = ana.post(here, content={"reason": "mine"}, base=0)
    assert (kept["version"], kept["lease_ends_at"]) == (1, None)
    slot.refresh_from_db()
    assert slot.annotator == annotators[1]
    ben = Program(annotators[1])
    assert ben.get(here)["content"] == {}, "a draft is its writer's alone"
    ben.post(here, content={"reason": "his"}, base=0)
    assert ana.get(here)["content"] == {"reason": "mine"}


def test_a_draft_that_comes_after_its_label_is_let_go(ana: Program, slot: Assignment) -> None:
    key = str(uuid.uuid4())
    ana.post(f"assignments/{slot.pk}/submit/", 201, key=key, correct=True)
    assert ana.post(f"assignments/{slot.pk}/draft/", content={"reason": "late"}, base=0, key=key)["version"] == 0
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"base": 0}, "content"),
        ({"content": "text", "base": 0}, "content"),
        ({"content": {"reason": {"deep": 1}}, "base": 0}, "content.reason"),
        ({"content": {"reason": "x" * 200_001}, "base": 0}, "content"),
        ({"content": {}}, "base"),
        ({"content": {}, "base": -1}, "base"),
        ({"content": {}, "base": 0, "key": "1"}, "key"),
    ],
)
def test_what_is_no_draft_is_refused(ana: Program, slot: Assignment, sent: dict[str, object], field: str) -> None:
    assert ana.post(f"assignments/{slot.pk}/draft/", 400, **sent)["field"] == field
    assert not Draft.objects.exists()
