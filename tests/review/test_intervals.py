"""Bootstrap intervals against exact enumeration, algebra and published errors.

Left out of oracle 15: scipy's BCa interval of EFRON-LAW (percentile intervals are what the product reports).
"""

import json
from collections.abc import Callable

import numpy as np
import pytest

from review.counting import Counts, Floats
from review.intervals import (
    Interval,
    NoInterval,
    cluster_sums,
    intervals,
    jackknife_error,
    percentile_interval,
    resample,
    units_beside_the_most_common,
)
from review.unit_sums import (
    UnitSums,
    ac1_sums,
    alpha_sums,
    brennan_prediger_sums,
    fleiss_sums,
    pair_sums,
    percent_sums,
    specific_sums,
    unanimous_sums,
)
from tests.review.oracles import counts_of_raters, entry


def mean_of(values: Floats) -> UnitSums:
    return UnitSums(np.column_stack([values, np.ones(len(values))]), lambda sums: sums[:, 0] / sums[:, 1])


def correlation_of(x: Floats, y: Floats) -> UnitSums:
    def value(sums: Floats) -> Floats:
        n, sx, sy, sxx, syy, sxy = sums.T
        return np.asarray((n * sxy - sx * sy) / np.sqrt((n * sxx - sx**2) * (n * syy - sy**2)))

    return UnitSums(np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y]), value)


def test_resamples_follow_the_exact_distribution_of_four_units() -> None:
    example = entry("15_bootstrap", "ENUM-4")
    # A unit that agrees for each 1, a unit that disagrees for the 0.
    counts = np.array([[2, 0] if agrees else [1, 1] for agrees in example["inputs"]])
    (values,) = resample([percent_sums(counts)], np.arange(4), np.random.default_rng(1), 40_000)
    assert values.mean() == pytest.approx(example["published"]["mean"], abs=0.005)
    assert values.std() == pytest.approx(example["published"]["se"], rel=0.03)
    for share, n in example["distribution"].items():
        assert (values == float(share)).mean() == pytest.approx(n / 256, abs=0.01), share


def test_law_school_errors() -> None:
    example = entry("15_bootstrap", "EFRON-LAW")
    lsat, gpa = (np.array(example["inputs"][name], dtype=float) for name in ("LSAT", "GPA"))
    statistic, schools = correlation_of(lsat, gpa), np.arange(15)
    assert statistic.estimate() == pytest.approx(example["published"]["r"], abs=5e-4)
    assert jackknife_error(statistic, schools) == pytest.approx(0.14251861860227247, rel=1e-6)
    (values,) = resample([statistic], schools, np.random.default_rng(2), 20_000)
    assert values.std() == pytest.approx(example["published"]["boot_se"], abs=example["tolerance"])


def test_paired_difference_needs_three_patterns() -> None:
    want = entry("15_bootstrap", "PAIRED-SEED")["recomputed"]["reference"]
    statistic = mean_of(np.repeat([1.0, -1.0, 0.0], [12, 10, 78]))
    assert statistic.estimate() == pytest.approx(want["diff"])
    (values,) = resample([statistic], np.arange(100), np.random.default_rng(3), 20_000)
    assert values.std() == pytest.approx(want["se"], rel=0.03)


@pytest.mark.parametrize("distinct", [False, True], ids=["two patterns", "every unit its own pattern"])
def test_the_error_of_a_mean_is_the_one_of_the_formula(distinct: bool) -> None:
    values = np.linspace(0, 1, 400) if distinct else np.repeat([0.0, 1.0], [100, 300])
    (drawn,) = resample([mean_of(values)], np.arange(400), np.random.default_rng(4), 10_000)
    assert drawn.std() == pytest.approx(values.std() / 20, rel=0.03)
    assert drawn.mean() == pytest.approx(values.mean(), abs=values.std() / 20 / 10)


