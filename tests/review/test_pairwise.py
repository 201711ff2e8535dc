"""Annotators in pairs, against the others and by their influence."""

import csv
import json
from itertools import combinations

import pytest
from sklearn.metrics import cohen_kappa_score

from review.coefficients import Undefined
from review.counting import answers_of
from review.pairwise import HIDDEN, against_others, influence, pairs, step_confusion
from tests.review.oracles import shared

Steps = dict[int, dict[str, int | None]]


def test_pairs_by_hand() -> None:
    # 20 both yes, 5 and 10 apart, 15 both no: kappa .4 (Cohen's example), agreement .7.
    cells = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    votes = {unit: {"a": first, "b": second} for unit, (first, second) in enumerate(cells)}
    (pair,) = pairs(answers_of(votes))
    assert (pair.first, pair.second, pair.n_common) == ("a", "b", 50)
    assert pair.percent.value == pytest.approx(0.7)
    assert pair.kappa.value == pytest.approx(0.4)
    assert json.dumps(pair.as_dict(), allow_nan=False)


@pytest.mark.parametrize(("n", "hidden"), [(19, True), (20, False)])
def test_pairs_below_twenty_common_units_are_hidden(n: int, hidden: bool) -> None:
    votes = {unit: {2: unit % 2, 10: 0} for unit in range(n)} | {unit: {2: 1} for unit in range(100, 150)}
    (pair,) = pairs(answers_of(votes))
    assert (pair.first, pair.second, pair.n_common) == (2, 10, n)
    assert (pair.percent.undefined == HIDDEN) is hidden
    assert (pair.kappa.value is None) is hidden


def test_kappa_of_a_pair_with_one_value_is_undefined() -> None:
    (pair,) = pairs(answers_of({unit: {"a": 1, "b": 1} for unit in range(30)}))
    assert (pair.percent.value, pair.kappa.value, pair.kappa.undefined) == (1.0, None, Undefined.ONE_VALUE)


def test_pairs_of_snow_2008_equal_scikit_learn() -> None:
    votes: dict[str, dict[str, str]] = {}
    with shared("data", "snow2008", "rte.standardized.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            votes.setdefault(row["orig_id"], {})[row["!amt_worker_ids"]] = row["response"]
    found = {(pair.first, pair.second): pair for pair in pairs(answers_of(votes))}
    workers = sorted({worker for given in votes.values() for worker in given})
    assert len(workers) == 164
    shown = 0
    for first, second in combinations(workers, 2):
        both = [(given[first], given[second]) for given in votes.values() if first in given and second in given]
        assert len(both) == (found[first, second].n_common if both else 0)
        if len(both) >= 20:
            kappa = cohen_kappa_score(*zip(*both, strict=True))
            assert found[first, second].kappa.value == pytest.approx(kappa, nan_ok=True)
            shown += 1
    assert shown > 100


def test_an_annotator_meets_the_majority_of_the_others() -> None:
    votes: Steps = {
        1: {"a": 2, "b": 2, "c": 2},
        2: {"a": 1, "b": 3, "c": 3},
        3: {"a": None, "b": None, "c": 4},  # the others of a tie, and so do those of b
        4: {"a": None, "b": 0, "c": 0},
        5: {"a": 3},
        6: {"a": 4, "b": 2},
    }
    a, b, _c = against_others(answers_of(votes))
    assert (a.annotator, a.n_units, a.n_ties, a.n_agreed) == ("a", 4, 1, 1)
    assert a.share == pytest.approx(1 / 4)
    # Wilson: (x + z^2/2 +- z sqrt(x(n-x)/n + z^2/4)) / (n + z^2), z = 1.96, x = 1, n = 4.
    assert [a.low, a.high] == pytest.approx([0.0456, 0.6994], abs=5e-4)
    assert a.confusion == {(2, 2): 1, (1, 3): 1, (None, 0): 1, (4, 2): 1}
    # Steps on both sides: 2-2, 1-3 and 4-2, so 0, -2 and +2 steps.
    assert a.shift == pytest.approx(0)
    # Items 1 and 6 have a majority without b; in 2, 3 and 4 the others tie.
    assert (b.n_units, b.n_ties, b.n_agreed) == (2, 3, 1)
    assert b.shift == pytest.approx(-1)


def test_an_annotator_without_company_has_no_share() -> None:
    (alone,) = against_others(answers_of({1: {"a": True}, 2: {"a": False}}))
    assert (alone.n_units, alone.share, alone.low, alone.high, alone.shift) == (0, None, None, None, None)


def test_verdicts_have_no_shift_in_steps() -> None:
    first, _second = against_others(answers_of({1: {"a": True, "b": False}}))
    assert (first.confusion, first.shift) == ({(True, False): 1}, None)


def test_step_confusion_counts_pairs_in_a_fixed_order() -> None:
    votes: Steps = {1: {"a": 3, "b": 2, "c": 3}, 2: {"a": None, "b": 10}, 3: {"a": 2, "b": 3}}
    assert step_confusion(answers_of(votes)) == {(2, 3): 3, (3, 3): 1, (10, None): 1}


def test_a_contrary_annotator_stands_out() -> None:
    votes = {
        unit: {"a": unit % 2, "b": unit % 2 if unit % 10 else 1 - unit % 2, "c": (unit // 2) % 2} for unit in range(80)
    }
    found = {each.annotator: each for each in influence(answers_of(votes))}
    assert {name for name, each in found.items() if each.stands_out} == {"c"}
    # Without c: a and b differ on 8 of 80 units; 160 labels, b turns 8 even units to 1: 72 zeros and 88 ones.
    # 1 - (16/160) / (2 * 72 * 88 / (160 * 159)) = 1 - .1 / .498113.
    assert found["c"].without.value == pytest.approx(1 - 0.1 / (2 * 72 * 88 / (160 * 159)))


def test_influence_without_a_partner_is_undefined() -> None:
    for each in influence(answers_of({unit: {"a": unit % 2, "b": 1} for unit in range(30)})):
        assert (each.without.value, each.change, each.stands_out) == (None, None, False)
