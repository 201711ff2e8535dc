"""Agreement coefficients of a count matrix, units x values, with the reason where one is undefined."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any, cast

import krippendorff
import numpy as np
import numpy.typing as npt

from annotation.sentences import gettext_noop
from review.counting import Counts, Floats, as_counts, distinct_rows
from review.unit_sums import (
    Level,
    Near,
    UnitSums,
    ac1_sums,
    alpha_sums,
    brennan_prediger_sums,
    check_level,
    fleiss_sums,
    pair_sums,
    percent_sums,
    specific_sums,
    unanimous_sums,
)

PACKAGE_CELLS = 2_000_000


class Undefined(StrEnum):
    """Why a coefficient has no value."""

    NO_PAIR = gettext_noop("No item has two labels to compare.")
    ONE_VALUE = gettext_noop("All labels that can be compared are the same, so agreement beyond chance is not defined.")
    ONE_CATEGORY = gettext_noop("The scheme has fewer than two categories, so agreement beyond chance is not defined.")
    ONE_PLACE = gettext_noop("Every item has a single place to name, so agreement beyond chance is not defined.")
    VALUE_UNUSED = gettext_noop("No item with two labels has this value.")
    NO_COMMON = gettext_noop("The two annotators have no item in common.")


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One figure: `value` is None exactly when `undefined` says why.

    `n_units` are the units with two or more labels, `n_labels` the labels on them.
    """

    value: float | None
    undefined: str
    n_units: int
    n_labels: int

    def as_dict(self) -> dict[str, Any]:
        """The parts by name; every part is a JSON value."""
        return asdict(self)


def percent_agreement(counts: npt.ArrayLike, near: Near | None = None) -> Coefficient:
    """Mean over units of the share of label pairs that agree, 0 to 1.

    `near` (values x values, true on the diagonal) widens what counts as agreeing.
    """
    given = as_counts(counts)
    return _coefficient(percent_sums(given, near), given)


def pair_agreement(counts: npt.ArrayLike, near: Near | None = None) -> Coefficient:
    """Share of all label pairs that agree, 0 to 1; units with more labels weigh more."""
    given = as_counts(counts)
    return _coefficient(pair_sums(given, near), given)


def within_one_agreement(counts: npt.ArrayLike, steps: Sequence[int | None] | None = None) -> Coefficient:
    """Percent agreement where neighbouring steps agree; `steps` names the columns (see `within_one`)."""
    given = as_counts(counts)
    return percent_agreement(given, within_one(range(given.shape[1]) if steps is None else steps))


def within_one(steps: Sequence[int | None]) -> Near:
    """Which steps are at most one apart, steps x steps; None (no error) agrees with itself alone."""
    near = [a == b or (a is not None and b is not None and abs(a - b) <= 1) for a in steps for b in steps]
    return np.array(near, dtype=np.bool_).reshape(len(steps), len(steps))


def unanimous_share(counts: npt.ArrayLike) -> Coefficient:
    """Share of the units with two or more labels on which all labels are the same, 0 to 1."""
    given = as_counts(counts)
    return _coefficient(unanimous_sums(given), given)


def specific_agreement(counts: npt.ArrayLike, value: int) -> Coefficient:
    """Agreement on one value (column), 0 to 1: positive or negative agreement when there are two values.

    Given a label with the value, the share of the unit's other labels that have it too; 2a/(2a+b+c) for two annotators.
    Undefined when no unit with two labels has the value.
    """
    given = as_counts(counts)
    return _coefficient(specific_sums(given, value), given, Undefined.VALUE_UNUSED)


def gwet_ac1(counts: npt.ArrayLike, n_categories: int | None = None) -> Coefficient:
    """Gwet's AC1, at most 1 (Gwet 2008).

    `n_categories` counts the categories of the scheme, used or not; default: the columns.
    Raises: ValueError when more categories are used than the scheme has.
    """
    given = as_counts(counts)
    scheme = given.shape[1] if n_categories is None else n_categories
    used = int(given.any(axis=0).sum())
    if used > scheme:
        raise ValueError(f"{used} categories are used, but the scheme has {scheme}.")
    return _coefficient(ac1_sums(given, scheme), given, Undefined.ONE_CATEGORY)


def fleiss_kappa(counts: npt.ArrayLike) -> Coefficient:
    """Fleiss' kappa, at most 1, for equal or different numbers of labels per unit (Fleiss 1971; Gwet 2014)."""
    given = as_counts(counts)
    return _coefficient(fleiss_sums(given), given, Undefined.ONE_VALUE)


def brennan_prediger(counts: npt.ArrayLike, places: npt.ArrayLike) -> Coefficient:
    """Brennan-Prediger, at most 1; `places` is the number of admissible values, one for all or one per unit.

    For a first erroneous step the places of a unit are its steps and "no error".
    Raises: ValueError when a unit has no place or uses more values than it has places.
    """
    given = as_counts(counts)
    admissible = np.broadcast_to(np.asarray(places), given.shape[:1])
    short = np.flatnonzero((admissible < 1) | (admissible < (given > 0).sum(axis=1)))
    if short.size:
        raise ValueError(f"Unit {short[0]} has {admissible[short[0]]} places, fewer than it uses.")
    return _coefficient(brennan_prediger_sums(given, admissible), given, Undefined.ONE_PLACE)


