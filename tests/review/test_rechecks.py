"""The gold's own error, from a sample decided again blind."""

from collections.abc import Callable

import pytest

from annotation.models import Project, Role, User
from review import rechecks
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import RIGHT, say_all, wrong


@pytest.fixture
def gold(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Project:
    project = make_project(4)
    solutions = say_all(project, {n: {annotators[0]: RIGHT, annotators[1]: wrong(1)} for n in range(4)})
    for solution in solutions:
        decide(solution, lead, Decision(Outcome.GOLD, wrong(1)))
    return project


def test_a_lead_rechecks_only_what_others_decided(gold: Project, lead: User, make_user: Callable[..., User]) -> None:
    with pytest.raises(rechecks.CannotRecheck):
        rechecks.begin(gold, lead, 2)
    sample = rechecks.begin(gold, make_user("luis", Role.LEAD), 3)
    assert sample.items.count() == 3
    rest = rechecks.begin(gold, make_user("mara", Role.LEAD), 10)
    assert rest.items.count() == 1, "what is in a sample already is not drawn again"


def test_the_error_is_the_share_that_changed_with_a_wilson_interval(
    gold: Project, make_user: Callable[..., User]
) -> None:
    other = make_user("luis", Role.LEAD)
    items = list(rechecks.begin(gold, other, 4).items.order_by("pk"))
    assert rechecks.gold_error(gold) == rechecks.GoldError(0, 0, 0, None, None, None)
    for item, verdict in zip(items, (wrong(1, reason="Other words."), wrong(2), RIGHT, wrong(1)), strict=True):
        rechecks.decide_again(item, other, verdict)
    found = rechecks.gold_error(gold)
    assert (found.n, found.changed_verdict, found.changed_place, found.rate) == (4, 1, 2, 0.5)
    # Wilson, 2 of 4: (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.96 gives .150 and .850.
    assert found.low == pytest.approx(0.150, abs=5e-4)
    assert found.high == pytest.approx(0.850, abs=5e-4)


def test_deciding_again_leaves_the_gold_as_it_is(gold: Project, make_user: Callable[..., User]) -> None:
    other = make_user("luis", Role.LEAD)
    item = rechecks.begin(gold, other, 1).items.get()
    rechecks.decide_again(item, other, RIGHT)
    item.gold.refresh_from_db()
    assert item.gold.verdict == wrong(1)
