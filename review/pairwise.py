"""Annotators seen one by one: in pairs, against the others' majority, and by their weight in alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from review.coefficients import Coefficient, cohen_kappa, krippendorff_alpha
from review.counting import Annotator, Value, Votes, annotators_of, count_votes, values_of, winners
from review.intervals import jackknife_error
from review.unit_sums import alpha_sums

MINIMUM_COMMON = 20
HIDDEN = "Hidden: the two annotators have fewer than 20 items in common."


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the `n_common` units both labelled; figures of fewer than 20 units are hidden."""

    first: Annotator
    second: Annotator
    n_common: int
    percent: Coefficient
    kappa: Coefficient

    def as_dict(self) -> dict[str, Any]:
        """The parts by name; every part is a JSON value."""
        parts = {"first": self.first, "second": self.second, "n_common": self.n_common}
        return parts | {"percent": self.percent.as_dict(), "kappa": self.kappa.as_dict()}


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One annotator against the majority of the others, the annotator left out.

    `n_units` have such a majority, `n_ties` have other labels but no majority and are left out.
    `share` agrees with it, `low` to `high` is its 95 % Wilson interval; all None without a unit.
    `confusion` counts (own value, majority). `shift` is the mean signed distance in steps over units where both name
    one (negative: earlier than the others), None where there is none.
    """

    annotator: Annotator
    n_units: int
    n_ties: int
    n_agreed: int
    share: float | None
    low: float | None
    high: float | None
    confusion: dict[tuple[Value, Value], int]
    shift: float | None


@dataclass(frozen=True, slots=True)
class Influence:
    """Nominal alpha without one annotator; `change` is its rise.

    `stands_out` when alpha rises by more than two standard errors: a reason to look, never a rank.
    """

    annotator: Annotator
    without: Coefficient
    change: float | None
    stands_out: bool


def pairs(votes: Votes) -> tuple[Pair, ...]:
    """Every two annotators with a common unit: number of common units, percent agreement, Cohen's kappa."""
    common: dict[tuple[Annotator, Annotator], list[tuple[Value, Value]]] = {}
    order = {annotator: position for position, annotator in enumerate(annotators_of(votes))}
    for given in votes.values():
        for first, second in combinations(sorted(given, key=order.__getitem__), 2):
            common.setdefault((first, second), []).append((given[first], given[second]))
    ranked = sorted(common.items(), key=lambda entry: (order[entry[0][0]], order[entry[0][1]]))
    return tuple(_pair(first, second, values) for (first, second), values in ranked)


def against_others(votes: Votes) -> tuple[AgainstOthers, ...]:
    """Each annotator against the majority of the others on the same unit."""
    return tuple(_against_others(votes, annotator) for annotator in annotators_of(votes))


def step_confusion(votes: Votes) -> dict[tuple[Value, Value], int]:
    """How often two annotators of a unit gave these two values: one count per pair of labels, equal ones included.

    The two values stand in a fixed order (numbers rising, None last), so (2, 3) also counts 3 against 2.
    """
    counted: Counter[tuple[Value, Value]] = Counter()
    for given in votes.values():
        for one, other in combinations(sorted(given.values(), key=_rank), 2):
            counted[one, other] += 1
    return dict(counted.most_common())


def influence(votes: Votes) -> tuple[Influence, ...]:
    """Nominal alpha without each annotator in turn, against alpha with all (standard error: jackknife over units)."""
    values = values_of(votes)
    counts = count_votes(votes, values)
    alpha = krippendorff_alpha(counts)
    error = jackknife_error(alpha_sums(counts), np.arange(len(counts)))
    return tuple(_influence(votes, annotator, values, alpha, error) for annotator in annotators_of(votes))


def _pair(first: Annotator, second: Annotator, values: Sequence[tuple[Value, Value]]) -> Pair:
    n = len(values)
    if n < MINIMUM_COMMON:
        hidden = Coefficient(None, HIDDEN, n, 2 * n)
        return Pair(first, second, n, hidden, hidden)
    percent = Coefficient(sum(one == other for one, other in values) / n, "", n, 2 * n)
    return Pair(first, second, n, percent, cohen_kappa([one for one, _ in values], [other for _, other in values]))


def _against_others(votes: Votes, annotator: Annotator) -> AgainstOthers:
    confusion: Counter[tuple[Value, Value]] = Counter()
    ties = 0
    for given in votes.values():
        if annotator not in given or len(given) < 2:
            continue
        ranked = winners(value for other, value in given.items() if other != annotator)
        if len(ranked) == 1:
            confusion[given[annotator], ranked[0]] += 1
        else:
            ties += 1
    n = confusion.total()
    agreed = sum(count for (own, others), count in confusion.items() if own == others)
    low, high = map(float, proportion_confint(agreed, n, method="wilson")) if n else (None, None)
    return AgainstOthers(
        annotator, n, ties, agreed, agreed / n if n else None, low, high, dict(confusion), _shift(confusion)
    )


def _shift(confusion: Counter[tuple[Value, Value]]) -> float | None:
    """Mean signed distance over the pairs of steps; verdicts and "no error" are no steps."""
    steps = [(own - others, n) for (own, others), n in confusion.items() if type(own) is type(others) is int]
    total = sum(n for _, n in steps)
    return sum(distance * n for distance, n in steps) / total if total else None


def _influence(
    votes: Votes, annotator: Annotator, values: Sequence[Value], alpha: Coefficient, error: float
) -> Influence:
    rest = {
        unit: {other: value for other, value in given.items() if other != annotator} for unit, given in votes.items()
    }
    without = krippendorff_alpha(count_votes(rest, values))
    if alpha.value is None or without.value is None:
        return Influence(annotator, without, None, False)
    change = without.value - alpha.value
    return Influence(annotator, without, change, change > 2 * error)


def _rank(value: Value) -> tuple[bool, bool, float, str]:
    number = float(value) if isinstance(value, int) else 0.0
    return value is None, not isinstance(value, int), number, str(value)
