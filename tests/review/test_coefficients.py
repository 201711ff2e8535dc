"""Coefficients against published values, real data and their undefined cases.

Left out of the oracles: COHEN1968's weighted kappa and GWET-raw4raters' Conger kappa (the product reports neither);
the cases of KRIPPENDORFF-0.9.0-EDGE on strings, None and dtype (labels arrive here as counts); the closed-form errors
of GWET-distrib6 (intervals are resampled).
"""

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from review import coefficients
from review.coefficients import (
    Coefficient,
    Undefined,
    brennan_prediger,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    jaccard_distance,
    krippendorff_alpha,
    masi_distance,
    pair_agreement,
    percent_agreement,
    set_distances,
    specific_agreement,
    unanimous_share,
    within_one,
    within_one_agreement,
)
from review.unit_sums import Level
from tests.review.oracles import counts_of_raters, counts_of_table, entries, entry, shared

Counts = npt.NDArray[np.int64]
NOT_REPORTED = {"conger_kappa", "weighted_kappa", "ac1_se", "fleiss_se"}
OF_VALUES: dict[str, Level] = {"interval": "interval", "ratio": "ratio"}
OF_COUNTS: dict[str, Callable[[Counts], Coefficient]] = {
    "nominal": krippendorff_alpha,
    "alpha": krippendorff_alpha,
    "alpha_nominal": krippendorff_alpha,
    "ordinal": lambda counts: krippendorff_alpha(counts, "ordinal"),
    "percent_agreement": percent_agreement,
    "fleiss_kappa": fleiss_kappa,
    "scott_pi": fleiss_kappa,  # the same chance agreement, two raters
    "gwet_ac1": gwet_ac1,
    "brennan_prediger": lambda counts: brennan_prediger(counts, counts.shape[1]),
}


