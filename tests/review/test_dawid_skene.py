"""Dawid-Skene against a second implementation, and on ten annotators of real data.

The published fit of the 1979 data is not among the examples at hand.
"""

import csv

import numpy as np
import pytest

from review.counting import winners
from review.dawid_skene import adjudication_order, fit
from tests.review.oracles import entry, shared


def test_fit_of_forty_items() -> None:
    example = entry("05_dawid_skene", "DS-OWN-40")
    votes = {
        unit: {f"a{who}": value for who, value in enumerate(row) if value is not None}
        for unit, row in enumerate(example["labels"])
    }
    want, model = example["recomputed"]["reference"], fit(votes, smoothed=False)
    order = [model.values.index(value) for value in range(3)]
    assert model.prior[order] == pytest.approx(want["p"], abs=example["tolerance"])
    assert model.log_likelihood == pytest.approx(want["loglik"], abs=example["tolerance"])
    assert model.posterior[:, order].argmax(axis=1).tolist() == want["argmax"]
    assert model.posterior.max(axis=1) == pytest.approx(want["posterior_max"], abs=example["tolerance"])
    # From the ninth on, posteriors are 1 to ten digits and their order is rounding.
    assert model.by_uncertainty()[:8] == want["adjudication_order_by_entropy"][:8]


def test_smoothing_by_hand() -> None:
    # One unit, one annotator, two values known: the prior is the vote; a cell has .5, the diagonal 1, then the label.
    model = fit({1: {"a": "x"}, 2: {"a": "y"}}, smoothed=True, max_iterations=1)
    assert model.confusion[0] == pytest.approx(np.array([[2 / 2.5, 0.5 / 2.5], [0.5 / 2.5, 2 / 2.5]]))
    assert model.posterior[0] == pytest.approx([0.8, 0.2])


def test_a_disputed_item_comes_before_agreed_ones_and_an_unlabelled_one_stays_out() -> None:
    votes: dict[int | str, dict[str, bool]] = {
        unit: {"a": unit % 2 == 0, "b": unit % 2 == 0, "c": unit % 2 == 0} for unit in range(20)
    }
    votes |= {"disputed": {"a": True, "b": False}, "empty": {}}
    order = adjudication_order(votes)
    assert order[0] == "disputed"
    assert set(order) == set(votes) - {"empty"}
    assert adjudication_order({}) == []
    with pytest.raises(ValueError, match="no label"):
        fit({"empty": {}}, smoothed=True)


@pytest.mark.parametrize(
    ("name", "right", "ties", "units"), [("rte", 685, 65, 800), ("temp", 424, 17, 462), ("wsd", 176, None, 177)]
)
def test_ten_annotators_of_snow_2008(name: str, right: int, ties: int | None, units: int) -> None:
    votes: dict[str, dict[str, str]] = {}
    gold = {}
    with shared("data", "snow2008", f"{name}.standardized.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            votes.setdefault(row["orig_id"], {})[row["!amt_worker_ids"]] = row["response"]
            gold[row["orig_id"]] = row["gold"]
    majorities = {unit: winners(given.values()) for unit, given in votes.items()}
    tied = [unit for unit, best in majorities.items() if len(best) > 1]
    assert len(votes) == units
    assert sum(best == [gold[unit]] for unit, best in majorities.items()) == right
    assert ties is None or len(tied) == ties
    # With annotators of very different care the model is right at least as often as a majority with a coin for ties.
    model = fit(votes, smoothed=False)
    best = [model.values[column] for column in model.posterior.argmax(axis=1)]
    correct = sum(value == gold[unit] for unit, value in zip(model.units, best, strict=True))
    assert correct >= right + len(tied) / 2
