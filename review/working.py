"""The working behind a coefficient as rows for CSV: its coincidences, its units, and the arithmetic of alpha."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from review.coefficients import krippendorff_alpha
from review.counting import Unit, Value, Votes, annotators_of, coincidences, count_votes

type Row = list[Any]
NO_VALUE = "no error"


def coincidence_rows(votes: Votes, values: Sequence[Value]) -> list[Row]:
    """Krippendorff's coincidence table with its margins, header first.

    A pair of a unit's m labels counts 1/(m-1), so a unit with two or more labels counts m in all.
    """
    table = coincidences(count_votes(votes, values))
    names = [_name(value) for value in values]
    rows: list[Row] = [[name, *row, sum(row)] for name, row in zip(names, table.tolist(), strict=True)]
    return [["value", *names, "total"], *rows, ["total", *table.sum(axis=0).tolist(), float(table.sum())]]


def unit_rows(votes: Votes) -> list[Row]:
    """One row per unit, header first: each annotator's value, labels, pairs, agreeing pairs, share that agrees.

    Units with fewer than two labels are listed and have no share: they do not enter the coefficient.
    """
    annotators = annotators_of(votes)
    rows: list[Row] = [["item", *annotators, "labels", "pairs", "agreeing pairs", "agreement"]]
    for unit, given in votes.items():
        own = [_name(given[annotator]) if annotator in given else "" for annotator in annotators]
        rows.append([_unit_name(unit), *own, *_pairs(list(given.values()))])
    return rows


def alpha_rows(votes: Votes, values: Sequence[Value]) -> list[Row]:
    """The arithmetic of nominal alpha, header first; what is undefined is empty and followed by its reason."""
    counts = count_votes(votes, values)
    table = coincidences(counts)
    margins, n = table.sum(axis=0), table.sum()
    alpha = krippendorff_alpha(counts)
    observed = float(1 - np.trace(table) / n) if n else None
    expected = float((n**2 - (margins**2).sum()) / (n * (n - 1))) if n else None
    return [
        ["quantity", "value", "note"],
        ["items with two or more labels", alpha.n_units, ""],
        ["labels on them (n)", alpha.n_labels, ""],
        ["observed disagreement", observed, "share of coincidences off the diagonal"],
        ["expected disagreement", expected, "(n squared - sum of squared totals) / (n (n - 1))"],
        ["alpha", alpha.value, alpha.undefined or "1 - observed / expected"],
    ]


def _pairs(values: Sequence[Value]) -> Row:
    pairs = len(values) * (len(values) - 1) // 2
    agreeing = sum(values[i] == values[j] for i in range(len(values)) for j in range(i))
    return [len(values), pairs, agreeing, agreeing / pairs if pairs else ""]


def _name(value: Value) -> Value:
    """A value as a cell: no error in words, a verdict as 1 or 0."""
    if value is None:
        return NO_VALUE
    return int(value) if isinstance(value, bool) else value


def _unit_name(unit: Unit) -> Unit:
    return ", ".join(map(str, unit)) if isinstance(unit, tuple) else unit
