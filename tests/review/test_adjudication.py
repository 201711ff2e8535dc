"""Deciding: what a lead may decide, what it rests on, and that two leads never decide past each other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Project, Role, Solution, User
from annotation.verdicts import Verdict, VerdictError
from review.adjudication import (
    SAMPLE_SIZE,
    AlreadyDecided,
    Decision,
    SampleNotSeen,
    begin_confirmation,
    confirm,
    decide,
    record_look,
)
from review.disagreements import current_labels
from review.models import AcceptedReason, Adjudication, Basis, Confirmation, Outcome, SampleLook
from review.pending import agreed, disputed
from tests.at_once import at_once
from tests.labels import RIGHT, say_all, solutions_of, wrong

NOTE = "The step divides by nought."


@pytest.fixture
def contested(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    """Ana says correct, Ben says the second step is wrong."""
    (solution,) = say_all(make_project(1), {0: {annotators[0]: RIGHT, annotators[1]: wrong(1)}})
    return solution


def test_adopting_a_label_settles_the_item(contested: Solution, lead: User) -> None:
    bens = current_labels([contested])[contested.pk][1]
    row = decide(contested, lead, Decision(Outcome.GOLD, bens.verdict, bens, "slip"))
    assert (row.verdict, row.basis, row.adopted, row.cause) == (wrong(1), Basis.ADOPTED, bens, "slip")
    contested.refresh_from_db()
    assert contested.settled_at is not None


def test_an_adopted_label_with_another_wording_is_an_edited_one(contested: Solution, lead: User) -> None:
    bens = current_labels([contested])[contested.pk][1]
    row = decide(contested, lead, Decision(Outcome.GOLD, wrong(1, reason=NOTE), bens))
    assert (row.basis, row.reason) == (Basis.EDITED, NOTE)


def test_overruling_everybody_needs_a_note(contested: Solution, lead: User) -> None:
    with pytest.raises(VerdictError, match="overrule every annotator") as refusal:
        decide(contested, lead, Decision(Outcome.GOLD, wrong(0)))
    assert refusal.value.field == "rationale"
    row = decide(contested, lead, Decision(Outcome.GOLD, wrong(0), rationale=NOTE))
    assert (row.basis, row.rationale) == (Basis.OWN, NOTE)


@pytest.mark.parametrize(
    ("decision", "field"),
    [
        (Decision(Outcome.DISCARDED), "rationale"),
        (Decision(Outcome.DISCARDED, rationale="   "), "rationale"),
        (Decision(Outcome.GOLD), "correct"),
        (Decision(Outcome.GOLD, wrong(4)), "first_error"),
        (Decision(Outcome.GOLD, wrong(1, reason="  ")), "reason"),
        (Decision(Outcome.GOLD, Verdict(correct=True, first_error=1)), "first_error"),
    ],
)
def test_half_a_decision_is_refused_and_settles_nothing(
    contested: Solution, lead: User, decision: Decision, field: str
) -> None:
    with pytest.raises(VerdictError) as refusal:
        decide(contested, lead, decision)
    assert refusal.value.field == field
    contested.refresh_from_db()
    assert contested.settled_at is None
    assert not Adjudication.objects.exists()


def test_another_items_label_cannot_be_adopted(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    first, second = say_all(make_project(2), {0: {annotators[0]: RIGHT}, 1: {annotators[0]: RIGHT}})
    stray = current_labels([first])[first.pk][0]
    with pytest.raises(VerdictError) as refusal:
        decide(second, lead, Decision(Outcome.GOLD, RIGHT, stray))
    assert refusal.value.field == "adopted"


def test_a_discarded_item_says_why_and_has_no_verdict(contested: Solution, lead: User) -> None:
    row = decide(contested, lead, Decision(Outcome.DISCARDED, rationale="Cut off by the length limit."))
    assert (row.outcome, row.correct, row.first_error) == (Outcome.DISCARDED, None, None)
    contested.refresh_from_db()
    assert contested.settled_at is not None


def test_a_later_decision_replaces_the_one_it_has_seen(contested: Solution, lead: User) -> None:
    first = decide(contested, lead, Decision(Outcome.DISCARDED, rationale="Unclear."))
    second = decide(contested, lead, Decision(Outcome.GOLD, RIGHT, seen=first.pk))
    assert list(Adjudication.objects.current()) == [second]
    assert Adjudication.objects.count() == 2, "the earlier decision stays on record"


def test_reopening_a_decided_item_frees_it(contested: Solution, lead: User) -> None:
    first = decide(contested, lead, Decision(Outcome.GOLD, RIGHT))
    decide(contested, lead, Decision(Outcome.OPEN, rationale="New evidence.", seen=first.pk))
    contested.refresh_from_db()
    assert contested.settled_at is None
    assert list(disputed(contested.problem.project)) == [contested]


def test_a_decision_made_without_seeing_the_standing_one_is_refused(contested: Solution, lead: User) -> None:
    decide(contested, lead, Decision(Outcome.GOLD, RIGHT))
    with pytest.raises(AlreadyDecided):
        decide(contested, lead, Decision(Outcome.GOLD, wrong(1)))
    assert Adjudication.objects.get().verdict == RIGHT


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(3))
def test_of_leads_deciding_at_once_one_decides_and_the_others_are_told(
    make_project: Callable[..., Project], annotators: list[User], round_: int
) -> None:
    (solution,) = say_all(make_project(1), {0: {annotators[0]: RIGHT, annotators[1]: wrong(1)}})
    leads = [User.objects.create(username=f"lead-{n}", role=Role.LEAD) for n in range(4)]
    verdicts = [RIGHT, wrong(1), RIGHT, wrong(1)]
    acts = [
        lambda who=who, verdict=verdict: decide(solution, who, Decision(Outcome.GOLD, verdict))
        for who, verdict in zip(leads, verdicts, strict=True)
    ]
    got = at_once(*acts, refusals=AlreadyDecided)
    won = [each for each in got if isinstance(each, Adjudication)]
    assert len(won) == 1
    assert list(Adjudication.objects.all()) == won
    assert sum(isinstance(each, AlreadyDecided) for each in got) == 3


@pytest.mark.parametrize(
    "parts",
    [
        {"outcome": "gold", "correct": None},
        {"outcome": "gold", "correct": True, "first_error": 1},
        {"outcome": "discarded"},
        {"outcome": "discarded", "rationale": "why", "correct": True},
        {"outcome": "open", "reason": "a reason"},
    ],
)
def test_the_database_refuses_half_a_decision_too(contested: Solution, lead: User, parts: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Adjudication.objects.create(solution=contested, basis=Basis.OWN, decided_by=lead, **parts)


# --- consensus ----------------------------------------------------------------------------------------------------


@pytest.fixture
def consensus(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Fourteen solutions on which two annotators agree, at the second step, in their own words; one they do not."""
    ana, ben, _chen = annotators
    said = {n: {ana: wrong(1, reason=f"Ana on {n}"), ben: wrong(1, reason=f"Ben on {n}")} for n in range(14)}
    project = make_project(15)
    say_all(project, said | {14: {ana: RIGHT, ben: wrong(0)}})
    return project


