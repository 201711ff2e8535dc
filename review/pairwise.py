"""Annotators seen one by one: in pairs, against the others' majority, and by their weight in alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from review.coefficients import Coefficient, Undefined, cohen_kappa, krippendorff_alpha
from review.counting import Annotator, Answers, Counts, Floats, Value
from review.intervals import jackknife_error, wilson
from review.unit_sums import UnitSums, alpha_sums

MINIMUM_COMMON = 20
HIDDEN = gettext_noop("Hidden: the two annotators have fewer than 20 items in common.")


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
class Without:
    """Nominal alpha of `n_labels` comparable labels: `value` is None exactly when `undefined` says why."""

    value: float | None
    undefined: str
    n_labels: int


@dataclass(frozen=True, slots=True)
class Influence:
    """Nominal alpha without one annotator; `change` is its rise.

    `stands_out` when alpha rises by more than two standard errors: a reason to look, never a rank.
    """

    annotator: Annotator
    without: Without
    change: float | None
    stands_out: bool


def pairs(answers: Answers) -> tuple[Pair, ...]:
    """Every two annotators with a common unit: number of common units, percent agreement, Cohen's kappa."""
    one, other = _label_pairs(answers)
    both = answers.annotator[one] * len(answers.annotators) + answers.annotator[other]
    order = np.argsort(both, kind="stable")
    found, starts = np.unique(both[order], return_index=True)
    groups = np.split(order, starts[1:]) if len(found) else []
    return tuple(_pair(answers, int(key), one[group], other[group]) for key, group in zip(found, groups, strict=True))


def against_others(answers: Answers) -> tuple[AgainstOthers, ...]:
    """Each annotator against the majority of the others on the same unit."""
    counts, n_values = answers.counts(), len(answers.values)
    others = counts[answers.unit]
    others[np.arange(len(others)), answers.value] -= 1
    most = others.max(axis=1, initial=0)
    n_most = (others == most[:, None]).sum(axis=1)
    clear, tied = (most > 0) & (n_most == 1), (most > 0) & (n_most > 1)
    cells = answers.value * n_values + (others.argmax(axis=1) if n_values else 0)
    return tuple(
        _against_others(
            answers,
            annotator,
            np.bincount(cells[clear & (answers.annotator == code)], minlength=n_values**2),
            int((tied & (answers.annotator == code)).sum()),
        )
        for code, annotator in enumerate(answers.annotators)
    )


def step_confusion(answers: Answers) -> dict[tuple[Value, Value], int]:
    """How often two annotators of a unit gave these two values: one count per pair of labels, equal ones included.

    The two values stand in a fixed order (numbers rising, None last), so (2, 3) also counts 3 against 2.
    """
    one, other = _label_pairs(answers)
    ranked = sorted(answers.values, key=_rank)
    rank = np.array([ranked.index(value) for value in answers.values], dtype=np.int64)
    first, second = rank[answers.value[one]], rank[answers.value[other]]
    cells = np.minimum(first, second) * len(ranked) + np.maximum(first, second)
    found, times = np.unique(cells, return_counts=True)
    most_first = np.argsort(-times, kind="stable")
    return {
        (ranked[cell // len(ranked)], ranked[cell % len(ranked)]): n
        for cell, n in zip(found[most_first].tolist(), times[most_first].tolist(), strict=True)
    }


def influence(answers: Answers) -> tuple[Influence, ...]:
    """Nominal alpha without each annotator in turn, against alpha with all (standard error: jackknife over units)."""
    counts = answers.counts()
    alpha, sums = krippendorff_alpha(counts), alpha_sums(counts)
    error = jackknife_error(sums, np.arange(len(counts)))
    return tuple(
        _influence(answers, code, counts, sums, (alpha, error)) for code in range(len(answers.annotators))
    )  # fmt: skip


def _label_pairs(answers: Answers) -> tuple[Counts, Counts]:
    """Every two labels of a unit as rows of the columns, the earlier annotator first."""
    order = np.lexsort([answers.annotator, answers.unit])
    unit = answers.unit[order]
    firsts: list[Counts] = [np.zeros(0, dtype=np.int64)]
    seconds = list(firsts)
    for apart in range(1, int(np.bincount(unit, minlength=1).max(initial=0))):
        (start,) = np.nonzero(unit[apart:] == unit[:-apart])
        firsts.append(order[start])
        seconds.append(order[start + apart])
    return np.concatenate(firsts), np.concatenate(seconds)


def _pair(answers: Answers, key: int, one: Counts, other: Counts) -> Pair:
    first, second = divmod(key, len(answers.annotators))
    who, n = (answers.annotators[first], answers.annotators[second]), len(one)
    if n < MINIMUM_COMMON:
        hidden = Coefficient(None, HIDDEN, n, 2 * n)
        return Pair(*who, n, hidden, hidden)
    values, others = answers.value[one], answers.value[other]
    percent = Coefficient(float((values == others).mean()), "", n, 2 * n)
    return Pair(*who, n, percent, cohen_kappa(values.tolist(), others.tolist()))


def _against_others(answers: Answers, annotator: Annotator, cells: Counts, ties: int) -> AgainstOthers:
    values, n = answers.values, int(cells.sum())
    confusion = {
        (values[cell // len(values)], values[cell % len(values)]): int(cells[cell])
        for cell in np.flatnonzero(cells).tolist()
    }
    agreed = sum(count for (own, others), count in confusion.items() if own == others)
    low, high = wilson(agreed, n) if n else (None, None)
    share = agreed / n if n else None
    return AgainstOthers(annotator, n, ties, agreed, share, low, high, confusion, _shift(confusion))


def _shift(confusion: dict[tuple[Value, Value], int]) -> float | None:
    """Mean signed distance over the pairs of steps; verdicts and "no error" are no steps."""
    steps = [(own - others, n) for (own, others), n in confusion.items() if type(own) is type(others) is int]
    total = sum(n for _, n in steps)
    return sum(distance * n for distance, n in steps) / total if total else None


def _influence(
    answers: Answers, code: int, counts: Counts, everything: UnitSums, given: tuple[Coefficient, float]
) -> Influence:  # fmt: skip
    (alpha, error), own = given, answers.annotator == code
    units = answers.unit[own]
    rest = counts[units]
    rest[np.arange(len(units)), answers.value[own]] -= 1
    # Only the units the annotator labelled change, each by one label.
    total = everything.terms.sum(axis=0) - everything.terms[units].sum(axis=0) + alpha_sums(rest).terms.sum(axis=0)
    without = _without(total, everything)
    if alpha.value is None or without.value is None:
        return Influence(answers.annotators[code], without, None, False)
    change = without.value - alpha.value
    return Influence(answers.annotators[code], without, change, change > 2 * error)


def _without(total: Floats, sums: UnitSums) -> Without:
    value, labels = float(sums.value(total[None, :])[0]), int(total[:-1].sum())
    if np.isfinite(value):
        return Without(value, "", labels)
    return Without(None, str(Undefined.ONE_VALUE if labels else Undefined.NO_PAIR), labels)


def _rank(value: Value) -> tuple[bool, bool, float, str]:
    number = float(value) if isinstance(value, int) else 0.0
    return value is None, not isinstance(value, int), number, str(value)
