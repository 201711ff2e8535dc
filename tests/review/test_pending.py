"""The kept queue of what waits for a lead: after every act it is what a rebuild finds."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import Project, Role, Solution, User
from annotation.projects import change_policy
from annotation.submission import Submission, submit
from review import discussion, keys, pending, returns
from review.adjudication import Decision, begin_confirmation, confirm, decide, record_look, reopen, second
from review.models import DecisionQueue, Kind, Outcome, PendingDecision, SampleLook
from review.pending import agreed, disputed
from review.stages import STAGES, in_stage, stage_counts
from tests.at_once import at_once
from tests.labels import RIGHT, revise, say, say_all, solutions_of, wrong


@pytest.fixture
def items(make_project: Callable[..., Project], annotators: list[User], lead: User) -> list[Solution]:
    """Agreed, disputed by step, disputed by verdict, half labelled, unlabelled, disputed with a lead's own label."""
    ana, ben, _chen = annotators
    project = make_project(6)
    project.members.add(lead)
    pending.pending(project)
    return say_all(
        project,
        {
            0: {ana: RIGHT, ben: RIGHT},
            1: {ana: wrong(0), ben: wrong(1)},
            2: {ana: RIGHT, ben: wrong(1)},
            3: {ana: RIGHT},
            5: {lead: RIGHT, ben: wrong(1)},
        },
    )


def rows(project: Project) -> list[tuple[Any, ...]]:
    """What is kept, in the queue's order."""
    columns = ("solution", "kind", "opinions", "subject", "source", "labelled_at")
    return list(pending.pending(project).values_list(*columns))


def rebuilt(project: Project) -> list[tuple[Any, ...]]:
    """What the labels and decisions say, with nothing kept."""
    DecisionQueue.objects.filter(project=project).delete()
    assert not PendingDecision.objects.exists()
    return rows(project)


def kinds(items: list[Solution]) -> dict[int, Kind]:
    """The kind of each pending item by its place."""
    places = {solution.pk: place for place, solution in enumerate(items)}
    found = pending.pending(items[0].problem.project).values_list("pk", "kind")
    return {places[pk]: Kind(kind) for pk, kind in found}


START = {0: Kind.AGREED, 1: Kind.STEP, 2: Kind.VERDICT, 5: Kind.VERDICT}


def test_labels_enter_with_the_last_one_wanted(items: list[Solution], annotators: list[User]) -> None:
    project = items[0].problem.project
    assert kinds(items) == START
    assert [pk for pk, *_rest in rows(project)] == [items[n].pk for n in (2, 5, 1, 0)]
    say(items[3], annotators[1], wrong(0))
    assert kinds(items) == START | {3: Kind.VERDICT}
    revise(items[1].assignments.get(annotator=annotators[0]).annotations.get(), wrong(1))
    assert kinds(items) == START | {3: Kind.VERDICT, 1: Kind.AGREED}
    assert rows(project) == rebuilt(project)


def test_decisions_leave_and_what_is_reopened_comes_back(
    items: list[Solution], lead: User, make_user: Callable[..., User]
) -> None:
    project, other = items[0].problem.project, make_user("luis", Role.LEAD)
    decide(items[1], lead, Decision(Outcome.GOLD, wrong(0)))
    decide(items[2], lead, Decision(Outcome.OPEN))
    decide(items[0], lead, Decision(Outcome.OPEN))
    waits = decide(items[5], lead, Decision(Outcome.GOLD, RIGHT))
    assert kinds(items) == {0: Kind.OPEN, 2: Kind.OPEN, 5: Kind.SECOND}
    assert rows(project) == rebuilt(project)
    second(waits, other)
    reopen(items[1], lead, "The other step after all.")
    assert kinds(items) == {0: Kind.OPEN, 1: Kind.OPEN, 2: Kind.OPEN}
    assert rows(project) == rebuilt(project)


def test_a_confirmed_consensus_leaves(items: list[Solution], lead: User) -> None:
    project = items[0].problem.project
    confirmation = begin_confirmation(project, lead)
    for look in confirmation.looks.all():
        record_look(look, SampleLook.Finding.AGREES)
    assert confirm(confirmation) == 1
    assert not agreed(project).exists()
    assert rows(project) == rebuilt(project)


