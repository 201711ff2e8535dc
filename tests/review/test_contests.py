"""The queue of disputes: its order, its filters, and one lead at a time."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Project, Role, Solution, User
from review import pending
from review.adjudication import Decision, decide
from review.contests import Wanted, claim, contested, leave
from review.models import DecisionLease, Kind, Outcome
from tests.at_once import at_once
from tests.labels import RIGHT, say_all, wrong


@pytest.fixture
def disputes(make_project: Callable[..., Project], annotators: list[User]) -> list[Solution]:
    """A dispute on the step, one on the verdict, one with three opinions, and one item without dispute."""
    ana, ben, chen = annotators
    return say_all(
        make_project(4, overlap=3),
        {
            0: {ana: wrong(0), ben: wrong(1), chen: wrong(1)},
            1: {ana: RIGHT, ben: wrong(1), chen: RIGHT},
            2: {ana: RIGHT, ben: wrong(0), chen: wrong(1)},
            3: {ana: RIGHT, ben: RIGHT, chen: RIGHT},
        },
    )


def test_most_opinions_come_first_then_disputes_on_the_verdict(disputes: list[Solution]) -> None:
    rows = contested(disputes[0].problem.project)
    assert [(row.pk, row.kind) for row in rows] == [
        (disputes[2].pk, Kind.VERDICT), (disputes[1].pk, Kind.VERDICT), (disputes[0].pk, Kind.STEP)
    ]  # fmt: skip


def test_the_queue_narrows_by_kind_subject_source_and_age(disputes: list[Solution]) -> None:
    project = disputes[0].problem.project
    assert [row.pk for row in contested(project, Wanted(kind="step"))] == [disputes[0].pk]
    assert not contested(project, Wanted(subject="biology")).exists()
    assert contested(project, Wanted(subject="math", source="tests")).count() == 3
    assert not contested(project, Wanted(older_than_days=1)).exists()
    disputes[1].assignments.update(submitted_at=timezone.now() - timedelta(days=2))
    pending.build(project)
    assert [row.pk for row in contested(project, Wanted(older_than_days=1))] == [disputes[1].pk]


def test_an_item_kept_open_stays_in_the_queue(disputes: list[Solution], lead: User) -> None:
    decide(disputes[3], lead, Decision(Outcome.OPEN, rationale="Ask the physicist."))
    kinds = {row.pk: row.kind for row in contested(disputes[0].problem.project)}
    assert kinds[disputes[3].pk] == Kind.OPEN


def test_two_leads_get_two_disputes_and_a_lead_keeps_theirs(
    disputes: list[Solution], lead: User, make_user: Callable[..., User]
) -> None:
    project, other = disputes[0].problem.project, make_user("luis", Role.LEAD)
    first = claim(project, lead, Wanted())
    assert first == disputes[2]
    assert claim(project, lead, Wanted()) == first
    assert claim(project, other, Wanted()) == disputes[1]


def test_later_passes_an_item_by_and_comes_round(disputes: list[Solution], lead: User) -> None:
    project = disputes[0].problem.project
    seen = [claim(project, lead, Wanted())]
    for _n in range(3):
        assert seen[-1] is not None
        seen.append(claim(project, lead, Wanted(), after=seen[-1].pk))
    assert seen == [disputes[2], disputes[1], disputes[0], disputes[2]]


def test_a_reservation_that_ran_out_or_was_left_is_free(
    disputes: list[Solution], lead: User, make_user: Callable[..., User]
) -> None:
    project, other = disputes[0].problem.project, make_user("luis", Role.LEAD)
    claim(project, lead, Wanted())
    DecisionLease.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert claim(project, other, Wanted()) == disputes[2]
    leave(disputes[2])
    assert claim(project, lead, Wanted()) == disputes[2]


@pytest.mark.django_db(transaction=True)
def test_leads_who_ask_at_once_get_different_disputes(disputes: list[Solution]) -> None:
    project = disputes[0].problem.project
    crowd = [User.objects.create(username=f"lead-{n}", role=Role.LEAD) for n in range(5)]
    got = at_once(*(lambda who=who: claim(project, who, Wanted()) for who in crowd))
    claimed = [solution for solution in got if solution is not None]
    assert len(claimed) == len(set(claimed)) == 3
