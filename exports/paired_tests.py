"""Tests of two judges on the same items: exact McNemar, Tango's interval, power, and many tests at once.

scipy and statsmodels take seconds to load and are imported where they are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist

ALPHA, POWER = 0.05, 0.80


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two-sided p of "repaired and broken are equally likely": exact, and mid-p (less conservative)."""

    p_exact: float
    p_mid: float


def mcnemar(repaired: int, broken: int) -> McNemar:
    """Exact McNemar of items that only one of two judges got right; 1 when there are none.

    mid-p counts the observed split by half (Fagerland, Lydersen and Laake 2013). Both take items as independent.
    """
    tables, stats = import_module("statsmodels.stats.contingency_tables"), import_module("scipy.stats")
    exact = float(tables.mcnemar([[0, broken], [repaired, 0]], exact=True).pvalue)
    fewer, both = min(repaired, broken), repaired + broken
    middle = 2 * (stats.binom.cdf(fewer, both, 0.5) - 0.5 * stats.binom.pmf(fewer, both, 0.5))
    return McNemar(min(exact, 1.0), min(float(middle), 1.0))


def tango_interval(repaired: int, broken: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Score interval of the difference (repaired - broken) / n, a share of 1 (Tango 1998). n is at least 1."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = (repaired - broken) / n

    def beyond(delta: float) -> float:
        return _score(repaired, broken, n, delta) ** 2 - z**2

    low = -1.0 if beyond(-1.0) <= 0 else _root(beyond, -1.0, share)
    high = 1.0 if beyond(1.0) <= 0 else _root(beyond, share, 1.0)
    return low, high


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(import_module("scipy.optimize").brentq(function, low, high, xtol=1e-12)) if low < high else low


def _score(repaired: int, broken: int, n: int, delta: float) -> float:
    """Score statistic at a difference; the nuisance share is its maximum likelihood estimate under that difference."""
    linear = -repaired - broken + (2 * n - repaired + broken) * delta
    constant = -broken * delta * (1 - delta)
    nuisance = (math.sqrt(max(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
    variance = n * (2 * nuisance + delta * (1 - delta))
    away = repaired - broken - n * delta
    if variance <= 0:
        return 0.0 if away == 0 else math.inf
    return away / math.sqrt(variance)


def items_needed(difference: float, discordance: float, alpha: float = ALPHA, power: float = POWER) -> float:
    """Items that separate two judges by `difference` when they disagree on a share `discordance` (Connor 1987)."""
    if not 0 < abs(difference) <= discordance:
        raise ValueError("The difference lies between 0 and the share of items on which the judges disagree.")
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    spread = z_alpha * math.sqrt(discordance) + z_power * math.sqrt(discordance - difference**2)
    return (spread / difference) ** 2


def smallest_difference(n: int, discordance: float, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """The smallest difference that n items separate; None when even total one-sidedness would not show."""
    if n < 1 or discordance <= 0 or items_needed(discordance, discordance, alpha, power) > n:
        return None

    def missing(difference: float) -> float:
        return items_needed(difference, discordance, alpha, power) - n

    return _root(missing, 1e-6, discordance)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values: any false claim among all has a chance of at most alpha. None stays None."""
    return _adjusted(p_values, "holm")


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's adjusted p-values: the expected share of false ones among those found."""
    return _adjusted(p_values, "fdr_bh")


def _adjusted(p_values: Sequence[float | None], method: str) -> list[float | None]:
    known = [p for p in p_values if p is not None]
    tests = import_module("statsmodels.stats.multitest")
    adjusted = iter(map(float, tests.multipletests(known, method=method)[1]) if known else ())
    return [None if p is None else next(adjusted) for p in p_values]
