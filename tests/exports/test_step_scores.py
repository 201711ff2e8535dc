"""Judges that score every step: thresholds, PRMScore, tuning on problems set apart; and the breakdowns of a report."""

import json
from dataclasses import replace
from typing import Any

import pytest
from sklearn.metrics import f1_score

from annotation.sources.records import SolutionRecord
from exports.breakdowns import breakdowns
from exports.grading import grade
from exports.parsing import Answers, read_answers
from exports.scoring import Graded
from exports.step_scores import Scored, first_at_or_below, prm_score, scored, split_off_dev, tune
from tests.exports.small_release import solution
from tests.exports.test_grading import release

ITEMS = [solution("a", 1, n_steps=3), solution("b", None, n_steps=2)]
A, B = (item.id for item in ITEMS)


def answered(*lines: dict[str, Any], items: list[SolutionRecord] = ITEMS, **options: Any) -> Answers:
    return read_answers([json.dumps(line).encode() for line in lines], items, **options)


def test_the_first_step_not_above_the_threshold() -> None:
    assert first_at_or_below([0.9, 0.5, 0.1], 0.5) == 1
    assert first_at_or_below([0.9, 0.51], 0.5) is None
    assert first_at_or_below([0.2, -0.1], -0.05) == 1


def test_scores_and_labels_are_answers() -> None:
    found = answered({"id": A, "step_scores": [0.9, 0.4, 0.1]}, {"id": B, "step_labels": ["+", True]}, threshold=0.6)
    assert [(answer.reading.correct, answer.reading.first_error) for answer in found.answers] == [
        (False, 1),
        (True, None),
    ]
    assert found.step_scores == {A: (0.9, 0.4, 0.1), B: (1.0, 1.0)}


def test_labels_do_not_follow_the_threshold_of_scores() -> None:
    assert answered({"id": B, "step_labels": [1, 0]}, threshold=-0.05).answers[1].reading.first_error == 1


def test_labels_make_the_same_prm_score_at_every_threshold() -> None:
    lines = [{"id": A, "step_labels": [1, 0, 0]}, {"id": B, "step_labels": [True, True]}]
    for threshold in (-0.05, 0.5, 1.0):
        report = grade(release(ITEMS), answered(*lines, threshold=threshold)).report
        assert report["f1"] == report["step_scores"]["prm_score"] == 1.0


def test_labels_count_in_tuning_but_give_no_thresholds() -> None:
    items = [Scored(0, (0.0, 1.0), labelled=True), Scored(0, (0.4,)), Scored(None, (0.6,))]
    assert 0.4 <= tune(items) < 0.6
    with pytest.raises(ValueError, match="No item"):
        tune(items[:1])


def test_another_number_of_scores_than_steps_counts_as_not_understood() -> None:
    reading = answered({"id": A, "step_scores": [0.9, 0.4]}).answers[0].reading
    assert (reading.status, reading.flags) == ("unparsed", ("wrong_number_of_scores",))


