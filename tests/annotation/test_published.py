"""Labels that come with a file: they fill the slots of their annotators, once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotation.intake import take_in
from annotation.models import Annotation, Assignment, Project, User
from annotation.published import annotator_account, store_labels
from annotation.sources.records import LabelRecord, SolutionRecord
from tests.conftest import solution_record
from tests.labels import RIGHT, open_slots_of, say, solutions_of, wrong


def labelled(n: int, *names: str) -> SolutionRecord:
    labels = tuple(LabelRecord(name, wrong(1), 40) for name in names)
    return replace(solution_record(n), labels=labels)


@pytest.fixture
def empty(make_project: Callable[..., Project]) -> Project:
    return make_project(0)


def test_a_members_label_stands_under_their_own_name(empty: Project, lead: User, annotators: list[User]) -> None:
    take_in(empty, [labelled(0, "ana")])
    assert store_labels(empty, [labelled(0, "ana")], lead) == 1
    label = Annotation.objects.get()
    assert (label.assignment.annotator, label.verdict, label.active_seconds, label.revision) == (
        annotators[0], wrong(1), 40, 1,
    )  # fmt: skip
    assert label.assignment.submitted_at is not None
    assert open_slots_of(empty) == 1, "one of the two wanted labels is still to be given"


def test_a_strangers_label_stands_under_a_name_that_cannot_log_in(empty: Project) -> None:
    account = annotator_account(empty, "published-1")
    assert (account.is_active, account.has_usable_password()) == (False, False)
    assert account.username == "trial/published-1"
    assert annotator_account(empty, "published-1") == account


def test_the_same_labels_again_add_nothing(empty: Project, lead: User) -> None:
    records = [labelled(n, "published-1", "published-2") for n in range(3)]
    take_in(empty, records)
    assert store_labels(empty, records, lead) == 6
    assert store_labels(empty, records, lead) == 0
    assert (Annotation.objects.count(), Assignment.objects.count()) == (6, 6)


def test_more_published_labels_than_wanted_all_count(empty: Project, lead: User) -> None:
    record = labelled(0, "p1", "p2", "p3", "p4")
    take_in(empty, [record])
    assert store_labels(empty, [record], lead) == 4
    assert (Assignment.objects.count(), open_slots_of(empty)) == (4, 0)


def test_a_label_given_here_is_not_replaced_by_the_files(empty: Project, lead: User, annotators: list[User]) -> None:
    record = labelled(0, "ana", "ben")
    take_in(empty, [record])
    own = say(solutions_of(empty)[0], annotators[0], RIGHT)
    assert store_labels(empty, [record], lead) == 1
    assert set(Annotation.objects.values_list("assignment__annotator__username", "correct")) == {
        ("ana", True), ("ben", False)
    }  # fmt: skip
    own.refresh_from_db()
    assert own.verdict == RIGHT


def test_an_interrupted_import_of_labels_is_finished_by_repeating_it(empty: Project, lead: User) -> None:
    records = [labelled(n, "p1", "p2") for n in range(4)]
    take_in(empty, records)
    store_labels(empty, records[:2], lead)
    assert store_labels(empty, records, lead) == 4
    assert Annotation.objects.count() == 8
