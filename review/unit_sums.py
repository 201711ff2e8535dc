"""Agreement coefficients as functions of sums over units: one definition for the estimate and for its resamples.

Axes throughout: `counts` is units x values, whole numbers of labels; a missing label is absent.
Units with fewer than two labels never enter the observed agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from review.counting import Counts, Floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]
type Near = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class UnitSums:
    """`terms` is units x K; `value` maps sums of terms, B x K, to B coefficients, nan where undefined."""

    terms: Floats
    value: Callable[[Floats], Floats]

    def estimate(self, times: Counts | None = None) -> float:
        """The coefficient of all units together, nan when undefined; `times` is how often each one counts."""
        total = self.terms.sum(axis=0) if times is None else times @ self.terms
        return float(self.value(total[None, :])[0])


def percent_sums(counts: Counts, near: Near | None = None) -> UnitSums:
    """Mean over units of the share of label pairs that agree; `near` (values x values) says which count as agreeing."""
    return UnitSums(np.column_stack(_agreement(counts, near)), lambda sums: _divide(sums[:, 0], sums[:, 1]))


def pair_sums(counts: Counts, near: Near | None = None) -> UnitSums:
    """Share of all label pairs that agree, each pair counting once: units with more labels weigh more."""
    labels = counts.sum(axis=1)
    terms = np.column_stack([_near_pairs(counts, near), labels * (labels - 1.0)])
    return UnitSums(terms, lambda sums: _divide(sums[:, 0], sums[:, 1]))


def unanimous_sums(counts: Counts) -> UnitSums:
    """Share of the units with two or more labels on which all labels are the same."""
    labels = counts.sum(axis=1)
    paired = labels >= 2
    terms = np.column_stack([paired & (counts.max(axis=1, initial=0) == labels), paired]).astype(np.float64)
    return UnitSums(terms, lambda sums: _divide(sums[:, 0], sums[:, 1]))


def specific_sums(counts: Counts, value: int) -> UnitSums:
    """Agreement on one value: given one label with it, the share of the unit's other labels with it (2a/(2a+b+c))."""
    given, labels = counts[:, value].astype(np.float64), counts.sum(axis=1)
    terms = np.column_stack([given * (given - 1), given * (labels - 1)])
    return UnitSums(terms, lambda sums: _divide(sums[:, 0], sums[:, 1]))


def ac1_sums(counts: Counts, n_categories: int) -> UnitSums:
    """Gwet's AC1: chance agreement is the sum of p(1-p) over the categories, over their number less one."""

    def chance(shares: Floats) -> Floats:
        return _divide((shares * (1 - shares)).sum(axis=1), np.full(len(shares), n_categories - 1.0))

    return _marginal_sums(counts, chance)


def fleiss_sums(counts: Counts) -> UnitSums:
    """Fleiss' kappa, also for units with different numbers of labels: chance agreement is the sum of p squared."""
    return _marginal_sums(counts, lambda shares: (shares**2).sum(axis=1))


def brennan_prediger_sums(counts: Counts, places: npt.ArrayLike) -> UnitSums:
    """Brennan-Prediger with a number of places per unit: chance agreement is the mean of 1/places."""
    agreed, paired = _agreement(counts, None)
    chance = paired / np.broadcast_to(np.asarray(places, dtype=np.float64), paired.shape)
    terms = np.column_stack([agreed, paired, chance])
    return UnitSums(
        terms, lambda sums: _beyond_chance(_divide(sums[:, 0], sums[:, 1]), _divide(sums[:, 2], sums[:, 1]))
    )


def alpha_sums(
    counts: Counts, level: Level = "nominal", values: Sequence[float] | None = None, distances: Floats | None = None
) -> UnitSums:
    """Krippendorff's alpha; `distances` (values x values, zero diagonal) replaces the level's own squared distances."""
    labels = counts.sum(axis=1)
    paired = np.where(labels[:, None] >= 2, counts, 0).astype(np.float64)
    weights = 1.0 / np.maximum(labels - 1, 1)
    if level == "ordinal" and distances is None:
        return _ordinal_alpha_sums(paired, weights)
    apart = squared_distances(level, values, counts.shape[1]) if distances is None else distances
    observed = ((paired @ apart) * paired).sum(axis=1) * weights

    def value(sums: Floats) -> Floats:
        margins = sums[:, :-1]
        return _alpha(margins, sums[:, -1], ((margins @ apart) * margins).sum(axis=1))

    return UnitSums(np.column_stack([paired, observed]), value)


