"""What a perfect judge and what people score."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from exports.ceiling import ceilings, changed_share, error_from_agreement, human_scores, measured_error, noise_facts
from exports.grading import grade
from exports.parsing import read_answers
from exports.scoring import Graded
from tests.exports.small_release import solution
from tests.exports.test_grading import release
from tests.review.oracles import oracle


def test_ceilings_as_published() -> None:
    for row in oracle("22_label_noise")["ceiling"]:
        found = ceilings(row["p_correct"], row["symmetric_error"])
        assert found["accuracy"] == pytest.approx(row["max_accuracy"])
        assert found["mcc"] == pytest.approx(row["max_mcc"], abs=1e-9)


def test_errors_of_two_panels_as_published() -> None:
    for row in oracle("22_label_noise")["double_adjudication"]:
        assert error_from_agreement(row["agreement"]) == pytest.approx(row["error_each"])
    assert error_from_agreement(0.4) is None


def test_changed_labels_with_the_bounds_of_the_reference() -> None:
    # reference/statistics.md 3.7: 3 of 200 has the upper bound 4.3 %, 4 of 200 has 5.03 %
    assert 100 * changed_share(3, 200)[1][1] == pytest.approx(4.3, abs=0.05)
    assert 100 * changed_share(4, 200)[1][1] == pytest.approx(5.03, abs=0.01)


def test_step_and_reason_ceilings_multiply_and_agree_with_a_simulation() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(400_000) < 0.3
    gold = truth ^ (rng.random(400_000) < 0.05)
    found = ceilings(0.3, 0.05, step_error=0.1, reason_error=0.2)
    assert found["mcc"] == pytest.approx(matthews_corrcoef(gold, truth), abs=0.005)
    assert found["acc_step"] == pytest.approx((~truth[~gold]).mean() * 0.9, abs=0.005)
    assert found["acc_reason"] == pytest.approx(found["acc_step"] * 0.8)


def test_one_class_only_has_no_ceiling_of_mcc() -> None:
    assert ceilings(1.0, 0.0)["mcc"] is None
    assert ceilings(1.0, 0.0)["acc_step"] is None
    assert ceilings(1.0, 0.0)["mr_score"] is None
    assert ceilings(1.0, 0.0)["f1"] is None
    assert ceilings(0.0, 0.0)["correct_accuracy"] is None
    assert noise_facts([Graded("a", "", "a", True, None)], {})["ceiling"] is None
    assert noise_facts([Graded("a", "", "a", True, None)], {}, 0.02)["ceiling"]["accuracy"] == pytest.approx(0.98)


def test_the_headline_has_a_ceiling_too() -> None:
    found = ceilings(0.5, 0.1, weights=(0.5, 0.25, 0.25))
    # half and half with 10 % wrong: 0.9 of what is labelled so is so, and MCC is 0.8
    assert (found["f1"], found["correct_accuracy"]) == (pytest.approx(0.9), pytest.approx(0.9))
    assert found["mr_score"] == pytest.approx(0.5 * 0.8 + 0.25 * 0.9 + 0.25 * 0.9)


def test_steps_that_changed_alone_lower_the_ceiling_of_steps() -> None:
    items = [Graded(name, "", name, name == "a", None if name == "a" else 0) for name in "abcd"]
    measured = {"gold_error": {"n": 80, "changed_verdict": 0, "changed_place": 6, "rate": 0.075}}
    # 6 steps moved, of the 60 incorrect solutions that 80 hold when one in four is correct
    assert noise_facts(items, measured)["ceiling"]["acc_step"] == pytest.approx(0.9)
    assert noise_facts(items, measured, 0.0)["ceiling"]["acc_step"] == pytest.approx(1.0)


def test_the_error_that_a_release_has_measured_makes_the_ceiling() -> None:
    measured = {"gold_error": {"n": 50, "changed_verdict": 1, "changed_place": 4, "rate": 0.08}}
    assert measured_error(measured) == 0.02  # of verdicts; places are more
    assert measured_error({"gold_error": {"n": 0, "changed_verdict": 0}}) is None
    assert measured_error({}) is None
    items = [solution("r", None), solution("w", 1)]
    answers = read_answers([json.dumps({"id": item.id, "correct": True}).encode() for item in items], items)
    held = release(items)
    told = grade(replace(held, manifest={**held.manifest, **measured}), answers).report
    assert told["ceiling"]["accuracy"] == pytest.approx(0.98)
    assert grade(held, answers).report["ceiling"] is None


def test_people_are_scored_against_the_others_alone() -> None:
    first, second, third = solution("a", 1), solution("b", None), solution("c", 2)
    votes = [vote(first.id, who, 1) for who in "xy"] + [vote(first.id, "z", 0)]
    votes += [vote(second.id, "x", None), vote(second.id, "y", None), vote(third.id, "x", 2)]
    found = human_scores([first, second, third], votes)["human"]
    # z against x and y: seen, wrong step; x against the tie of y and z is left out, y likewise; c has one label
    assert (found["n"], found["annotators"]) == (3, 3)
    counts = found["pooled"]["counts"]
    assert (counts["tn"], counts["step_hits"], counts["tp"]) == (1, 0, 2)
    assert math.isclose(found["pooled"]["correct_accuracy"], 1)
    assert human_scores([third], votes)["human"] is None


def vote(item: str, annotator: str, first_error: int | None) -> dict[str, object]:
    return {"id": item, "annotator": annotator, "correct": first_error is None, "first_error": first_error}
