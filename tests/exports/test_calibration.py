"""Calibration and risk-coverage against published values and hand-worked ones."""

import json
from itertools import pairwise, permutations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from statsmodels.stats.proportion import proportion_confint

from exports.calibration import (
    bin_errors,
    brier,
    calibration,
    equal_mass_bins,
    reliability,
    under_perfect_calibration,
    wilson,
)
from exports.confidence import confidence_facts
from exports.grading import grade
from exports.parsing import read_answers
from exports.risk_coverage import aurc, risk_coverage, risks
from exports.scoring import Graded
from tests.exports.small_release import solution
from tests.exports.test_grading import release
from tests.review.oracles import entry


def test_ece_and_rms_of_the_published_example() -> None:
    found = entry("09_calibration", "TORCHMETRICS-BCE")
    stated, right = found["inputs"]["confidence"], found["inputs"]["correct"]
    uniform = (np.array(stated) >= 0.5).astype(np.int64)
    rms, ece = bin_errors(stated, right, uniform)
    assert [ece, rms] == pytest.approx([found["published"]["ece_l1"], found["published"]["rms_l2"]], abs=6e-5)


def test_the_most_confident_bin_counts() -> None:
    published = entry("09_calibration", "HENDRYCKS-BUG")["recomputed"]["reference"]
    rng = np.random.default_rng(7)
    stated = np.round(rng.beta(5, 2, 1000), 6)
    right = rng.random(1000) < np.clip(stated - 0.1, 0, 1)
    rms, ece = bin_errors(stated, right, equal_mass_bins(stated))
    assert [rms, ece] == pytest.approx([published["rms_adaptive_10"], published["ece_adaptive_10"]], abs=1e-6)


def test_brier_of_the_published_example() -> None:
    found = entry("09_calibration", "SKLEARN-BRIER")
    p, y = found["inputs"]["p"], found["inputs"]["y"]
    assert brier(p, y) == pytest.approx(found["published"]["brier"])
    assert brier(p, y) == pytest.approx(brier_score_loss(y, p))


@pytest.mark.parametrize(("hits", "n"), [(0, 20), (81, 263), (15, 15), (1, 1)])
def test_wilson_is_that_of_statsmodels(hits: int, n: int) -> None:
    assert list(wilson(hits, n)) == pytest.approx(list(proportion_confint(hits, n, method="wilson")), abs=1e-12)


def test_bins_hold_about_equally_many_and_never_split_ties() -> None:
    assert np.bincount(equal_mass_bins(np.linspace(0, 1, 500))).tolist() == [50] * 10
    assert np.bincount(equal_mass_bins(np.linspace(0, 1, 120))).tolist() == [60, 60]
    stated = [0.5] * 30 + [0.9] * 600 + [0.95] * 100
    bins = equal_mass_bins(stated)
    assert len(set(bins[30:630])) == 1
    assert np.bincount(bins).tolist() == [630, 100]  # the 30 alone would be too few
    assert equal_mass_bins([0.3]).tolist() == [0]


def test_a_calibrated_judge_shows_what_is_expected_of_one() -> None:
    rng = np.random.default_rng(11)
    stated = rng.uniform(0.5, 1, 2000)
    bins = equal_mass_bins(stated)
    drawn = [bin_errors(stated, rng.random(2000) < stated, bins) for _ in range(300)]
    expected = under_perfect_calibration(stated, bins, np.random.default_rng(1))
    assert [expected["rms"], expected["ece"]] == pytest.approx(np.mean(drawn, axis=0).tolist(), rel=0.05)


def test_points_of_the_reliability_plot() -> None:
    stated, right = np.array([0.6, 0.6, 0.9, 0.9]), np.array([1.0, 0.0, 1.0, 1.0])
    low, high = reliability(stated, right, np.array([0, 0, 1, 1]))
    assert (low["n"], low["share"], low["confidence"]) == (2, 0.5, pytest.approx(0.6))
    assert high["interval"] == pytest.approx([0.342, 1.0], abs=5e-4)  # 4 / (4 + 2 x 1.92), by hand


