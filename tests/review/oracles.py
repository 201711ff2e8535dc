"""Published worked examples and real data sets, outside the repository."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"
ABSENT = "the folder of published examples and real data is not beside the project"


def entries(*names: str, leaving_out: Sequence[str] = ()) -> list[Any]:
    """The worked examples of some files as parameters, by id; one skipped parameter where the folder is absent."""
    if not SHARED.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=ABSENT))]
    found = [entry for name in names for entry in oracle(name)["entries"] if entry["id"] not in leaving_out]
    return [pytest.param(entry, id=entry["id"]) for entry in found]


def entry(name: str, identity: str) -> Any:
    """One worked example; the test is skipped where the folder is absent."""
    return next(each for each in oracle(name)["entries"] if each["id"] == identity)


def oracle(name: str) -> Any:
    return json.loads(shared("oracles", f"{name}.json").read_text(encoding="utf-8"))


def shared(*parts: str) -> Path:
    """A file of the folder; the test is skipped where the folder is absent."""
    if not SHARED.exists():
        pytest.skip(ABSENT)
    return SHARED.joinpath(*parts)


def counts_of_raters(data: Sequence[Sequence[Any]], values: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Count matrix of raters x units with None for missing."""
    return np.array([[[row[unit] for row in data].count(v) for v in values] for unit in range(len(data[0]))])


def counts_of_table(table: Sequence[Sequence[float]]) -> npt.NDArray[np.int64]:
    """Count matrix of two raters' contingency table."""
    rows = []
    for first, line in enumerate(table):
        for second, n in enumerate(line):
            row = [0] * len(table)
            row[first] += 1
            row[second] += 1
            rows += [row] * round(n)
    return np.array(rows)
