"""Votes of annotators on units, and their count matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

type Unit = Hashable
type Value = Hashable
type Annotator = int | str
# Unit -> annotator -> value; a missing label is absent, never a value.
# Mapping is invariant in its keys, so `Unit` and `Annotator` here would refuse plain dictionaries of them.
type Votes = Mapping[Any, Mapping[Any, Value]]

type Counts = npt.NDArray[np.int64]
type Floats = npt.NDArray[np.float64]


def as_counts(counts: npt.ArrayLike) -> Counts:
    """The count matrix as integers, units x values.

    Raises: ValueError when it has not two axes, or holds negative or fractional numbers.
    """
    given = np.asarray(counts)
    if given.ndim != 2:
        raise ValueError(f"A count matrix has two axes, units and values; this one has {given.ndim}.")
    whole = given.astype(np.int64)
    if (whole != given).any() or (whole < 0).any():
        raise ValueError("A count matrix holds whole numbers of labels, none below zero.")
    return whole


def values_of(votes: Votes) -> tuple[Value, ...]:
    """The distinct values in the order of their first appearance."""
    return tuple(dict.fromkeys(value for given in votes.values() for value in given.values()))


def annotators_of(votes: Votes) -> tuple[Annotator, ...]:
    """The annotators in order, numbers before names."""
    found = {annotator for given in votes.values() for annotator in given}
    return tuple(sorted(found, key=lambda annotator: (isinstance(annotator, str), annotator)))


def count_votes(votes: Votes, values: Sequence[Value]) -> Counts:
    """Count matrix, units (in the order of `votes`) x `values`.

    Raises: ValueError naming the unit and the value when a vote is not among `values`.
    """
    column = {value: position for position, value in enumerate(values)}
    counts = np.zeros((len(votes), len(values)), dtype=np.int64)
    for row, (unit, given) in enumerate(votes.items()):
        for value in given.values():
            if value not in column:
                raise ValueError(f"Unit {unit!r}: {value!r} is not among the values.")
            counts[row, column[value]] += 1
    return counts


def winners(values: Iterable[Value]) -> list[Value]:
    """The most common values: one when there is a majority, several in a tie, none without a vote."""
    ranked = Counter(values)
    most = max(ranked.values(), default=0)
    return [value for value, n in ranked.items() if n == most]


@dataclass(frozen=True, slots=True)
class Answers:
    """Who said what of which unit, a label a row: three columns of positions in `units`, `annotators` and `values`."""

    units: Sequence[Unit]
    annotators: tuple[Annotator, ...]
    values: tuple[Value, ...]
    unit: Counts
    annotator: Counts
    value: Counts

    def counts(self) -> Counts:
        """The count matrix, units x values."""
        shape = (len(self.units), len(self.values))
        cells = self.unit * shape[1] + self.value
        return np.bincount(cells, minlength=shape[0] * shape[1]).astype(np.int64).reshape(shape)


def answers_of(votes: Votes, values: Sequence[Value] | None = None) -> Answers:
    """Votes as columns; `values` default to those given, in the order of their first appearance."""
    annotators, domain = annotators_of(votes), tuple(values_of(votes) if values is None else values)
    who, what = ({each: n for n, each in enumerate(found)} for found in (annotators, domain))
    rows = [
        (unit, who[annotator], what[value])
        for unit, given in enumerate(votes.values())
        for annotator, value in given.items()
    ]
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), 3).T
    return Answers(tuple(votes), annotators, domain, *columns)


def coincidences(counts: Counts) -> Floats:
    """Krippendorff's coincidence matrix, values x values; its sum is the number of labels on units with two or more."""
    paired = counts[counts.sum(axis=1) >= 2].astype(np.float64)
    weighted = paired / (paired.sum(axis=1, keepdims=True) - 1)
    return np.asarray(weighted.T @ paired - np.diag(weighted.sum(axis=0)))


def distinct_rows(rows: Counts) -> tuple[Counts, Counts]:
    """Where each distinct row first stands, and for each row which distinct one it is; their order follows contents."""
    if not rows.size:
        return np.zeros(min(1, len(rows)), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    # Smaller numbers sort faster: most tables hold counts below 256.
    small = np.ascontiguousarray(rows.astype(np.min_scalar_type(int(rows.max()))))
    keys = small.view(np.dtype((np.void, small.dtype.itemsize * small.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which
