"""The log: every act on an item, once, in order, and nothing that changes it."""

from collections.abc import Callable

import pytest

from annotation import audit, reports
from annotation.models import Event, Project, ReportKind, User
from review.adjudication import Decision, begin_confirmation, confirm, decide, record_look
from review.models import Outcome, SampleLook
from tests.labels import RIGHT, say_all, solutions_of, wrong


def test_each_act_on_an_item_is_one_line_of_its_timeline(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    project = make_project(2)
    item, other = say_all(project, {0: {annotators[0]: RIGHT, annotators[1]: wrong(1)}})
    reports.report(annotators[2], item, ReportKind.BAD_SPLIT, "Step one holds two steps.")
    decide(item, lead, Decision(Outcome.GOLD, wrong(1), rationale="See the lemma."))
    acts = [(event.act, event.actor) for event in item.events.order_by("pk")]
    assert acts == [
        ("submitted", annotators[0]), ("submitted", annotators[1]), ("reported", annotators[2]), ("decided", lead)
    ]  # fmt: skip
    assert not other.events.exists()


def test_a_bulk_confirmation_is_logged_for_every_item(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    project = make_project(3)
    say_all(project, {n: dict.fromkeys(annotators[:2], RIGHT) for n in range(3)})
    row = begin_confirmation(project, lead)
    for look in row.looks.all():
        record_look(look, SampleLook.Finding.AGREES)
    confirm(row)
    confirmed = Event.objects.filter(act="confirmed").values_list("solution", flat=True)
    assert sorted(confirmed) == [solution.pk for solution in solutions_of(project)]


def test_a_refused_act_leaves_no_line(project: Project, annotators: list[User]) -> None:
    with pytest.raises(ValueError, match="what is wrong"):
        reports.report(annotators[0], solutions_of(project)[0], ReportKind.WRONG_KEY, " ")
    assert not Event.objects.exists()


def test_only_known_acts_are_logged(project: Project, lead: User) -> None:
    with pytest.raises(ValueError, match="no act"):
        audit.record("danced", lead, project)