def krippendorff_alpha(
    counts: npt.ArrayLike,
    level: Level = "nominal",
    *,
    values: Sequence[float] | None = None,
    distances: Floats | None = None,
) -> Coefficient:
    """Krippendorff's alpha, at most 1 (Krippendorff 2011), computed by the `krippendorff` package
    (from the same sums as its interval where the package would need gigabytes).

    `values` are the numbers behind the columns (interval, ratio; in order for ordinal), default 0, 1, 2...
    `distances` (values x values, zero diagonal) replaces the level; they enter as they are, not squared.
    Undefined without a unit with two labels, and when one value alone remains on such units.
    Raises: ValueError for an unknown level, and for negative values at the ratio level.
    """
    given, domain = as_counts(counts), _domain(counts, level, values)
    paired = given[given.sum(axis=1) >= 2]
    used = paired.any(axis=0)
    if used.sum() < 2:
        return _undefined(Undefined.ONE_VALUE if len(paired) else Undefined.NO_PAIR, paired)
    apart = None if distances is None else distances[np.ix_(used, used)]
    value = _alpha(paired[:, used], level, domain[used], apart)
    return _defined(value, paired) if math.isfinite(value) else _undefined(Undefined.ONE_VALUE, paired)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Coefficient:
    """Cohen's kappa of two annotators' labels on the same units in the same order, -1 to 1, computed by scikit-learn.

    Undefined without a common unit, and when both give one and the same value throughout.
    Raises: ValueError when the lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(f"The annotators have {len(first)} and {len(second)} labels; kappa needs the same units.")
    codes = {value: code for code, value in enumerate(dict.fromkeys([*first, *second]))}
    size = (len(first), 2 * len(first))
    if len(codes) < 2:
        return Coefficient(None, Undefined.ONE_VALUE if codes else Undefined.NO_COMMON, *size)
    metrics = import_module("sklearn.metrics")  # takes seconds to load
    value = metrics.cohen_kappa_score([codes[v] for v in first], [codes[v] for v in second])
    return Coefficient(float(value), "", *size)


def jaccard_distance(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """1 - |intersection| / |union| of two sets of labels, 0 to 1; two empty sets are the same."""
    one, other = set(first), set(second)
    return 1 - len(one & other) / len(one | other) if one | other else 0.0


def masi_distance(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """1 - Jaccard x M, 0 to 1 (Passonneau 2006): M is 1 for equal, 2/3 nested, 1/3 overlapping, 0 disjoint sets."""
    one, other = set(first), set(second)
    if one == other:
        return 0.0
    monotonicity = 2 / 3 if one <= other or other <= one else 1 / 3
    return 1 - (1 - jaccard_distance(one, other)) * monotonicity


def set_distances(
    sets: Sequence[Collection[Hashable]], distance: Callable[[Collection[Hashable], Collection[Hashable]], float]
) -> Floats:
    """Distances of set-valued labels for `krippendorff_alpha`, sets x sets."""
    return np.array([[distance(one, other) for other in sets] for one in sets], dtype=np.float64)


def _domain(counts: npt.ArrayLike, level: Level, values: Sequence[float] | None) -> Floats:
    check_level(level)
    n_values = np.shape(counts)[1]
    domain = np.asarray(range(n_values) if values is None else values, dtype=np.float64)
    if len(domain) != n_values:
        raise ValueError(f"There are {n_values} columns of counts, but {len(domain)} values.")
    if level == "ratio" and (domain < 0).any():
        raise ValueError("Ratio distances need values of zero or more: opposite values would count as equal.")
    return domain


def _alpha(counts: Counts, level: Level, domain: Floats, distances: Floats | None) -> float:
    # The package holds several arrays of units x values x values at once: gigabytes for 100,000 units and 30 steps.
    if counts.shape[0] * counts.shape[1] ** 2 > PACKAGE_CELLS:
        first, which = distinct_rows(counts)
        return alpha_sums(counts[first], level, domain.tolist(), distances).estimate(np.bincount(which))

    def given(*_values: Floats, i1: Counts, i2: Counts, **_more: object) -> Floats:
        return np.zeros(0) if distances is None else np.asarray(distances[i1, i2])

    metric = level if distances is None else cast("krippendorff.DistanceMetric", given)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(krippendorff.alpha(None, counts, domain, metric))


def _coefficient(sums: UnitSums, counts: Counts, otherwise: Undefined = Undefined.NO_PAIR) -> Coefficient:
    """The estimate, or the reason it is undefined: no pair of labels, else `otherwise`."""
    paired = counts[counts.sum(axis=1) >= 2]
    value = sums.estimate()
    if len(paired) and math.isfinite(value):
        return _defined(value, paired)
    return _undefined(otherwise if len(paired) else Undefined.NO_PAIR, paired)


def _defined(value: float, paired: Counts) -> Coefficient:
    return Coefficient(value, "", len(paired), int(paired.sum()))


def _undefined(reason: Undefined, paired: Counts) -> Coefficient:
    return Coefficient(None, str(reason), len(paired), int(paired.sum()))