def look_at_all(confirmation: Confirmation, doubting: int = 0) -> list[int]:
    """Look at the whole sample, doubt the first few; returns the doubted solutions."""
    looks = list(confirmation.looks.order_by("pk"))
    for place, look in enumerate(looks):
        record_look(look, SampleLook.Finding.DOUBTS if place < doubting else SampleLook.Finding.AGREES)
    return [look.solution_id for look in looks[:doubting]]


def test_nothing_is_confirmed_before_the_whole_sample_was_seen(consensus: Project, lead: User) -> None:
    confirmation = begin_confirmation(consensus, lead)
    assert confirmation.looks.count() == SAMPLE_SIZE
    assert set(confirmation.looks.values_list("solution", flat=True)) <= set(
        agreed(consensus).values_list("pk", flat=True)
    )
    record_look(confirmation.looks.order_by("pk")[0], SampleLook.Finding.AGREES)
    with pytest.raises(SampleNotSeen):
        confirm(confirmation)
    assert not Adjudication.objects.exists()


def test_a_sample_cannot_be_drawn_again_until_it_suits(consensus: Project, lead: User) -> None:
    assert begin_confirmation(consensus, lead) == begin_confirmation(consensus, lead)


def test_confirming_makes_gold_of_what_all_agree_on_with_every_reason(consensus: Project, lead: User) -> None:
    confirmation = begin_confirmation(consensus, lead)
    look_at_all(confirmation)
    assert confirm(confirmation) == 14
    rows = Adjudication.objects.order_by("solution_id")
    assert {(row.outcome, row.basis, row.first_error) for row in rows} == {("gold", "consensus", 1)}
    assert [row.reason for row in rows] == [f"Ana on {n}" for n in range(14)]
    further = AcceptedReason.objects.order_by("adjudication__solution_id")
    assert [(more.ordinal, more.reason) for more in further] == [(1, f"Ben on {n}") for n in range(14)]
    assert agreed(consensus).count() == 0
    assert disputed(consensus).count() == 1
    confirmation.refresh_from_db()
    assert (confirmation.confirmed, confirmation.confirmed_at is not None) == (14, True)


def test_a_doubted_item_is_not_confirmed_but_disputed(consensus: Project, lead: User) -> None:
    confirmation = begin_confirmation(consensus, lead)
    doubted = look_at_all(confirmation, doubting=2)
    assert confirm(confirmation) == 12
    assert set(doubted) < set(disputed(consensus).values_list("pk", flat=True))
    assert set(Adjudication.objects.filter(outcome=Outcome.OPEN).values_list("solution", flat=True)) == set(doubted)


def test_confirming_leaves_what_somebody_decided_meanwhile(consensus: Project, lead: User) -> None:
    confirmation = begin_confirmation(consensus, lead)
    look_at_all(confirmation)
    first = solutions_of(consensus)[0]
    own = decide(first, lead, Decision(Outcome.DISCARDED, rationale="A duplicate."))
    assert confirm(confirmation) == 13
    assert Adjudication.objects.current().get(solution=first) == own


def test_an_interrupted_confirmation_is_finished_by_repeating_it(
    consensus: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review.adjudication.BATCH", 5)
    confirmation = begin_confirmation(consensus, lead)
    look_at_all(confirmation)

    class Killed(Exception):
        pass

    def die(done: int, total: int) -> None:
        assert (done, total) == (5, 14)
        raise Killed

    with pytest.raises(Killed):
        confirm(confirmation, die)
    assert Adjudication.objects.count() == 5
    assert confirm(Confirmation.objects.get()) == 14
    assert Adjudication.objects.count() == 14
