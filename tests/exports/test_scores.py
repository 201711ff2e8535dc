"""How scores are printed on pages."""

from typing import Any

import pytest

from exports.templatetags.scores import dot, figure, percent, score, span


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "–"), (0.0, ".000"), (0.5004, ".500"), (-0.5, "-.500"), (0.9994, ".999"), (0.9996, "1"), (-1.0, "-1")],
)
def test_a_score_has_three_places_and_no_leading_nought(value: float | None, told: str) -> None:
    assert score(value) == told


def test_intervals_and_shares_that_are_not_defined_are_no_numbers() -> None:
    assert (span((0.514, 1.0)), span((-0.1, 0.2)), span(None)) == (".51–1", "-.10–.20", "")
    assert (percent(0.1234), percent(None)) == ("12.3 %", "–")


def test_a_dot_stays_on_its_line() -> None:
    drawn = dot(-0.25, (-0.5, 0.5))
    assert 'cx="0.0%"' in drawn
    assert 'x1="0.0%" x2="50.0%"' in drawn
    assert 'cx="62.5%"' in dot(0.25, None, -1.0)
    assert dot(None) == ""


UNCHECKED: dict[str, Any] = {"reasons": {"mode": "llm", "why_null": "", "trust": {"status": "unchecked"}}}
COUNTS = {"step_hits": 3, "reason_hits": 2, "n_incorrect": 4}


def test_only_a_figure_of_reasons_that_has_a_value_is_called_unchecked() -> None:
    found = {"acc_step": 0.75, "acc_reason": 0.5, "mr_score": None, "counts": COUNTS}
    told = {metric: figure(UNCHECKED, found, metric, tagged=True) for metric in ("acc_step", "acc_reason", "mr_score")}
    assert {metric: each["unchecked"] for metric, each in told.items()} == {
        "acc_step": False, "acc_reason": True, "mr_score": False
    }  # fmt: skip
    assert (told["acc_step"]["fraction"], told["acc_reason"]["fraction"]) == ("3/4", "2/4")
    assert figure(UNCHECKED, {"acc_step": None, "counts": COUNTS}, "acc_step")["fraction"] == ""


def test_a_corrected_figure_has_its_own_interval_and_the_raw_one_below() -> None:
    checked = {"reasons": {**UNCHECKED["reasons"], "trust": {"status": "checked"}}}
    found, told = {"acc_reason": 0.5, "counts": COUNTS}, {"acc_reason": 0.4, "intervals": {"acc_reason": (0.3, 0.5)}}
    shown = figure(checked, found, "acc_reason", {"acc_reason": (0.45, 0.55)}, told)
    assert shown == {"value": 0.4, "around": (0.3, 0.5), "fraction": "2/4", "raw": 0.5}
