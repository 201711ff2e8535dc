"""Hints of a model on two reasons: marked, never deciding, held against leads."""

from collections.abc import Callable

import pytest

from annotation.llm import Endpoint
from annotation.models import Project, Solution, User
from review import reason_pairs
from review.disagreements import current_labels
from review.models import Adjudication
from tests.labels import say_all, wrong
from tests.model_server import model_server


@pytest.fixture
def item(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    """Two annotators name the same step, in other words; the third another step."""
    ana, ben, chen = annotators
    said = {ana: wrong(1, reason="One and one is two."), ben: wrong(1, reason="One and one is two, not three."),
            chen: wrong(0, reason="The start is wrong.")}  # fmt: skip
    (solution,) = say_all(make_project(1, overlap=3), {0: said})
    return solution


def test_only_reasons_for_the_same_step_are_compared(item: Solution, annotators: list[User]) -> None:
    labels = current_labels([item])[item.pk]
    pairs = reason_pairs.pairs_of(labels)
    assert [(a.assignment.annotator, b.assignment.annotator) for a, b in pairs] == [(annotators[0], annotators[1])]


def test_a_hint_is_asked_once_and_decides_nothing(item: Solution) -> None:
    labels = current_labels([item])[item.pk]
    with model_server() as server:
        endpoint = Endpoint("grader", server.base_url, "key")
        (row,) = reason_pairs.hint(item, labels, endpoint)
        reason_pairs.hint(item, labels, endpoint)
        asked = len(server.requests)
    assert row.hinted_at is not None
    assert asked == 1
    assert not Adjudication.objects.exists()
