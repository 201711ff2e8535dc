"""The working behind a coefficient, by hand and against Krippendorff's printed table."""

import pytest

from review.counting import Votes, answers_of, coincidences
from review.working import Arithmetic, arithmetic, coincidence_rows, unit_header, unit_row
from tests.review.oracles import entry

VOTES = {7: {"a": True, "b": True}, 8: {"a": True, "b": False, "c": False}, 9: {"a": False}}


def table(votes: Votes) -> list[list[float]]:
    found: list[list[float]] = coincidences(answers_of(votes, [False, True]).counts()).tolist()
    return found


def test_coincidences_by_hand() -> None:
    # Item 7: two ordered pairs true-true. Item 8: pairs count 1/2; false-false 2/2, each way between 2/2.
    assert coincidence_rows(table(VOTES), ["incorrect", "correct"]) == [
        ["value", "incorrect", "correct", "total"],
        ["incorrect", 1.0, 1.0, 2.0],
        ["correct", 1.0, 2.0, 3.0],
        ["total", 2.0, 3.0, 5.0],
    ]
    assert coincidence_rows([], []) == [["value", "total"], ["total", 0]]


def test_units_by_hand() -> None:
    people = ["a", "b", "c"]
    header = unit_header(["item"], people)
    rows = [unit_row([unit], given, people) for unit, given in VOTES.items()]
    assert [header, *rows] == [
        ["item", "a", "b", "c", "labels", "pairs", "agreeing pairs", "agreement"],
        [7, 1, 1, "", 2, 1, 1, 1.0],
        [8, 1, 0, 0, 3, 3, 1, pytest.approx(1 / 3)],
        [9, 0, "", "", 1, 0, 0, ""],
    ]


def test_no_error_is_said_in_words() -> None:
    assert unit_row(["i7", 2], {"a": None, "b": 3}, ["a", "b"]) == ["i7", 2, "no error", 3, 2, 1, 0, 0.0]


def test_the_arithmetic_of_alpha_by_hand() -> None:
    # 2 of 5 coincidences off the diagonal; (25 - 13) / 20 expected.
    found = arithmetic(table(VOTES))
    assert found.n == 5
    assert found.observed == pytest.approx(2 / 5)
    assert found.expected == pytest.approx(12 / 20)
    assert found.alpha == pytest.approx(1 - (2 / 5) / (12 / 20))


def test_where_alpha_is_undefined_its_arithmetic_stops() -> None:
    assert arithmetic(table({1: {"a": True}})) == Arithmetic(0, None, None, None)
    assert arithmetic(table({1: {"a": True, "b": True}})) == Arithmetic(2, 0.0, 0.0, None)


def test_coincidences_of_krippendorff_2011() -> None:
    data = entry("01_krippendorff_alpha", "K2011-A")["data"]
    votes = {unit: {"A": bool(data[0][unit]), "B": bool(data[1][unit])} for unit in range(10)}
    # Printed in the paper: 10 and 4 and 4 and 2, with margins 14 and 6; alpha .095.
    assert coincidence_rows(table(votes), ["0", "1"])[1:] == [
        ["0", 10, 4, 14], ["1", 4, 2, 6], ["total", 14, 6, 20]
    ]  # fmt: skip
    assert arithmetic(table(votes)).alpha == pytest.approx(0.095, abs=5e-4)
