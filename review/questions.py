"""The figures of one question of agreement: value or reason, interval, and the items each can be opened to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sentences import gettext_noop
from review.coefficients import Coefficient
from review.counting import Counts, Unit, Value, coincidences, distinct_rows
from review.intervals import MINIMUM_RARER, Interval, intervals, units_beside_the_most_common
from review.unit_sums import Near, UnitSums

MINIMUM_UNITS = 20
EXTREME_SHARE = 0.9


class Warn(StrEnum):
    """What a reader has to know before quoting the figures of a question."""

    FEW_UNITS = gettext_noop("Fewer than 20 items have two labels to compare: read the figures as a first impression.")
    FEW_RARER = gettext_noop("Fewer than 10 items hold a value other than the most common one: no interval is given.")
    ONE_SIDED = gettext_noop(
        # xgettext:no-python-format
        "More than 90 % of the labels are the same: alpha and kappa fall although labels agree. "
        "Read percent agreement and AC1 beside them."
    )


@dataclass(frozen=True, slots=True)
class Table:
    """The labels of one question, counted: `counts` is units x `values`; `clusters` numbers each unit's problem.

    `items` are the ids a page opens, one per unit: a unit can be a part of an item. Units with equal counts and places
    are one pattern: `patterns` are their counts, `pattern_of` tells each unit's, `first` a unit of each.
    """

    items: npt.NDArray[Any]
    clusters: Counts
    values: tuple[Value, ...]
    counts: Counts
    patterns: Counts
    pattern_of: Counts
    first: Counts

    @classmethod
    def of(
        cls, items: npt.NDArray[Any], clusters: Counts, values: tuple[Value, ...], counts: Counts, places: Counts
    ) -> Table:  # fmt: skip
        """Find the patterns; `places` is the number of values each unit could have."""
        first, pattern_of = distinct_rows(np.column_stack([counts, places]))
        return cls(items, clusters, values, counts, counts[first], pattern_of, first)


@dataclass(frozen=True, slots=True)
class Measured:
    """A coefficient, the sums over patterns its interval is resampled from, and what counts as agreeing."""

    name: str
    coefficient: Coefficient
    sums: UnitSums
    near: Near | None = None
    caveat: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is None exactly when `undefined` says why; `agreeing` and `disagreeing` are the ids of its items."""

    name: str
    value: float | None
    undefined: str
    interval: Interval
    n_units: int
    n_labels: int
    agreeing: tuple[Unit, ...]
    disagreeing: tuple[Unit, ...]
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The parts by name; every part is a JSON value."""
        parts = {name: getattr(self, name) for name in ("value", "undefined", "n_units", "n_labels", "caveat")}
        opened = {"agreeing": list(self.agreeing), "disagreeing": list(self.disagreeing)}
        return parts | {"interval": self.interval.as_dict()} | opened


@dataclass(frozen=True, slots=True)
class Question:
    """All figures of one question.

    `shares` are the shares of each value among all its labels; `n_pairs` the pairs of labels compared;
    `entering` the share of the items with two labels that enter the question, None when no item has two;
    `coincidences` Krippendorff's coincidence table, values x values in the order of `shares`.
    """

    figures: dict[str, Figure]
    shares: dict[str, float]
    n_pairs: int
    entering: float | None
    warnings: tuple[str, ...]
    coincidences: tuple[tuple[float, ...], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The parts by name; every part is a JSON value."""
        return {
            "figures": {name: figure.as_dict() for name, figure in self.figures.items()},
            "shares": self.shares,
            "n_pairs": self.n_pairs,
            "entering": self.entering,
            "warnings": list(self.warnings),
            "coincidences": [list(row) for row in self.coincidences],
        }


def question(
    table: Table, measured: Sequence[Measured], rng: np.random.Generator, resamples: int, names: Sequence[str]
) -> Question:  # fmt: skip
    """The figures of a table and what has to be known beside them; `names` are those of its values."""
    c = table.counts
    shares = (c.sum(axis=0) / max(1, int(c.sum()))).tolist()
    entering = 1.0 if (c.sum(axis=1) >= 2).any() else None
    return Question(
        figures(table, measured, rng, resamples),
        dict(zip(names, shares, strict=True)),
        n_pairs(c),
        entering,
        warnings(c),
        tuple(map(tuple, coincidences(c).tolist())),
    )


def figures(table: Table, measured: Sequence[Measured], rng: np.random.Generator, resamples: int) -> dict[str, Figure]:
    """The figures by name; their intervals share the resamples."""
    found = intervals(
        [each.sums for each in measured], table.counts, table.clusters, rng,
        resamples=resamples, pattern_of=table.pattern_of,
    )  # fmt: skip
    return {each.name: _figure(table, each, interval) for each, interval in zip(measured, found, strict=True)}


def warnings(counts: Counts) -> tuple[str, ...]:
    """What a reader has to know before quoting figures of these counts."""
    labels, total = counts.sum(axis=1), int(counts.sum())
    largest = counts.sum(axis=0).max(initial=0) / max(total, 1)
    raised = {
        Warn.FEW_UNITS: (labels >= 2).sum() < MINIMUM_UNITS,
        Warn.FEW_RARER: units_beside_the_most_common(counts) < MINIMUM_RARER,
        Warn.ONE_SIDED: largest > EXTREME_SHARE,
    }
    return tuple(str(warning) for warning, applies in raised.items() if applies)


def n_pairs(counts: Counts) -> int:
    """Unordered pairs of labels on the same unit."""
    labels = counts.sum(axis=1)
    return int((labels * (labels - 1) // 2).sum())


def _figure(table: Table, each: Measured, interval: Interval) -> Figure:
    agreeing, disagreeing = _split(table, each.near)
    part = each.coefficient
    return Figure(
        each.name, part.value, part.undefined, interval, part.n_units, part.n_labels, agreeing, disagreeing, each.caveat
    )


def _split(table: Table, near: Near | None) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """Ids of the items with two or more labels, by whether all the labels agree; an item's parts can differ."""
    present = (table.patterns > 0).astype(np.int64)
    apart = ~(np.eye(len(table.values), dtype=bool) if near is None else near)
    disputed = ((present @ apart.astype(np.int64)) * present).any(axis=1)[table.pattern_of]
    paired = table.counts.sum(axis=1) >= 2
    agreeing, disagreeing = (
        tuple(dict.fromkeys(table.items[rows].tolist())) for rows in (paired & ~disputed, paired & disputed)
    )
    return agreeing, disagreeing
