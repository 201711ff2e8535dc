"""Scores against published values: MCC, ProcessBench, MR-Score, averages, baselines and intervals."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from exports.baselines import baselines
from exports.intervals import intervals
from exports.scoring import (
    Counts,
    Graded,
    averages,
    check_weights,
    count,
    group_score,
    harmonic,
    mcc,
    metrics,
    mr_score,
    reason_bounds,
    score,
    undefined,
)

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def oracle(name: str) -> list[dict[str, Any]]:
    path = SHARED / "oracles" / name
    if not path.exists():
        pytest.skip("the published examples are not on this machine")
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entries"]
    return entries


def test_mcc_of_published_confusions() -> None:
    for entry in oracle("06_mcc.json"):
        confusion = entry["confusion"]
        value = float(np.nan_to_num(mcc(confusion["tp"], confusion["tn"], confusion["fp"], confusion["fn"])))
        assert value == pytest.approx(entry["published"]["mcc"], abs=entry["tolerance"]), entry["id"]
        gold = [1] * (confusion["tp"] + confusion["fn"]) + [0] * (confusion["tn"] + confusion["fp"])
        said = [1] * confusion["tp"] + [0] * (confusion["fn"] + confusion["tn"]) + [1] * confusion["fp"]
        assert value == pytest.approx(matthews_corrcoef(gold, said), abs=1e-12), entry["id"]


def test_mcc_is_undefined_at_zero_by_zero_and_counted_as_0() -> None:
    one_class = Counts(n_correct=60, n_incorrect=40, tp=60, tn=0)
    assert math.isnan(mcc(60, 0, 40, 0))
    assert metrics(one_class)["mcc"] == 0
    assert "60 correct and 40 incorrect" in undefined(one_class)["mcc"]
    # a correlation that is 0 and defined: one right and one wrong in each class
    assert "mcc" not in undefined(Counts(2, 2, 1, 1))


def test_f1_of_published_processbench_rows() -> None:
    for entry in oracle("07_processbench.json"):
        if "counts" in entry:
            told = entry["counts"]
            found = metrics(
                Counts(told["correct_n"], told["error_n"], told["correct_hits"], told["error_hits"], told["error_hits"])
            )
            names = {"error_accuracy": "error_acc", "correct_accuracy": "correct_acc", "f1": "f1"}
            for ours, theirs in names.items():
                assert found[ours] == pytest.approx(entry["published"][theirs], abs=entry["tolerance"]), entry["id"]
        elif "f1" in entry["published"]:
            value = float(harmonic(entry["inputs"]["error_acc"], entry["inputs"]["correct_acc"]))
            assert value == pytest.approx(entry["published"]["f1"], abs=entry["tolerance"]), entry["id"]


def test_published_tables_follow_from_their_counts() -> None:
    """The paper computed some rows from exact and some from rounded accuracies (reference, 2.1): either must fit."""
    rows = [entry for entry in oracle("07_processbench.json") if "f1_gsm8k" in entry["published"]]
    assert len(rows) > 40
    for entry in rows:
        exact = {told["subset"]: f1_of(told) for told in entry["inputs"] if "error_n" in told}
        rounded = {told["subset"]: float(harmonic(told["error_acc"], told["correct_acc"])) for told in entry["inputs"]}
        for subset, value in rounded.items():
            published = entry["published"][f"f1_{subset}"]
            nearest = min(abs(path - published) for path in (value, exact.get(subset, value)))
            assert nearest <= entry["tolerance"], (entry["id"], subset)


def test_the_published_average_is_the_unweighted_mean_of_subsets() -> None:
    rows = [entry for entry in oracle("07_processbench.json") if {"f1_gsm8k", "macro"} <= set(entry["published"])]
    assert len(rows) == 25
    for entry in rows:
        subsets = {told["subset"]: counts_of(told) for told in entry["inputs"]}
        groups = {name: {**metrics(counts), "counts": counts.as_dict()} for name, counts in subsets.items()}
        found = averages(groups)
        assert 100 * found["macro"]["f1"] == pytest.approx(entry["published"]["macro"], abs=0.1), entry["id"]
        weighted = sum(told["n"] * f1_of(told) for told in sized(entry)) / 3400
        assert 100 * found["item_weighted"]["f1"] == pytest.approx(weighted)


def counts_of(told: dict[str, Any]) -> Counts:
    return Counts(told["correct_n"], told["error_n"], told["correct_hits"], told["error_hits"], told["error_hits"])


def sized(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**told, "n": told["error_n"] + told["correct_n"]} for told in entry["inputs"]]


def f1_of(told: dict[str, Any]) -> float:
    return 100 * (metrics(counts_of(told))["f1"] or 0.0)


def test_f1_is_0_when_both_accuracies_are() -> None:
    assert float(harmonic(0.0, 0.0)) == 0


def test_mr_score_of_published_rows_and_with_a_negative_mcc() -> None:
    for entry in oracle("08_mr_score.json"):
        value = float(mr_score(**entry["inputs"]))
        assert value == pytest.approx(entry["published"]["mr_score"], abs=entry["tolerance"]), entry["id"]


# MR-GSM8K, January 2024: TP, TN, step, reason by people, reason by GPT-4 -> MCC and both MR-Scores as published
PUBLISHED = {
    "Claude-2": (962, 1056, 331, 185, 224, 0.345, 0.191, 0.203),
    "GPT-3.5": (1125, 621, 179, 73, 73, 0.198, 0.097, 0.097),
    "GPT-4": (985, 1425, 823, 677, 732, 0.614, 0.495, 0.512),
    "WizardMath-70B": (1176, 43, 6, 1, 1, -0.250, 0.001, 0.001),
    "MAmmoTH-70B": (1410, 43, 4, 1, 2, 0.055, 0.012, 0.012),
    "MetaMath-70B": (1305, 166, 22, 6, 7, 0.034, 0.013, 0.013),
    "Llama-2-70B": (453, 1156, 327, 99, 139, 0.058, 0.105, 0.118),
}


@pytest.mark.parametrize("model", PUBLISHED)
def test_published_counts_give_the_published_scores(model: str) -> None:
    tp, tn, step, people, gpt4, correlation, by_people, by_gpt4 = PUBLISHED[model]
    for reason, published in ((people, by_people), (gpt4, by_gpt4)):
        found = metrics(Counts(1427, 1573, tp, tn, step, reason))
        assert published in printed(found["mr_score"])
        assert correlation in printed(found["mcc"])


def printed(value: float | None) -> tuple[float, float]:
    """The authors printed some values cut after three decimals (0.5125 as 0.512) and some rounded."""
    assert value is not None
    return math.trunc(value * 1000) / 1000, round(value, 3)


def item(
    name: str, gold: int | None, said: bool | None, step: int | None = None, same: bool | None = None,
    subject: str = "math", problem: str = "",
) -> Graded:  # fmt: skip
    return Graded(name, subject, problem or name, gold is None, gold, said, step, same)


def test_what_is_not_answered_is_wrong_on_both_sides() -> None:
    counts = count([item("a", 1, None), item("b", None, None), item("c", 1, False, 1, True), item("d", None, True)])
    assert (counts.tp, counts.tn, counts.fp, counts.fn, counts.answered) == (1, 1, 1, 1, 2)
    assert metrics(counts)["acc_step"] == 0.5


def test_a_step_counts_only_with_its_verdict_and_a_reason_only_with_its_step() -> None:
    said_correct = item("a", 1, True, 1, True)
    beside = item("b", 1, False, 2, True)
    far = item("c", 1, False, 3, True)
    hit = item("d", 1, False, 1, True)
    on_correct = item("e", None, False, 1, True)
    counts = count([said_correct, beside, far, hit, on_correct])
    assert (counts.step_hits, counts.near_hits, counts.reason_hits) == (1, 2, 1)


def test_an_undecided_reason_counts_as_wrong_and_widens_the_bounds() -> None:
    counts = count([item("a", 1, False, 1, True), item("b", 1, False, 1, None), item("c", 1, False, 1, False)])
    assert metrics(counts)["acc_reason"] == pytest.approx(1 / 3)
    assert reason_bounds(counts) == pytest.approx((1 / 3, 2 / 3))


def test_without_compared_reasons_nothing_is_0() -> None:
    found = group_score([item("a", 1, False, 1), item("b", None, True)], reasons=False)
    assert [found[name] for name in ("mr_score", "acc_reason", "reason_given_step", "reason_bounds")] == [None] * 4
    assert found["undefined"]["mr_score"] == "reasons were not compared"
    assert found["acc_step"] == 1


def test_a_missing_class_is_undefined_not_0() -> None:
    found = group_score([item("a", None, True)])
    assert [found[name] for name in ("acc_step", "acc_reason", "mr_score", "f1", "error_accuracy")] == [None] * 5
    assert found["correct_accuracy"] == 1
    assert found["undefined"]["acc_step"] == "no incorrect solution"
    assert group_score([item("a", 1, False, 1)])["undefined"]["f1"] == "no correct solution"


def test_three_averages_and_the_subjects_left_out_of_them() -> None:
    math_items = [item(f"m{n}", 0, False, 0 if n else 1, False) for n in range(4)] + [item("m9", None, True)]
    biology = [item("b1", 0, False, 1, subject="biology"), item("b2", None, True, subject="biology")]
    history = [item("h1", None, True, subject="history")]
    found = score(math_items + biology + history)
    assert list(found["subjects"]) == ["biology", "history", "math"]
    assert found["macro"]["acc_step"] == pytest.approx((3 / 4 + 0) / 2)
    assert found["item_weighted"]["acc_step"] == pytest.approx((5 * 3 / 4 + 2 * 0) / 7)
    assert found["pooled"]["acc_step"] == pytest.approx(3 / 5)
    assert found["macro"]["without"]["acc_step"] == ["history"]


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.3, 0.6), (-0.2, 0.7, 0.5), (math.nan, 0.5, 0.5)])
def test_weights_are_three_shares_of_1(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        check_weights(weights)


# --- baselines ----------------------------------------------------------------------------------------------------


def test_trivial_judges_by_hand() -> None:
    items = [item("a", 1, None), item("b", 1, None), item("c", 3, None), item("d", None, None), item("e", None, None)]
    final_right = {"a": False, "b": True, "c": False, "d": True, "e": None}
    found = {baseline.name: baseline for baseline in baselines(items, final_right)}
    assert found["always_incorrect"].steps == {"math": 1}
    hits = {name: count(baseline.items) for name, baseline in found.items()}
    # always incorrect names step 1: two of three are hit; the oracle hits a, sees c at the wrong step, knows d
    assert (hits["always_correct"].tp, hits["always_correct"].tn) == (2, 0)
    assert (hits["always_incorrect"].tn, hits["always_incorrect"].step_hits) == (3, 2)
    assert (hits["answer_oracle"].tp, hits["answer_oracle"].tn, hits["answer_oracle"].step_hits) == (1, 2, 1)
    assert hits["answer_oracle"].answered == 4


def test_the_constant_step_is_the_best_of_each_subject() -> None:
    items = [item("a", 2, None), item("b", 0, None), item("c", 4, None, subject="biology")]
    steps = baselines(items, {})[1].steps
    assert steps == {"biology": 4, "math": 0}


def test_no_answer_oracle_without_final_answers() -> None:
    names = [baseline.name for baseline in baselines([item("a", 1, None)], {"a": None})]
    assert names == ["always_correct", "always_incorrect"]


def test_the_answer_oracle_beats_published_judges_on_processbench() -> None:
    """reference/process-benchmarks.md 2.1: right answer -> no error, else always step k: F1 44.4 on the GSM8K part."""
    path = SHARED / "data" / "processbench" / "gsm8k.json"
    if not path.exists():
        pytest.skip("the ProcessBench files are not on this machine")
    items, right = [], {}
    for record in json.loads(path.read_text(encoding="utf-8")):
        gold = None if record["label"] == -1 else record["label"]
        items.append(item(record["id"], gold, None))
        right[record["id"]] = record["final_answer_correct"]
    oracle_judge = baselines(items, right)[-1]
    assert 100 * (metrics(count(oracle_judge.items))["f1"] or 0) == pytest.approx(44.4, abs=0.05)


# --- intervals ----------------------------------------------------------------------------------------------------


def many(hits: int, n: int, each: int = 1, subject: str = "math") -> list[Graded]:
    """n incorrect solutions, the first `hits` with their step found, `each` to a problem; and as many correct ones."""
    wrong = [item(f"w{k}", 0, False, 0 if k < hits else 1, True, subject, f"{subject}{k // each}") for k in range(n)]
    right = [item(f"r{k}", None, True, None, None, subject, f"{subject}{k // each}") for k in range(n)]
    return wrong + right


def test_an_interval_of_a_plain_share_is_the_binomial_one() -> None:
    # 50 of 100: the standard error is 0.05, so 95 % is 0.5 -+ 0.098
    low, high = intervals(many(50, 100), np.random.default_rng(1))["pooled"]["acc_step"]
    assert low == pytest.approx(0.402, abs=0.015)
    assert high == pytest.approx(0.598, abs=0.015)


def test_solutions_of_one_problem_hang_together() -> None:
    # clusters of 4 alike solutions carry a quarter of the information: twice as wide
    alone = intervals(many(48, 96), np.random.default_rng(1))["pooled"]["acc_step"]
    four = intervals(many(48, 96, each=4), np.random.default_rng(1))["pooled"]["acc_step"]
    assert (four[1] - four[0]) / (alone[1] - alone[0]) == pytest.approx(2, abs=0.15)


def test_the_same_seed_gives_the_same_intervals_and_order_of_items_does_not_matter() -> None:
    items = many(30, 60) + many(10, 40, subject="biology")
    first = intervals(items, np.random.default_rng(7))
    assert intervals(items[::-1], np.random.default_rng(7)) == first
    assert intervals(items, np.random.default_rng(8)) != first


def test_the_macro_interval_is_that_of_the_mean_of_subjects() -> None:
    # both subjects 50 of 100: the mean of two independent shares has a standard error of 0.05 / sqrt(2)
    items = many(50, 100) + many(50, 100, subject="biology")
    low, high = intervals(items, np.random.default_rng(1))["macro"]["acc_step"]
    assert high - low == pytest.approx(2 * 1.96 * 0.05 / math.sqrt(2), abs=0.02)


def test_intervals_are_undefined_where_the_metric_is() -> None:
    found = intervals([*many(5, 10), item("x", None, True, subject="one")], np.random.default_rng(1), reasons=False)
    assert found["pooled"]["mr_score"] is None
    assert found["pooled"]["acc_reason"] is None
    assert set(found["subjects"]["one"].values()) == {None}


def test_bounds_are_in_order_and_around_the_score() -> None:
    items = many(30, 60) + many(10, 40, subject="biology")
    found, scored = intervals(items, np.random.default_rng(3)), score(items)
    for name, bounds in found["macro"].items():
        assert all(one <= two for one, two in pairwise((bounds[0], scored["macro"][name], bounds[1]))), name
