"""A label is stored once, whole and consistent, or refused with the part to change."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.assignments import claim_next
from annotation.models import Annotation, Assignment, Project, Solution, User
from annotation.submission import LeaseLost, Settled, Submission, submit
from annotation.verdicts import Verdict, VerdictError

RIGHT = Verdict(correct=True)
WRONG = Verdict(correct=False, first_error=1, category="logic", reason="This does not follow.")


def sent(verdict: Verdict, key: uuid.UUID | None = None) -> Submission:
    return Submission(key or uuid.uuid4(), verdict, active_seconds=30)


def test_a_label_closes_its_slot(project: Project, annotators: list[User]) -> None:
    slot = claim_next(annotators[0], project)
    label = submit(slot.pk, annotators[0], sent(WRONG))
    slot.refresh_from_db()
    assert label.verdict == WRONG
    assert (slot.submitted_at is not None, label.revision, label.active_seconds) == (True, 1, 30)
    assert claim_next(annotators[0], project) != slot


def test_the_same_submission_sent_twice_is_one_label(project: Project, annotators: list[User]) -> None:
    slot, once = claim_next(annotators[0], project), sent(RIGHT)
    assert submit(slot.pk, annotators[0], once) == submit(slot.pk, annotators[0], once)
    assert Annotation.objects.count() == 1


def test_a_key_that_stands_for_another_label_is_refused(project: Project, annotators: list[User]) -> None:
    slot, once = claim_next(annotators[0], project), sent(RIGHT)
    submit(slot.pk, annotators[0], once)
    another = claim_next(annotators[0], project)
    for slot_pk, annotator, verdict in (
        (another.pk, annotators[0], RIGHT), (slot.pk, annotators[0], WRONG), (slot.pk, annotators[1], RIGHT),
    ):  # fmt: skip
        with pytest.raises(VerdictError, match="submitted before") as refusal:
            submit(slot_pk, annotator, sent(verdict, once.key))
        assert refusal.value.field == "key"
    assert Annotation.objects.get().verdict == RIGHT


def test_somebody_who_does_not_label_here_fills_no_free_slot(
    project: Project, annotators: list[User], lead: User
) -> None:
    slot = Assignment.objects.filter(solution__problem__project=project)[0]
    with pytest.raises(LeaseLost, match="not a member"):
        submit(slot.pk, lead, sent(RIGHT))
    assert not Annotation.objects.exists()


def test_a_second_form_of_the_same_item_is_refused(project: Project, annotators: list[User]) -> None:
    slot = claim_next(annotators[0], project)
    submit(slot.pk, annotators[0], sent(RIGHT))
    with pytest.raises(LeaseLost, match="already submitted"):
        submit(slot.pk, annotators[0], sent(WRONG))
    assert Annotation.objects.get().verdict == RIGHT


def run_out(slot: Assignment) -> None:
    Assignment.objects.filter(pk=slot.pk).update(lease_ends_at=timezone.now() - timedelta(minutes=1))


def test_a_label_after_the_lease_counts_while_nobody_else_took_the_slot(
    project: Project, annotators: list[User]
) -> None:
    slot = claim_next(annotators[0], project)
    run_out(slot)
    assert submit(slot.pk, annotators[0], sent(RIGHT)).assignment_id == slot.pk


def test_a_label_after_losing_the_slot_takes_another_of_the_same_item(project: Project, annotators: list[User]) -> None:
    slot = claim_next(annotators[0], project)
    run_out(slot)
    assert claim_next(annotators[1], project) == slot
    label = submit(slot.pk, annotators[0], sent(RIGHT))
    assert label.assignment_id != slot.pk
    assert label.assignment.solution_id == slot.solution_id


def test_a_label_for_an_item_others_have_filled_is_refused(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(1, overlap=1)
    slot = claim_next(annotators[0], project)
    run_out(slot)
    submit(claim_next(annotators[1], project).pk, annotators[1], sent(RIGHT))
    with pytest.raises(LeaseLost, match="somebody else"):
        submit(slot.pk, annotators[0], sent(WRONG))
    assert Annotation.objects.count() == 1


def test_a_decided_item_takes_no_label(project: Project, annotators: list[User]) -> None:
    slot = claim_next(annotators[0], project)
    Solution.objects.update(settled_at=timezone.now())
    with pytest.raises(Settled):
        submit(slot.pk, annotators[0], sent(RIGHT))


@pytest.mark.parametrize(
    ("verdict", "field"),
    [
        (Verdict(correct=False, category="logic", reason="long enough"), "first_error"),
        (Verdict(correct=False, first_error=4, category="logic", reason="long enough"), "first_error"),
        (Verdict(correct=False, first_error=-1, category="logic", reason="long enough"), "first_error"),
        (Verdict(correct=True, first_error=0), "first_error"),
        (Verdict(correct=True, reason="but"), "reason"),
        (Verdict(correct=False, first_error=0, category="logic", reason="  no  "), "reason"),
        (Verdict(correct=False, first_error=0, reason="long enough"), "category"),
        (Verdict(correct=False, first_error=0, category="astrology", reason="long enough"), "category"),
    ],
)
def test_a_label_that_contradicts_itself_is_refused(
    project: Project, annotators: list[User], verdict: Verdict, field: str
) -> None:
    slot = claim_next(annotators[0], project)
    with pytest.raises(VerdictError) as refusal:
        submit(slot.pk, annotators[0], sent(verdict))
    assert refusal.value.field == field
    slot.refresh_from_db()
    assert slot.submitted_at is None
    assert not Annotation.objects.exists()


@pytest.mark.parametrize(
    ("least", "reason", "fits"),
    [(15, "x" * 14, False), (15, "x" * 15, True), (15, " " * 9 + "x" * 6, False), (0, "", True), (1, " ", False)],
)
def test_a_reason_is_as_long_as_the_policy_says(
    make_project: Callable[..., Project], annotators: list[User], least: int, reason: str, fits: bool
) -> None:
    slot = claim_next(annotators[0], make_project(1, min_reason=least))
    label = sent(Verdict(correct=False, first_error=0, category="logic", reason=reason))
    if fits:
        assert submit(slot.pk, annotators[0], label).reason == reason
    else:
        with pytest.raises(VerdictError, match=f"at least {least} characters"):
            submit(slot.pk, annotators[0], label)


@pytest.mark.parametrize(
    "parts",
    [
        {"correct": True, "first_error": 0},
        {"correct": True, "reason": "because"},
        {"correct": False, "first_error": None},
        {"correct": True, "placement": "beside"},
    ],
)
def test_the_database_refuses_it_too(project: Project, annotators: list[User], parts: dict[str, object]) -> None:
    slot = claim_next(annotators[0], project)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotation.objects.create(assignment=slot, key=uuid.uuid4(), **parts)


@pytest.mark.django_db(transaction=True)
def test_the_same_button_pressed_twelve_times_at_once_stores_one_label(
    project: Project, annotators: list[User]
) -> None:
    slot, once, gate = claim_next(annotators[0], project), sent(RIGHT), Barrier(12)

    def press(_n: int) -> int:
        gate.wait()
        try:
            return submit(slot.pk, annotators[0], once).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        assert len(set(pool.map(press, range(12)))) == 1
    assert Annotation.objects.count() == 1
