"""What is disputed: different verdicts or steps, never different words."""

from collections.abc import Callable

import pytest

from annotation.models import Annotation, Project, Solution, User
from annotation.verdicts import Verdict
from review.adjudication import Decision, decide
from review.disagreements import current_labels
from review.label_columns import NO_ERROR
from review.label_rows import label_columns
from review.models import Outcome
from review.pending import agreed, disputed
from tests.labels import RIGHT, revise, say, say_all, solutions_of, wrong


def both(project: Project, annotators: list[User], first: Verdict, second: Verdict) -> Solution:
    (solution,) = say_all(project, {0: {annotators[0]: first, annotators[1]: second}})
    return solution


@pytest.mark.parametrize(
    ("first", "second"),
    [(RIGHT, wrong(0)), (wrong(0), wrong(1))],
    ids=["verdicts", "steps"],
)
def test_other_verdicts_and_other_steps_are_disputed(
    make_project: Callable[..., Project], annotators: list[User], first: Verdict, second: Verdict
) -> None:
    project = make_project(1)
    solution = both(project, annotators, first, second)
    assert list(disputed(project)) == [solution]
    assert list(agreed(project)) == []


@pytest.mark.parametrize(
    "other",
    [
        wrong(1, reason="Said in other words entirely."),
        wrong(1, category="calculation"),
        wrong(1, rectified="So it goes."),
        Verdict(correct=False, first_error=1, placement="before", category="logic", reason="This does not follow."),
    ],
    ids=["reason", "category", "rectified", "placement"],
)
def test_other_words_for_the_same_step_are_not(
    make_project: Callable[..., Project], annotators: list[User], other: Verdict
) -> None:
    project = make_project(1)
    solution = both(project, annotators, wrong(1), other)
    assert list(agreed(project)) == [solution]
    assert list(disputed(project)) == []


def test_an_item_is_judged_only_when_every_wanted_label_is_in(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(1, overlap=3)
    both(project, annotators, RIGHT, wrong(0))
    assert (list(disputed(project)), list(agreed(project))) == ([], [])
    say(solutions_of(project)[0], annotators[2], wrong(0))
    assert disputed(project).count() == 1


def test_one_label_alone_agrees_with_itself(make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(1, overlap=1)
    say_all(project, {0: {annotators[0]: RIGHT}})
    assert agreed(project).count() == 1


def test_the_latest_revision_decides_and_the_first_counts_for_agreement(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(1)
    solution = both(project, annotators, RIGHT, wrong(1))
    first = current_labels([solution])[solution.pk][0]
    later = revise(first, wrong(1))
    assert current_labels([solution])[solution.pk][0] == later
    assert list(agreed(project)) == [solution]
    assert label_columns(project)[0].first_error.tolist() == [NO_ERROR, 1]


def test_the_most_contested_comes_first(make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(2, overlap=3)
    two = dict(zip(annotators, (RIGHT, RIGHT, wrong(0)), strict=True))
    three = dict(zip(annotators, (RIGHT, wrong(1), wrong(0)), strict=True))
    first, second = say_all(project, {0: two, 1: three})
    assert list(disputed(project)) == [second, first]


def test_what_a_lead_keeps_open_stays_disputed_though_all_agree(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    project = make_project(1)
    solution = both(project, annotators, RIGHT, RIGHT)
    decide(solution, lead, Decision(Outcome.OPEN))
    assert list(disputed(project)) == [solution]
    assert list(agreed(project)) == []


def test_columns_carry_what_the_figures_need(make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(3)
    _, second, third = solutions_of(project)
    say_all(project, {1: {annotators[1]: RIGHT}, 2: {annotators[0]: wrong(2, category="fact")}})
    labels, versions, pks = label_columns(project)
    assert labels.items.tolist() == [second.pk, third.pk]
    assert labels.cluster.tolist() == [second.problem_id, third.problem_id]
    assert labels.n_steps.tolist() == [4, 4]
    assert [labels.annotators[who] for who in labels.annotator] == [annotators[1].pk, annotators[0].pk]
    assert labels.first_error.tolist() == [-1, 2]
    assert [labels.categories[code] for code in labels.category] == ["", "fact"]
    assert versions.tolist() == [0, 0]
    assert pks.tolist() == list(Annotation.objects.order_by("pk").values_list("pk", flat=True))
