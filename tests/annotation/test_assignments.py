"""Leases: nobody gets the same item twice, nobody waits for nothing, and races claim each slot once."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from annotation.assignments import NothingOpen, claim_next
from annotation.models import Assignment, Project, Role, Solution, User
from annotation.projects import PolicyError, change_policy


def test_claiming_twice_gives_the_item_held(project: Project, annotators: list[User]) -> None:
    first = claim_next(annotators[0], project)
    assert claim_next(annotators[0], project) == first
    assert Assignment.objects.filter(annotator=annotators[0]).count() == 1


def test_an_annotator_never_gets_a_solution_twice(project: Project, annotators: list[User]) -> None:
    seen = []
    for _n in range(3):
        slot = claim_next(annotators[0], project)
        slot.submitted_at = timezone.now()
        slot.save()
        seen.append(slot.solution_id)
    assert len(set(seen)) == 3
    with pytest.raises(NothingOpen, match="colleagues"):
        claim_next(annotators[0], project)


def test_a_run_out_lease_goes_to_the_next_who_asks(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(1, overlap=1)
    slot = claim_next(annotators[0], project)
    Assignment.objects.filter(pk=slot.pk).update(lease_ends_at=timezone.now() - timedelta(seconds=1))
    assert claim_next(annotators[1], project) == slot


def test_an_empty_queue_says_until_when_items_are_reserved(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(1, overlap=1)
    slot = claim_next(annotators[0], project)
    clock = timezone.localtime(slot.lease_ends_at).strftime("%H:%M")
    with pytest.raises(NothingOpen, match=clock):
        claim_next(annotators[1], project)


def test_a_settled_solution_is_not_handed_out(make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(1)
    Solution.objects.update(settled_at=timezone.now())
    with pytest.raises(NothingOpen, match="Everything"):
        claim_next(annotators[0], project)


def test_only_members_get_work(project: Project, make_user: Callable[..., User]) -> None:
    with pytest.raises(NothingOpen, match="not a member"):
        claim_next(make_user("stranger"), project)


def test_a_larger_overlap_opens_slots_and_a_smaller_one_is_refused(
    project: Project, annotators: list[User], lead: User
) -> None:
    project.overlap = 3
    change_policy(project, annotators, lead)
    assert Counter(Assignment.objects.values_list("solution", flat=True)) == Counter(
        dict.fromkeys(Solution.objects.values_list("pk", flat=True), 3)
    )
    project.overlap = 2
    with pytest.raises(PolicyError):
        change_policy(project, annotators, lead)


def _at_once(*acts: Callable[[], object]) -> list[object]:
    """Run all acts in threads that start together; returns what they returned or raised."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        gate.wait()
        try:
            return act()
        except NothingOpen as nothing:
            return nothing
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(5))
def test_twelve_annotators_at_once_get_twelve_slots(make_project: Callable[..., Project], round_: int) -> None:
    crowd = [User.objects.create(username=f"crowd-{n}", role=Role.ANNOTATOR) for n in range(12)]
    project = make_project(5, overlap=2)
    project.members.add(*crowd)
    got = _at_once(*(lambda user=user: claim_next(user, project) for user in crowd))
    slots = [each.pk for each in got if isinstance(each, Assignment)]
    assert len(slots) == len(set(slots)) == 10, "ten slots: each claimed by one person, two go empty-handed"
    held = Assignment.objects.exclude(annotator=None)
    assert held.count() == 10
    assert max(Counter(held.values_list("annotator", flat=True)).values()) == 1
    assert max(Counter(held.values_list("solution", flat=True)).values()) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(5))
def test_a_twelvefold_click_leases_one_item(
    make_project: Callable[..., Project], annotators: list[User], round_: int
) -> None:
    project = make_project(20)
    got = _at_once(*[lambda: claim_next(annotators[0], project)] * 12)
    assert len({each.pk for each in got if isinstance(each, Assignment)}) == 1
    assert Assignment.objects.filter(annotator=annotators[0]).count() == 1
