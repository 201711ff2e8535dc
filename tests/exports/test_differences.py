"""How differences and p-values are printed."""

import pytest

from exports.differences import p_value, points, unsigned_points


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.0123, "+1.2"), (-0.0349, "-3.5"), (-0.0004, "0.0"), (0.0, "0.0"), (None, "–")],
)
def test_a_difference_has_its_sign_unless_it_is_none(value: float | None, told: str) -> None:
    assert points(value) == told


def test_an_interval_stands_behind() -> None:
    assert points(0.01, (-0.0004, 0.0204)) == "+1.0 (0.0 to +2.0)"
    assert unsigned_points(-0.078) == "7.8"


@pytest.mark.parametrize(("p", "told"), [(0.0, "<.001"), (0.0009, "<.001"), (0.0312, ".031"), (1.0, "1.000")])
def test_no_p_is_nought(p: float, told: str) -> None:
    assert p_value(p) == told