def check_level(level: str) -> None:
    """Raise ValueError when there is no such level of measurement."""
    if level not in get_args(Level):
        raise ValueError(f"There is no level of measurement {level!r}; choose one of {', '.join(get_args(Level))}.")


def squared_distances(level: Level, values: Sequence[float] | None, n_values: int) -> Floats:
    """Krippendorff's squared distances, values x values, of the levels that do not depend on the labels."""
    check_level(level)
    given = np.asarray(range(n_values) if values is None else values, dtype=np.float64)
    if level == "nominal":
        return 1.0 - np.eye(n_values)
    difference, total = given[:, None] - given, given[:, None] + given
    if level == "ratio":
        difference = np.divide(difference, total, out=np.zeros_like(total), where=total != 0)
    return np.asarray(difference**2)


def _ordinal_alpha_sums(paired: Floats, weights: Floats) -> UnitSums:
    """The distances follow the margins of each resample, so every coincidence is carried as its own term."""
    n_values = paired.shape[1]
    low, high = np.triu_indices(n_values, 1)
    coincidences = paired[:, low] * paired[:, high] * weights[:, None]

    def value(sums: Floats) -> Floats:
        margins = sums[:, :n_values]
        ranks = np.cumsum(margins, axis=1) - margins / 2
        apart = (ranks[:, low] - ranks[:, high]) ** 2
        observed = 2 * (sums[:, n_values:] * apart).sum(axis=1)
        return _alpha(margins, observed, 2 * (margins[:, low] * margins[:, high] * apart).sum(axis=1))

    return UnitSums(np.column_stack([paired, coincidences]), value)


def _alpha(margins: Floats, observed: Floats, expected: Floats) -> Floats:
    """1 - (n-1) * observed / expected, nan where no disagreement is expected."""
    ratio = _divide(observed, np.where(expected > 0, expected, np.nan))
    return np.asarray(1 - (margins.sum(axis=1) - 1) * ratio)


def _marginal_sums(counts: Counts, chance: Callable[[Floats], Floats]) -> UnitSums:
    """Agreement beyond a chance that follows from the mean share of each value over all units with a label."""
    agreed, paired = _agreement(counts, None)
    labels = counts.sum(axis=1)
    shares = counts / np.maximum(labels, 1)[:, None]

    def value(sums: Floats) -> Floats:
        means = _divide(sums[:, 3:], sums[:, 2:3])
        return _beyond_chance(_divide(sums[:, 0], sums[:, 1]), chance(means))

    return UnitSums(np.column_stack([agreed, paired, labels >= 1, shares]), value)


def _agreement(counts: Counts, near: Near | None) -> tuple[Floats, Floats]:
    """Per unit: the share of agreeing pairs (0 without a pair), and 1 when there is a pair."""
    labels = counts.sum(axis=1)
    pairs = labels * (labels - 1.0)
    agreed = np.divide(_near_pairs(counts, near), pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return agreed, (pairs > 0).astype(np.float64)


def _near_pairs(counts: Counts, near: Near | None) -> Floats:
    """Per unit: ordered pairs of labels that agree."""
    given = counts.astype(np.float64)
    partners = given if near is None else given @ near.astype(np.float64)
    return np.asarray((given * partners).sum(axis=1) - given.sum(axis=1))


def _beyond_chance(observed: Floats, chance: Floats) -> Floats:
    # A chance agreement of one, rounding included, leaves nothing to exceed.
    return _divide(observed - chance, np.where(chance < 1 - 1e-12, 1 - chance, np.nan))


def _divide(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(above / below)