def test_whole_clusters_are_resampled() -> None:
    # Three equal units per problem carry the information of one: the error is that of 100 units, not of 300.
    values = np.repeat([0.0, 1.0], [150, 150])
    (drawn,) = resample([mean_of(values)], np.arange(300) // 3, np.random.default_rng(5), 10_000)
    assert drawn.std() == pytest.approx(0.5 / 10, rel=0.03)
    assert jackknife_error(mean_of(values), np.arange(300) // 3) == pytest.approx(0.5 / np.sqrt(99))


def test_clusters_are_found_in_any_order() -> None:
    terms = np.array([[1.0], [2.0], [4.0], [8.0]])
    assert cluster_sums(terms, np.array([7, 3, 7, 3])).tolist() == [[10.0], [5.0]]


def test_jackknife_error_of_alpha_on_hayes_and_krippendorff() -> None:
    example = entry("01_krippendorff_alpha_more", "HK2007")
    counts = counts_of_raters(example["data"], example["values"])
    # .0671 by linearisation, .0676 by irrCAC, .0680 by bootstrap.
    assert jackknife_error(alpha_sums(counts), np.arange(40)) == pytest.approx(0.0676, abs=6e-4)


def test_resampled_coefficients_are_those_of_the_resampled_units() -> None:
    rng = np.random.default_rng(6)
    counts = np.array([rng.multinomial(m, [0.5, 0.3, 0.2]) for m in rng.integers(0, 5, size=30)])
    places = rng.integers(3, 9, size=30)
    drawn = rng.integers(30, size=30)
    makers: dict[str, Callable[[Counts], UnitSums]] = {
        "percent": lambda rows: percent_sums(counts[rows]),
        "pairs": lambda rows: pair_sums(counts[rows]),
        "unanimous": lambda rows: unanimous_sums(counts[rows]),
        "specific": lambda rows: specific_sums(counts[rows], 1),
        "ac1": lambda rows: ac1_sums(counts[rows], 3),
        "fleiss": lambda rows: fleiss_sums(counts[rows]),
        "brennan-prediger": lambda rows: brennan_prediger_sums(counts[rows], places[rows]),
        "nominal": lambda rows: alpha_sums(counts[rows]),
        "ordinal": lambda rows: alpha_sums(counts[rows], "ordinal"),
        "interval": lambda rows: alpha_sums(counts[rows], "interval", [1, 2, 5]),
    }
    weights = np.bincount(drawn, minlength=30)[None, :].astype(float)
    for name, sums_of in makers.items():
        everything = sums_of(np.arange(30))
        assert everything.value(weights @ everything.terms)[0] == pytest.approx(sums_of(drawn).estimate()), name


def test_figures_of_one_call_share_their_resamples() -> None:
    counts = np.array([[2, 0]] * 30 + [[1, 1]] * 12 + [[0, 2]] * 18)
    percent, twice = resample([percent_sums(counts)] * 2, np.arange(60), np.random.default_rng(7), 100)
    assert (percent == twice).all()


def test_the_same_seed_gives_the_same_interval() -> None:
    counts = np.array([[2, 0]] * 30 + [[1, 1]] * 12 + [[0, 2]] * 18)

    def run(seed: int) -> Interval:
        rng = np.random.default_rng(seed)
        return intervals([alpha_sums(counts)], counts, np.arange(60), rng, resamples=500)[0]

    assert run(8) == run(8)
    assert run(8) != run(9)


def test_interval_of_percent_agreement_is_near_the_normal_one() -> None:
    counts = np.array([[2, 0]] * 400 + [[1, 1]] * 200 + [[0, 2]] * 400)
    (found,) = intervals([percent_sums(counts)], counts, np.arange(1000), np.random.default_rng(10))
    half = 1.96 * np.sqrt(0.8 * 0.2 / 1000)
    assert [found.low, found.high] == pytest.approx([0.8 - half, 0.8 + half], abs=0.002)
    assert (found.level, found.resamples, found.undefined_share, found.missing) == (0.95, 10_000, 0.0, "")


def test_the_rarer_value_is_counted_in_units() -> None:
    # The unit with one label does not count; a unit counts once, whatever it holds of other values.
    assert units_beside_the_most_common(np.array([[3, 0, 0], [1, 1, 1], [0, 2, 0], [0, 0, 1]])) == 2
    assert units_beside_the_most_common(np.zeros((0, 2), dtype=np.int64)) == 0
    assert units_beside_the_most_common(np.zeros((3, 0), dtype=np.int64)) == 0


@pytest.mark.parametrize(("rarer", "given"), [(9, False), (10, True)])
def test_no_interval_below_ten_units_with_the_rarer_value(rarer: int, given: bool) -> None:
    counts = np.array([[2, 0]] * 80 + [[1, 1]] * rarer)
    (found,) = intervals([alpha_sums(counts)], counts, np.arange(len(counts)), np.random.default_rng(11), resamples=50)
    assert (found.low is not None) is given
    assert (found.missing == NoInterval.TOO_FEW) is not given


def test_no_interval_from_one_problem_nor_for_an_undefined_figure() -> None:
    counts = np.array([[1, 1]] * 20 + [[0, 2]] * 20)
    rng = np.random.default_rng(12)
    (one,) = intervals([alpha_sums(counts)], counts, np.zeros(40, dtype=int), rng, resamples=50)
    assert one.missing == NoInterval.ONE_CLUSTER
    wider = np.column_stack([counts, np.zeros(40, dtype=int)])
    found = intervals([specific_sums(wider, 2), alpha_sums(wider)], wider, np.arange(40), rng, resamples=50)
    assert [each.missing for each in found] == [NoInterval.NO_VALUE, ""]


@pytest.mark.parametrize(("undefined", "given"), [(5, True), (6, False)])
def test_no_interval_above_five_percent_undefined_resamples(undefined: int, given: bool) -> None:
    found = percentile_interval(np.concatenate([np.full(undefined, np.nan), np.linspace(0, 1, 100 - undefined)]))
    assert (found.low is not None) is given
    assert found.undefined_share == pytest.approx(undefined / 100)
    assert (found.missing == NoInterval.UNDEFINED_RESAMPLES) is not given
    assert json.dumps(found.as_dict(), allow_nan=False)