def expected(example: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Name, value and tolerance: what was published, and the digits two or more implementations agree on."""
    published = [(name, value, example["tolerance"]) for name, value in example["published"].items()]
    digits = [(name, value, 1e-9) for name, value in example["recomputed"]["reference"].items()]
    return [each for each in published + digits if each[0] not in NOT_REPORTED]


def value_of(counts: Counts, name: str, values: Sequence[Any]) -> float | None:
    if name in OF_VALUES:
        return krippendorff_alpha(counts, OF_VALUES[name], values=values).value
    return OF_COUNTS[name](counts).value


@pytest.mark.parametrize(
    "example",
    entries("01_krippendorff_alpha", "01_krippendorff_alpha_more", leaving_out=["KRIPPENDORFF-0.9.0-EDGE"]),
)
def test_alpha_of_published_ratings(example: dict[str, Any]) -> None:
    counts = counts_of_raters(example["data"], example["values"])
    for name, value, tolerance in expected(example):
        assert value_of(counts, name, example["values"]) == pytest.approx(value, abs=tolerance), name


@pytest.mark.parametrize("example", entries("02_fleiss_kappa"))
def test_fleiss_kappa_of_published_counts(example: dict[str, Any]) -> None:
    for name, value, tolerance in expected(example):
        assert value_of(np.array(example["counts"]), name, ()) == pytest.approx(value, abs=tolerance), name


def kappa_of_table(table: Sequence[Sequence[float]]) -> float | None:
    cells = [(i, j) for i, line in enumerate(table) for j, n in enumerate(line) for _ in range(round(n))]
    return cohen_kappa([first for first, _ in cells], [second for _, second in cells]).value


@pytest.mark.parametrize("example", entries("03_cohen_kappa"))
def test_cohen_kappa_of_published_tables(example: dict[str, Any]) -> None:
    # Cohen's table of 1968 holds proportions of two decimals.
    whole = [[n if n >= 1 else 100 * n for n in line] for line in example["table"]]
    for name, value, tolerance in expected(example):
        found = kappa_of_table(whole) if name == "kappa" else percent_agreement(counts_of_table(whole)).value
        assert found == pytest.approx(value, abs=tolerance), name


@pytest.mark.parametrize("example", entries("04_gwet_and_paradox"))
def test_gwet_and_the_prevalence_paradox(example: dict[str, Any]) -> None:
    if "data_ref" in example:
        ratings = entry(*example["data_ref"].replace(".json", "").split("#"))
        counts = counts_of_raters(ratings["data"], ratings["values"])
    else:
        counts = np.array(example["counts"]) if "counts" in example else counts_of_table(example["table"])
    named = dict(example["recomputed"].get("R irrCAC", {}))
    more = [(name, value, example["tolerance"]) for name, value in named.items() if name not in NOT_REPORTED]
    for name, value, tolerance in expected(example) + more:
        found = kappa_of_table(example["table"]) if name == "kappa" else value_of(counts, name, ())
        assert found == pytest.approx(value, abs=tolerance), name


@pytest.mark.parametrize("example", entries("13_masi"))
def test_masi_distance(example: dict[str, Any]) -> None:
    found = masi_distance(example["inputs"]["a"], example["inputs"]["b"])
    assert found == pytest.approx(example["recomputed"]["reference"]["masi"], abs=1e-12)


def test_jaccard_distance_by_hand() -> None:
    assert jaccard_distance({1, 2}, {1, 3}) == pytest.approx(2 / 3)
    assert jaccard_distance(set(), set()) == 0.0
    assert jaccard_distance(set(), {1}) == 1.0
    assert masi_distance(set(), {1}) == 1.0


def test_alpha_with_masi_distances_by_hand() -> None:
    # Units {1}-{1,2}, {1}-{1}, {1,2}-{1,2}; the distance of {1} and {1,2} is 1 - 1/2 * 2/3 = 2/3.
    # Observed: one pair of three, (2 * 2/3) / 6 = 2/9. Expected: 2 * 3 * 3 * 2/3 / (6 * 5) = 2/5. Alpha: 1 - 5/9.
    distances = set_distances([{1}, {1, 2}], masi_distance)
    assert krippendorff_alpha([[1, 1], [2, 0], [0, 2]], distances=distances).value == pytest.approx(4 / 9)
    # A value nobody used changes nothing.
    wider = set_distances([{1}, {9}, {1, 2}], masi_distance)
    assert krippendorff_alpha([[1, 0, 1], [2, 0, 0], [0, 0, 2]], distances=wider).value == pytest.approx(4 / 9)


def test_step_agreement_with_a_number_of_places_per_item() -> None:
    data = json.loads(shared("oracles", "23_step_agreement.json").read_text())
    counts = counts_of_raters(list(zip(*data["labels"], strict=True)), range(11))
    places = np.array(data["n_steps"]) + 1
    want = data["expected"]
    assert brennan_prediger(counts, places).value == pytest.approx(want["brennan_prediger_varying_k"], abs=1e-12)
    shares = [
        [None if s is None else 1.0 if s == 0 else (s - 1) / n for s in row]
        for row, n in zip(data["labels"], data["n_steps"], strict=True)
    ]
    values = sorted({share for row in shares for share in row if share is not None})
    prefix = counts_of_raters(list(zip(*shares, strict=True)), values)
    alpha = krippendorff_alpha(prefix, "interval", values=values)
    assert alpha.value == pytest.approx(want["alpha_prefix_interval"], abs=1e-12)


def test_specific_agreement_by_hand() -> None:
    # Two annotators: a = 40 both, b + c = 15, d = 45. Positive 2*40/(2*40+15), negative 2*45/(2*45+15).
    counts = [[2, 0]] * 45 + [[1, 1]] * 15 + [[0, 2]] * 40
    assert specific_agreement(counts, 1).value == pytest.approx(80 / 95)
    assert specific_agreement(counts, 0).value == pytest.approx(90 / 105)


def test_percent_averages_units_and_pairs_average_pairs() -> None:
    # First unit: 1 of 3 pairs agrees. Second: the one pair agrees. Third has one label and never enters.
    counts = [[2, 1], [0, 2], [1, 0]]
    percent = percent_agreement(counts)
    assert percent.value == pytest.approx(2 / 3)
    assert (percent.n_units, percent.n_labels) == (2, 5)
    assert pair_agreement(counts).value == pytest.approx(2 / 4)
    assert unanimous_share(counts).value == pytest.approx(1 / 2)


def test_within_one_keeps_no_error_apart_from_the_first_step() -> None:
    # Columns: step 0, step 1, step 2, no error. Pairs: 0-1 near, 0-2 far, 0-none far, none-none same.
    counts = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 2]]
    assert within_one_agreement(counts, [0, 1, 2, None]).value == pytest.approx(2 / 4)
    # Columns can leave steps out: 0 and 5 are neighbours in the table only.
    assert not within_one([0, 5])[0, 1]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (percent_agreement([[1, 0], [0, 1]]), Undefined.NO_PAIR),
        (percent_agreement(np.zeros((0, 2))), Undefined.NO_PAIR),
        (krippendorff_alpha([[1, 0], [0, 1]]), Undefined.NO_PAIR),
        (krippendorff_alpha(np.zeros((0, 0))), Undefined.NO_PAIR),
        (krippendorff_alpha([[2, 0], [3, 0]]), Undefined.ONE_VALUE),
        (krippendorff_alpha([[2], [3]]), Undefined.ONE_VALUE),
        (krippendorff_alpha([[2, 0], [0, 1]]), Undefined.ONE_VALUE),
        (krippendorff_alpha([[1, 1]], distances=np.zeros((2, 2))), Undefined.ONE_VALUE),
        (fleiss_kappa([[2, 0], [2, 0]]), Undefined.ONE_VALUE),
        (gwet_ac1([[2], [2]]), Undefined.ONE_CATEGORY),
        (brennan_prediger([[2], [2]], 1), Undefined.ONE_PLACE),
        (specific_agreement([[2, 0], [2, 0]], 1), Undefined.VALUE_UNUSED),
        (cohen_kappa([], []), Undefined.NO_COMMON),
        (cohen_kappa(["x", "x"], ["x", "x"]), Undefined.ONE_VALUE),
    ],
)
def test_undefined_has_no_value_but_a_reason(found: Coefficient, reason: str) -> None:
    assert (found.value, found.undefined) == (None, reason)
    assert json.dumps(found.as_dict(), allow_nan=False)


def test_ac1_is_defined_where_alpha_is_not() -> None:
    # All labels alike: chance agreement of AC1 is 0, so AC1 is 1.
    assert gwet_ac1([[2, 0], [3, 0]]).value == 1.0


def test_ac1_counts_the_categories_of_the_scheme() -> None:
    # pa = 1/2, shares 3/4 and 1/4, sum p(1-p) = 3/8. Two categories: (1/2-3/8)/(5/8); four: chance 1/8, (3/8)/(7/8).
    counts = [[2, 0], [1, 1]]
    assert gwet_ac1(counts).value == pytest.approx(1 / 5)
    assert gwet_ac1(counts, 4).value == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: krippendorff_alpha([[1, 1]], cast(Level, "nominall")), "nominall"),
        (lambda: krippendorff_alpha([[1, 1]], "ratio", values=[-1, 1]), "opposite values"),
        (lambda: krippendorff_alpha([[1, 1]], "interval", values=[1]), "2 columns of counts, but 1 values"),
        (lambda: percent_agreement([1, 2]), "two axes"),
        (lambda: percent_agreement([[0.5, 1]]), "whole numbers"),
        (lambda: percent_agreement([[-1, 1]]), "none below zero"),
        (lambda: gwet_ac1([[1, 1, 1]], 2), "3 categories are used, but the scheme has 2"),
        (lambda: brennan_prediger([[2, 0], [1, 1]], [2, 1]), "Unit 1 has 1 places"),
        (lambda: cohen_kappa([1], [1, 2]), "1 and 2 labels"),
    ],
)
def test_impossible_input_is_refused(call: Callable[[], Coefficient], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_large_tables_take_the_sums_and_give_the_same_alpha(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    counts = np.array([rng.multinomial(m, [0.4, 0.1, 0.3, 0.2]) for m in rng.integers(0, 5, size=60)])
    by_package = krippendorff_alpha(counts, level, values=[1, 2, 4, 9])
    monkeypatch.setattr(coefficients, "PACKAGE_CELLS", 0)
    assert krippendorff_alpha(counts, level, values=[1, 2, 4, 9]).value == pytest.approx(by_package.value, abs=1e-12)


def test_fleiss_kappa_equals_statsmodels_where_that_is_defined() -> None:
    counts = np.random.default_rng(2).multinomial(4, [0.5, 0.3, 0.2], size=50)
    assert fleiss_kappa(counts).value == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "fleiss", "alpha"), [("rte", 0.2414, 0.2415), ("temp", 0.2232, 0.2234), ("wsd", 0.9372, 0.9372)]
)
def test_ten_annotators_of_snow_2008(name: str, fleiss: float, alpha: float) -> None:
    with shared("data", "snow2008", f"{name}.standardized.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    values = sorted({row["response"] for row in rows})
    units: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        units[row["orig_id"]].append(row["response"])
    counts = np.array([[given.count(value) for value in values] for given in units.values()])
    assert fleiss_kappa(counts).value == pytest.approx(fleiss, abs=5e-5)
    assert krippendorff_alpha(counts).value == pytest.approx(alpha, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "first_rater", "alpha"),
    [
        ("cac.raw4raters", "Rater1", 0.743),
        # Gerry's tenth rating is missing here. By hand, 22 labels (4, 6, 6, 4, 2), 3 of 11 units differ:
        # 1 - (6/22) / ((484 - 108) / (22 * 21)) = 1 - 126/376.
        ("cac.ben.gerry", "Ben", 1 - 126 / 376),
        ("cac.raw5obser", "Observer1", 0.4805),
    ],
)
def test_raw_ratings_of_irrcac(name: str, first_rater: str, alpha: float) -> None:
    with shared("data", "irrcac", f"{name}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    ratings = [[cell or None for cell in row[rows[0].index(first_rater) :]] for row in rows[1:]]
    values = sorted({cell for row in ratings for cell in row if cell is not None})
    counts = counts_of_raters(list(zip(*ratings, strict=True)), values)
    assert krippendorff_alpha(counts).value == pytest.approx(alpha, abs=5.01e-4)


def test_six_raters_of_irrcac() -> None:
    with shared("data", "irrcac", "distrib.6raters.csv").open(encoding="utf-8") as lines:
        counts = np.array([[int(cell) for cell in row[1:]] for row in list(csv.reader(lines))[1:]])
    published = {"gwet_ac1": 0.44480, "fleiss_kappa": 0.41393, "alpha": 0.42044, "brennan_prediger": 0.43889}
    for name, value in published.items():
        assert value_of(counts, name, ()) == pytest.approx(value, abs=1e-5), name


def test_repeated_labels_of_stepverify() -> None:
    rows = json.loads(shared("data", "stepverify", "dataset.json").read_text(encoding="utf-8"))
    solutions: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        solutions[row["problem"], *row["student_incorrect_solution"]].append(row)
    repeated = [given for given in solutions.values() if len(given) > 1]
    steps = range(1 + max(row["incorrect_index"] for row in rows))
    step_counts = np.array([[[r["incorrect_index"] for r in given].count(s) for s in steps] for given in repeated])
    names = sorted({row["error_category"] for row in rows})
    category_counts = np.array([[[r["error_category"] for r in given].count(n) for n in names] for given in repeated])
    found = [
        unanimous_share(step_counts),
        pair_agreement(step_counts),
        pair_agreement(step_counts, within_one(steps)),
        krippendorff_alpha(step_counts),
        krippendorff_alpha(step_counts, "interval"),
        pair_agreement(category_counts),
        krippendorff_alpha(category_counts),
    ]
    assert {(each.n_units, each.n_labels) for each in found} == {(235, 625)}
    assert [each.value for each in found] == pytest.approx([0.528, 0.601, 0.867, 0.496, 0.670, 0.302, 0.154], abs=5e-4)