@pytest.mark.parametrize("line", [{"step_scores": [1, "x"]}, {"step_scores": 3}, {"step_labels": ["good"]}])
def test_scores_that_are_none_are_refused(line: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one for each step"):
        answered({"id": A, **line})


def test_prm_score_by_hand_and_by_sklearn() -> None:
    items = [Scored(1, (0.9, 0.2, 0.9)), Scored(None, (0.8, 0.3)), Scored(0, (0.7, 0.1))]
    # labelled: + -, + +, -; said: + -, + -, + : tp 2, fn 1, fp 1, tn 1
    found = prm_score(items, 0.5)
    assert found["counts"] == {"tp": 2, "fn": 1, "fp": 1, "tn": 1}
    gold, said = [1, 0, 1, 1, 0], [1, 0, 1, 0, 1]
    both = [f1_score(gold, said, pos_label=label) for label in (1, 0)]
    assert [found["f1_right_steps"], found["f1_wrong_steps"]] == pytest.approx(both)
    assert found["prm_score"] == pytest.approx(sum(both) / 2)


def test_without_a_wrong_step_prm_score_is_undefined() -> None:
    assert prm_score([Scored(None, (0.9,))], 0.5)["prm_score"] is None


def test_tuning_finds_the_threshold_that_separates() -> None:
    items = [Scored(1, (0.3, 0.1)), Scored(0, (0.15, 0.4)), Scored(None, (0.3, 0.25))]
    assert 0.15 <= tune(items) < 0.25
    with pytest.raises(ValueError, match="No item"):
        tune([])


def test_tuning_misses_no_threshold_however_many_scores_there_are() -> None:
    # one solution is wrong where it scores 0.5001, the right ones score from 0.5002 up: only what lies between is best
    items = [Scored(0, (0.5001,))] + [Scored(None, (0.5002 + n / 10_000,)) for n in range(2000)]
    items += [Scored(None, (0.5 - n / 10_000,)) for n in range(2000)]
    assert 0.5001 <= tune(items) < 0.5002


def test_tuning_wants_the_gold_step_to_be_the_first_at_or_below() -> None:
    # from 0.4 up the first step of the wrong solution is taken for its error; below 0.2 no step is
    items = [Scored(1, (0.4, 0.2)), Scored(None, (0.9, 0.5))]
    assert 0.2 <= tune(items) < 0.4


def test_whole_problems_go_to_the_dev_split() -> None:
    items = [solution(f"s{n}", None, problem=f"p{n // 3}") for n in range(90)]
    dev, rest, told = split_off_dev(items)
    assert 3 <= len(dev) <= 36
    assert not {item.problem.external_id for item in dev} & {item.problem.external_id for item in rest}
    assert "one problem in five" in told
    named = [replace(item, problem=replace(item.problem, extra={"split": "dev" if n < 30 else "test"}))
             for n, item in enumerate(items)]  # fmt: skip
    dev, rest, told = split_off_dev(named)
    assert (len(dev), len(rest)) == (30, 60)
    with pytest.raises(ValueError, match="both sides"):
        split_off_dev(named[:30])


def test_the_report_has_prm_score_where_steps_are_scored() -> None:
    answers = answered({"id": A, "step_scores": [0.9, 0.4, 0.9]}, {"id": B, "step_scores": [0.9, 0.9]})
    found = grade(release(ITEMS), answers).as_dict()["step_scores"]
    assert (found["prm_score"], found["threshold"], found["n_items"]) == (1, 0.5, 2)
    assert grade(release(ITEMS), answered({"id": A, "correct": True})).as_dict()["step_scores"] is None
    assert len(scored(ITEMS, {A: (0.1,)})) == 0


def test_breakdowns_by_hand() -> None:
    items = [
        solution("a", 0, n_steps=3), solution("b", 4, n_steps=12),
        solution("c", 4, n_steps=12, answer_keys=(("7",),), final_answer="7"), solution("d", None, n_steps=3),
    ]  # fmt: skip
    graded = [
        Graded(item.id, "math", item.id, item.gold.verdict.correct, item.gold.verdict.first_error, said, step)
        for item, (said, step) in zip(items, ((False, 0), (False, 5), (True, None), (True, None)), strict=True)
        if item.gold
    ]
    found = breakdowns(items, graded, {items[1].id: False, items[2].id: True}, reasons=False)
    places = {row["value"]: row for row in found["first_error"]}
    assert list(places) == ["1", "4-5"]
    assert (places["1"]["acc_step"], places["4-5"]["acc_step"], places["4-5"]["acc_step_within_one"]) == (1, 0, 0.5)
    lengths = {row["value"]: row["n"] for row in found["number_of_steps"]}
    assert lengths == {"1-3": 2, "11-15": 2}
    # one correct and one incorrect solution, both told; at a place of a first error all are incorrect
    assert found["number_of_steps"][0]["mcc"] == 1
    assert {row["mcc"] for row in found["first_error"]} == {None}
    process = {row["value"]: row for row in found["right_answer_wrong_process"]}
    assert process["right answer, wrong process"]["n"] == 1
    assert process["wrong answer"]["counts"]["tn"] == 1
    assert "level" not in found
