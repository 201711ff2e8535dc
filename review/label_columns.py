"""Blind first labels, one by one or as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from review.counting import Annotator, Answers, Counts, Unit

NO_ERROR = -1
type Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Label:
    """One annotator's blind first label of one item (`unit`); `cluster` is its problem.

    `first_error` is 0-based, None exactly when `correct`; `category` is empty when none was given.
    """

    unit: int | str
    cluster: int | str
    annotator: Annotator
    correct: bool
    first_error: int | None
    n_steps: int
    category: str = ""


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """Labels as columns. `items` (ids), `cluster` (its problem) and `n_steps` have one entry per item.

    `item`, `annotator`, `first_error` (-1: no error) and `category` have one entry per label; all but `first_error`
    are positions, in `items`, `annotators` and `categories` (the first of which is "", none given).
    """

    items: npt.NDArray[Any]
    cluster: Counts
    n_steps: Counts
    annotators: tuple[Annotator, ...]
    categories: tuple[str, ...]
    item: Counts
    annotator: Counts
    first_error: Counts
    category: Counts

    def __len__(self) -> int:
        return len(self.item)

    def only(self, wanted: Mask) -> LabelColumns:
        """Some of the labels, and the items they are of."""
        kept, item = np.unique(self.item[wanted], return_inverse=True)
        return replace(
            self, items=self.items[kept], cluster=self.cluster[kept], n_steps=self.n_steps[kept], item=item,
            annotator=self.annotator[wanted], first_error=self.first_error[wanted], category=self.category[wanted],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's answers, with the item and problem of each unit and the number of values it could have."""

    answers: Answers
    items: npt.NDArray[Any]
    clusters: Counts
    places: Counts


def correctness(labels: LabelColumns) -> Asked:
    """Unit: item; correct or not."""
    value = (labels.first_error == NO_ERROR).astype(np.int64)
    return _by_item(labels, (False, True), labels.item, labels.annotator, value)


def first_error(labels: LabelColumns) -> Asked:
    """Unit: item; first erroneous step, None (the last value) for no error."""
    steps, value = _steps(labels.first_error)
    return _by_item(labels, (*steps, None), labels.item, labels.annotator, value)


def given_both_incorrect(labels: LabelColumns) -> Asked:
    """Unit: item; first erroneous step, over the labels that say incorrect."""
    said = labels.only(labels.first_error != NO_ERROR)
    steps, value = _steps(said.first_error)
    return _by_item(said, steps, said.item, said.annotator, value)


def category(labels: LabelColumns) -> Asked:
    """Unit: item and step; category, over the labels that give one: other steps are other objects."""
    said = labels.only((labels.first_error != NO_ERROR) & (labels.category > 0))
    width = int(said.first_error.max(initial=0)) + 1
    keys, unit = np.unique(said.item * width + said.first_error, return_inverse=True)
    item, step = keys // width, keys % width
    used = np.unique(said.category)
    values = sorted(said.categories[code] for code in used.tolist())
    code = np.array([values.index(name) if name in values else 0 for name in said.categories], dtype=np.int64)
    ids: list[Unit] = list(zip(said.items[item].tolist(), step.tolist(), strict=True))
    answers = Answers(ids, said.annotators, tuple(values), unit, said.annotator, code[said.category])
    return Asked(answers, said.items[item], said.cluster[item], np.full(len(ids), len(values)))


def columns_of(labels: Sequence[Label]) -> LabelColumns:
    """Checked labels as columns. Raises: ValueError as `check`."""
    check(labels)
    items: dict[Unit, int] = {}
    clusters: dict[Unit, int] = {}
    categories: dict[str, int] = {"": 0}
    found = {label.annotator for label in labels}
    annotators = tuple(sorted(found, key=lambda annotator: (isinstance(annotator, str), annotator)))
    who = {annotator: n for n, annotator in enumerate(annotators)}
    facts: dict[int, tuple[int, int]] = {}
    rows = []
    for label in labels:
        number = items.setdefault(label.unit, len(items))
        facts[number] = (clusters.setdefault(label.cluster, len(clusters)), label.n_steps)
        place = NO_ERROR if label.first_error is None else label.first_error
        rows.append((number, who[label.annotator], place, categories.setdefault(label.category, len(categories))))
    ids = np.empty(len(items), dtype=object)
    ids[:] = list(items)
    cluster, n_steps = np.array([facts[n] for n in range(len(items))], dtype=np.int64).reshape(len(items), 2).T
    item, annotator, step, code = np.array(rows, dtype=np.int64).reshape(len(rows), 4).T
    return LabelColumns(ids, cluster, n_steps, annotators, tuple(categories), item, annotator, step, code)


def check(labels: Iterable[Label]) -> None:
    """Raise ValueError naming the item when a label contradicts itself or another label of the same item."""
    facts: dict[Unit, tuple[int, Unit]] = {}
    seen: set[tuple[Unit, Annotator]] = set()
    for label in labels:
        at = f"Item {label.unit!r}, annotator {label.annotator!r}"
        if label.correct != (label.first_error is None):
            raise ValueError(f"{at}: a correct solution has no first erroneous step, an incorrect one has one.")
        if label.first_error is not None and not 0 <= label.first_error < label.n_steps:
            raise ValueError(f"{at}: there is no step at position {label.first_error}; there are {label.n_steps}.")
        if (label.unit, label.annotator) in seen:
            raise ValueError(f"{at}: two labels; agreement needs one label per annotator.")
        if facts.setdefault(label.unit, (label.n_steps, label.cluster)) != (label.n_steps, label.cluster):
            raise ValueError(f"{at}: number of steps or problem differs from another label of the same item.")
        seen.add((label.unit, label.annotator))


def _steps(given: Counts) -> tuple[tuple[int, ...], Counts]:
    """The steps that are named, rising, and each label's place among them; no error comes after the last."""
    steps = np.unique(given[given != NO_ERROR])
    value = np.where(given == NO_ERROR, len(steps), np.searchsorted(steps, given))
    return tuple(steps.tolist()), value


def _by_item(labels: LabelColumns, values: tuple[Any, ...], unit: Counts, annotator: Counts, value: Counts) -> Asked:
    answers = Answers(labels.items, labels.annotators, values, unit, annotator, value)  # type: ignore[arg-type]
    return Asked(answers, labels.items, labels.cluster, labels.n_steps + 1)
