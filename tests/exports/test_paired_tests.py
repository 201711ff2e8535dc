"""McNemar, Tango, power, multiple tests and split gaps against published values."""

import pytest

from exports.paired_tests import (
    benjamini_hochberg,
    holm,
    items_needed,
    mcnemar,
    smallest_difference,
    tango_interval,
)
from exports.split_gap import gap_interval, smallest_gap
from tests.review.oracles import entry, oracle

MCNEMAR, POWER = "10_mcnemar_paired", "17_power_sample_size"


def test_exact_mcnemar_of_published_tables() -> None:
    eleven = entry(MCNEMAR, "MLXTEND-A")
    test = mcnemar(11, 1)
    assert test.p_exact == pytest.approx(eleven["published"]["p_exact"], abs=1e-9)
    assert test.p_mid == pytest.approx(eleven["recomputed"]["R"]["p_mid"], abs=1e-12)
    approval = entry(MCNEMAR, "R-mcnemar-pm")["recomputed"]
    test = mcnemar(86, 150)
    assert test.p_exact == pytest.approx(approval["R"]["p_exact"], rel=1e-6)
    assert test.p_mid == pytest.approx(approval["reference"]["p_mid"], rel=1e-6)


def test_two_points_from_twelve_and_ten_flips_mean_nothing() -> None:
    # reference/statistics.md 3.4: +2 of 100 from 12 repaired and 10 broken
    assert mcnemar(12, 10).p_exact == pytest.approx(0.832, abs=0.0005)
    low, high = tango_interval(12, 10, 100)
    assert [100 * low, 100 * high] == pytest.approx([-7.5, 11.6], abs=0.05)


def test_equal_flips_or_none_are_no_evidence() -> None:
    for flips in (0, 1, 7):
        test = mcnemar(flips, flips)
        assert [test.p_exact, test.p_mid] == pytest.approx([1, 1])


def test_tango_s_interval_of_published_tables() -> None:
    expected = entry(MCNEMAR, "MLXTEND-A")["recomputed"]["reference"]["tango95"]
    assert list(tango_interval(11, 1, 10_000)) == pytest.approx(expected, abs=1e-8)
    published = entry(MCNEMAR, "AGRESTI-PAIRED-CI")["recomputed"]["R PropCIs"]
    found = tango_interval(150, 86, 1600)
    assert list(found) == pytest.approx([published["tango_lo"], published["tango_hi"]], abs=1e-6)


@pytest.mark.parametrize(("repaired", "broken", "n"), [(0, 0, 5), (5, 0, 5), (0, 5, 5), (1, 0, 1), (3, 3, 6)])
def test_tango_s_interval_at_the_edges_holds_the_estimate_and_mirrors(repaired: int, broken: int, n: int) -> None:
    low, high = tango_interval(repaired, broken, n)
    assert -1 <= low <= (repaired - broken) / n <= high <= 1
    assert low < high
    assert list(tango_interval(broken, repaired, n)) == pytest.approx([-high, -low])


def test_items_needed_as_r_and_miller_have_it() -> None:
    for name in ("MESS-0.125-0.9", "MESS-0.1-0.8"):
        published = entry(POWER, name)
        asked = published["inputs"]
        needed = items_needed(asked["diff"], asked["discordance"], power=asked["power"])
        assert needed == pytest.approx(published["recomputed"]["R MESS"]["n"], abs=published["tolerance"])
    miller = entry(POWER, "MILLER-969")
    # Miller gives the variance of the paired difference, psi - d^2 = 1/9; the null keeps the same variance there
    discordance = miller["inputs"]["omega2"] + miller["inputs"]["delta"] ** 2
    assert items_needed(0.03, discordance) == pytest.approx(miller["published"]["n"], abs=6)


def test_the_table_of_sample_sizes_and_of_smallest_differences() -> None:
    table = entry(POWER, "SAMPLE-SIZE-TABLE")
    for discordance, row in table["n_items_by_discordance_then_diff_points"].items():
        for points, n in row.items():
            assert items_needed(int(points) / 100, float(discordance)) == pytest.approx(n, abs=1), (discordance, points)
    for n, row in table["minimum_detectable_diff_points_by_n_then_discordance"].items():
        for discordance, points in row.items():
            found = smallest_difference(int(n), float(discordance))
            # the table leaves d^2 out of the spread, which matters where n is small
            assert 100 * (found or 0) == pytest.approx(points, rel=0.02), (n, discordance)


def test_what_no_number_of_flips_could_show_has_no_smallest_difference() -> None:
    assert smallest_difference(1000, 0.0) is None
    assert smallest_difference(10, 0.1) is None
    with pytest.raises(ValueError, match="difference"):
        items_needed(0.2, 0.1)


def test_holm_and_bh_as_published() -> None:
    published = oracle("14_multiple_comparisons")["entries"][0]
    assert holm(published["inputs"]) == pytest.approx(published["adjusted"]["holm"])
    found = benjamini_hochberg(published["inputs"])
    assert found == pytest.approx(published["adjusted"]["bh"])
    assert sum(q <= 0.05 for q in found if q is not None) == published["published"]["bh_rejections"]


def test_what_was_not_tested_is_not_counted_among_the_tests() -> None:
    assert holm([0.02, None, 0.03]) == [pytest.approx(0.04), None, pytest.approx(0.04)]
    assert holm([None]) == [None]


def test_the_gap_of_two_halves_as_published() -> None:
    published = entry("11_proportion_intervals", "NEWCOMBE98-diff")["published"]
    gap, interval = gap_interval(56, 70, 48, 80)
    assert gap == pytest.approx(0.2)
    assert list(interval) == pytest.approx([published["lo"], published["hi"]], abs=6e-5)
    table = entry(POWER, "PUBLIC-PRIVATE-MDE")["recomputed"]["reference"]
    for sizes, points in table.items():
        n_public, n_private = map(int, sizes.split("/"))
        assert 100 * smallest_gap(n_public, n_private) == pytest.approx(points, abs=0.01), sizes
