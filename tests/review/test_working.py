"""The working behind a coefficient, by hand and against Krippendorff's printed table."""

import pytest

from review.working import alpha_rows, coincidence_rows, unit_rows
from tests.review.oracles import entry

VOTES = {7: {"a": True, "b": True}, 8: {"a": True, "b": False, "c": False}, 9: {"a": False}}


def test_coincidences_by_hand() -> None:
    # Item 7: two ordered pairs true-true. Item 8: pairs count 1/2; false-false 2/2, each way between 2/2.
    assert coincidence_rows(VOTES, [False, True]) == [
        ["value", 0, 1, "total"],
        [0, 1.0, 1.0, 2.0],
        [1, 1.0, 2.0, 3.0],
        ["total", 2.0, 3.0, 5.0],
    ]


def test_units_by_hand() -> None:
    assert unit_rows(VOTES) == [
        ["item", "a", "b", "c", "labels", "pairs", "agreeing pairs", "agreement"],
        [7, 1, 1, "", 2, 1, 1, 1.0],
        [8, 1, 0, 0, 3, 3, 1, pytest.approx(1 / 3)],
        [9, 0, "", "", 1, 0, 0, ""],
    ]


def test_steps_and_parts_of_items_have_names() -> None:
    assert unit_rows({("7", 2): {"a": None, "b": 3}})[1] == ["7, 2", "no error", 3, 2, 1, 0, 0.0]


def test_the_arithmetic_of_alpha_by_hand() -> None:
    rows = {row[0]: row[1] for row in alpha_rows(VOTES, [False, True])}
    # 2 of 5 coincidences off the diagonal; (25 - 13) / 20 expected.
    assert rows["items with two or more labels"] == 2
    assert rows["labels on them (n)"] == 5
    assert rows["observed disagreement"] == pytest.approx(2 / 5)
    assert rows["expected disagreement"] == pytest.approx(12 / 20)
    assert rows["alpha"] == pytest.approx(1 - (2 / 5) / (12 / 20))


def test_undefined_alpha_is_empty_beside_its_reason() -> None:
    assert alpha_rows({1: {"a": True}}, [False, True])[-1] == ["alpha", None, "No item has two labels to compare."]
    alike = alpha_rows({1: {"a": True, "b": True}}, [False, True])
    assert [row[1] for row in alike[1:]] == [1, 2, 0.0, 0.0, None]


def test_coincidences_of_krippendorff_2011() -> None:
    data = entry("01_krippendorff_alpha", "K2011-A")["data"]
    votes = {unit: {"A": data[0][unit], "B": data[1][unit]} for unit in range(10)}
    # Printed in the paper: 10 and 4 and 4 and 2, with margins 14 and 6.
    assert [row[1:] for row in coincidence_rows(votes, [0, 1])[1:]] == [[10, 4, 14], [4, 2, 6], [14, 6, 20]]