def test_a_question_takes_out_until_it_is_answered(items: list[Solution], annotators: list[User], lead: User) -> None:
    project, (ana, ben, _chen) = items[0].problem.project, annotators
    returns.ask_annotators(items[1], lead, "Which is first?")
    returns.stop_waiting(returns.ask_annotators(items[2], lead, "Sure?"), lead)
    assert kinds(items) == {0: Kind.AGREED, 2: Kind.VERDICT, 5: Kind.VERDICT}
    discussion.say(project, ana, "Mine.", solution=items[1])
    assert rows(project) == rebuilt(project)
    discussion.say(project, ben, "Hers.", solution=items[1])
    assert kinds(items) == START
    assert rows(project) == rebuilt(project)


def test_further_labels_wanted_take_out(items: list[Solution], annotators: list[User], lead: User) -> None:
    project = items[0].problem.project
    returns.ask_for_more(items[1], lead)
    assert kinds(items) == {0: Kind.AGREED, 2: Kind.VERDICT, 5: Kind.VERDICT}
    say(items[1], annotators[2], wrong(2))
    assert rows(project)[0][:3] == (items[1].pk, Kind.STEP, 3)
    project.overlap = 3
    change_policy(project, project.members.all(), lead)
    assert kinds(items) == {1: Kind.STEP}, "it has three labels already"
    assert rows(project) == rebuilt(project)


def test_a_changed_key_brings_decided_items_back(items: list[Solution], lead: User, make_user: Any) -> None:
    project, other = items[0].problem.project, make_user("luis", Role.LEAD)
    decide(items[2], lead, Decision(Outcome.GOLD, RIGHT))
    proposal = keys.propose(items[2].problem, lead, ["B"], "usable", "The table says B.")
    if proposal.approved is None:
        keys.decide_proposal(proposal, other, approved=True, note="")
    assert kinds(items) == START | {2: Kind.OPEN}
    assert rows(project) == rebuilt(project)


def test_what_is_kept_open_comes_last_until_something_changes(
    items: list[Solution], annotators: list[User], lead: User
) -> None:
    project, (ana, ben, _chen) = items[0].problem.project, annotators
    for n in (2, 5):
        decide(items[n], lead, Decision(Outcome.OPEN))
    assert list(disputed(project)) == [items[n] for n in (1, 2, 5)]
    revise(items[2].assignments.get(annotator=ana).annotations.get(), wrong(0))
    assert list(disputed(project)) == [items[n] for n in (1, 2, 5)]
    assert kinds(items) == START | {2: Kind.STEP, 5: Kind.OPEN}
    returns.ask_annotators(items[5], lead, "Sure?")
    for who in (lead, ben):
        discussion.say(project, who, "Yes.", solution=items[5])
    assert list(disputed(project)) == [items[n] for n in (5, 1, 2)]
    assert rows(project) == rebuilt(project)


def test_every_count_opens_to_its_items(items: list[Solution], lead: User) -> None:
    project = items[0].problem.project
    returns.ask_annotators(items[1], lead, "Which is first?")
    decide(items[2], lead, Decision(Outcome.DISCARDED, rationale="No figure."))
    stands = {stage: list(in_stage(project, stage)) for stage in STAGES}
    assert stands == {
        "unlabelled": [items[4]], "part": [items[3]], "returned": [items[1]], "disputed": [items[5]],
        "agreed": [items[0]], "decided": [items[2]],
    }  # fmt: skip
    assert stage_counts(project) == {"all": 6} | {stage: len(found) for stage, found in stands.items()}


def test_nothing_is_kept_before_somebody_looks(make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(1)
    say_all(project, {0: {annotators[0]: RIGHT, annotators[1]: wrong(0)}})
    assert not DecisionQueue.objects.exists()
    assert disputed(project).count() == 1


def test_a_build_that_was_broken_off_is_finished_by_the_next_look(items: list[Solution]) -> None:
    project = items[0].problem.project
    kept = rows(project)
    DecisionQueue.objects.update(built_at=None)
    PendingDecision.objects.filter(pk=items[1].pk).delete()
    assert rows(project) == kept


@pytest.mark.django_db(transaction=True)
def test_labels_and_answers_that_come_at_once_all_count(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    project = make_project(6, overlap=3)
    solutions = solutions_of(project)
    own = {(slot.solution_id, n): slot for each in solutions for n, slot in enumerate(each.assignments.order_by("pk"))}

    def label_all(n: int) -> None:
        for solution in solutions:
            submit(own[solution.pk, n].pk, annotators[n], Submission(uuid4(), wrong(n)))

    at_once(*(lambda n=n: label_all(n) for n in range(3)), lambda: pending.build(project))
    kept = rows(project)
    assert [(pk, opinions) for pk, _kind, opinions, *_rest in kept] == [(each.pk, 3) for each in solutions]
    assert kept == rebuilt(project)
