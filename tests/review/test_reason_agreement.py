"""Agreement of reasons: shares, the hint's own check, and what is undefined."""

import numpy as np
import pytest

from review.intervals import NoInterval
from review.questions import Question
from review.reason_agreement import NoPair, ReasonPairs, reason


def pairs(rows: list[tuple[int, int, bool]]) -> ReasonPairs:
    lead, hint, shown = (np.array(column) for column in zip(*rows, strict=True)) if rows else (np.zeros(0, int),) * 3
    n = np.arange(len(rows))
    return ReasonPairs(n, n, lead, hint, shown.astype(bool))


def measured(rows: list[tuple[int, int, bool]]) -> Question:
    return reason(pairs(rows), seed=1, resamples=400)


def test_a_table_by_hand() -> None:
    # Leads against hints, unseen: 40 both same, 10 and 20 apart, 30 both different; and ten where the hint was shown.
    rows = [(1, 1, False)] * 40 + [(1, 0, False)] * 10 + [(0, 1, False)] * 20 + [(0, 0, False)] * 30
    found = measured([*rows, *[(1, 1, True)] * 10, *[(1, -1, False)] * 5, *[(-1, 0, False)] * 5]).figures
    assert found["same_lead"].value == pytest.approx(65 / 115)
    assert found["same_hint"].value == pytest.approx(70 / 115)
    assert found["hint_agrees"].value == pytest.approx(0.7)
    assert found["hint_agrees"].n_units == 100
    # Chance .5 * .6 + .5 * .4 = .5, so kappa is (.7 - .5) / .5.
    assert found["hint_kappa"].value == pytest.approx(0.4)
    for name, figure in found.items():
        assert figure.interval.low is not None, name
        assert figure.value is not None
        assert figure.interval.high is not None
        assert figure.interval.low < figure.value < figure.interval.high, name
    half = 1.96 * np.sqrt(0.7 * 0.3 / 100)
    assert found["hint_agrees"].interval.low == pytest.approx(0.7 - half, abs=0.03)
    assert (len(found["same_lead"].agreeing), len(found["same_lead"].disagreeing)) == (65, 50)


def test_what_nobody_said_is_undefined() -> None:
    nobody = measured([]).figures
    assert [figure.undefined for figure in nobody.values()] == [NoPair.LEAD, NoPair.HINT, NoPair.BOTH, NoPair.BOTH]
    shown = measured([(1, 1, True)] * 30).figures
    assert shown["same_lead"].value == 1
    assert shown["same_lead"].interval.missing == NoInterval.TOO_FEW
    assert shown["hint_agrees"].undefined == NoPair.BOTH
    assert measured([(1, 1, False)] * 30).figures["hint_kappa"].undefined == NoPair.ONE_ANSWER