def test_intervals_follow_problems() -> None:
    stated, right = [0.8] * 400, [True] * 240 + [False] * 160
    alone = calibration(stated, right, [str(n) for n in range(400)])["intervals"]["ece"]
    four = calibration(stated, right, [str(n // 4) for n in range(400)])["intervals"]["ece"]
    # one bin: |.6 - .8|, with the standard error of a share of 400
    assert alone == pytest.approx([0.2 - 0.048, 0.2 + 0.048], abs=0.006)
    assert (four[1] - four[0]) / (alone[1] - alone[0]) == pytest.approx(2, abs=0.2)
    assert calibration([0.8], [True], ["one"])["intervals"]["ece"] is None


# --- risk and coverage --------------------------------------------------------------------------------------------


def test_aurc_of_the_hand_worked_example() -> None:
    found = entry("16_risk_coverage", "AURC-5")
    stated, right = found["inputs"]["confidence"], found["inputs"]["correct"]
    assert risks(stated, right) == pytest.approx([0, 0, 1 / 3, 1 / 4, 2 / 5])
    assert list(aurc(stated, right)) == pytest.approx([found["published"]["aurc"], found["published"]["eaurc"]])
    report = risk_coverage(stated, right, 5)
    assert report["risk_at"] == {"0.5": pytest.approx(1 / 3), "0.8": 0.25, "0.9": pytest.approx(0.4)}
    assert report["coverage_at"] == {"0.05": pytest.approx(2 / 5)}


def test_ties_are_averaged_over_all_orders() -> None:
    found = entry("16_risk_coverage", "AURC-TIES-ENUM")
    stated, right = found["inputs"]["confidence"], found["inputs"]["correct"]
    areas = []
    for order in permutations(range(6)):
        if all(stated[one] >= stated[two] for one, two in pairwise(order)):
            wrong = np.cumsum([1 - right[place] for place in order])
            areas.append(float((wrong / np.arange(1, 7)).mean()))
    assert aurc(stated, right)[0] == pytest.approx(np.mean(areas))
    assert aurc(stated, right)[0] == pytest.approx(found["recomputed"]["enumeration"]["aurc"])
    assert aurc([0.5] * 4, [1, 0, 1, 1])[0] == pytest.approx(0.25)


def test_items_without_an_answer_end_the_curve() -> None:
    report = risk_coverage([0.9, 0.8], [True, True], 4)
    assert (report["maximum_coverage"], report["risk_at"]["0.8"], report["risk_at"]["0.5"]) == (0.5, None, 0)
    assert risk_coverage([0.9], [False], 1)["coverage_at"]["0.05"] == 0


# --- in the report ------------------------------------------------------------------------------------------------


def item(name: str, gold: bool, said: bool | None, subject: str = "math") -> Graded:
    return Graded(name, subject, name, gold, None if gold else 0, said, 0)


def test_only_verdicts_with_a_confidence_count_and_subjects_have_their_own_calibration() -> None:
    graded = [item("a", True, True), item("b", True, False), item("c", True, True, "art"), item("d", True, None)]
    facts = confidence_facts(graded, [0.5, 0.5, None, 0.9], seed=0)
    assert facts["calibration"]["n"] == 2
    # one right and one wrong at .5: calibrated as a subject
    assert facts["calibration"]["by_subject"]["rms"] == 0
    assert facts["calibration"]["by_subject"]["subjects"]["math"]["n"] == 2
    assert facts["risk_coverage"]["maximum_coverage"] == 0.5


@pytest.mark.parametrize("confidence", [None, 0.75])
def test_the_grade_report_has_it_or_says_why_not(confidence: float | None) -> None:
    items = [solution("a", None), solution("b", 1)]
    lines = [json.dumps({"id": each.id, "correct": True, "confidence": confidence}).encode() for each in items]
    report = grade(release(items), read_answers(lines, items)).as_dict()
    if confidence is None:
        assert report["calibration"] is None
        assert "No answer" in report["why_no_confidence"]
    else:
        assert report["calibration"]["share_right"] == 0.5
        assert report["risk_coverage"]["risk_at"]["0.9"] == 0.5
    json.dumps(report, allow_nan=False)
