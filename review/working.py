"""The working behind a coefficient as rows for CSV: its coincidences, its units, and the arithmetic of alpha."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from review.counting import Annotator, Value

type Row = list[Any]
NO_VALUE = "no error"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Nominal alpha step by step: `n` labels that can be compared, then the shares of pairs that disagree.

    `observed`, `expected` and `alpha` are None where they are undefined.
    """

    n: int
    observed: float | None
    expected: float | None
    alpha: float | None


def arithmetic(table: Sequence[Sequence[float]]) -> Arithmetic:
    """1 - observed / expected from a coincidence table, values x values.

    Expected disagreement is (n squared - sum of squared totals) / (n (n - 1)).
    """
    totals = [sum(row) for row in table]
    n = sum(totals)
    if n < 2:
        return Arithmetic(round(n), None, None, None)
    observed = 1 - sum(row[place] for place, row in enumerate(table)) / n
    expected = (n**2 - sum(total**2 for total in totals)) / (n * (n - 1))
    return Arithmetic(round(n), observed, expected, 1 - observed / expected if expected > 0 else None)


def coincidence_rows(table: Sequence[Sequence[float]], names: Sequence[str]) -> list[Row]:
    """Krippendorff's coincidence table with its margins, header first.

    A pair of a unit's m labels counts 1/(m-1), so a unit with two or more labels counts m in all.
    """
    rows: list[Row] = [[name, *row, sum(row)] for name, row in zip(names, table, strict=True)]
    totals = [sum(column) for column in zip(*table, strict=True)]
    return [["value", *names, "total"], *rows, ["total", *totals, sum(totals)]]


def unit_header(facts: Iterable[str], annotators: Iterable[str]) -> Row:
    """The header of the units: what is known of each, each annotator, and what follows from their values."""
    return [*facts, *annotators, "labels", "pairs", "agreeing pairs", "agreement"]


def unit_row(facts: Iterable[Any], given: Mapping[Any, Value], annotators: Iterable[Annotator]) -> Row:
    """One unit: its facts, each annotator's value (empty: none), labels, pairs, agreeing pairs, share that agrees.

    A unit with fewer than two labels is listed and has no share: it does not enter the coefficient.
    """
    own = [_name(given[annotator]) if annotator in given else "" for annotator in annotators]
    return [*facts, *own, *_pairs(list(given.values()))]


def _pairs(values: Sequence[Value]) -> Row:
    pairs = len(values) * (len(values) - 1) // 2
    agreeing = sum(values[i] == values[j] for i in range(len(values)) for j in range(i))
    return [len(values), pairs, agreeing, agreeing / pairs if pairs else ""]


def _name(value: Value) -> Value:
    """A value as a cell: no error in words, a verdict as 1 or 0."""
    if value is None:
        return NO_VALUE
    return int(value) if isinstance(value, bool) else value
