"""Agreement where every step is labelled: one unit is one step of one solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from review import coefficients as of
from review import unit_sums as sums
from review.agreement import generator
from review.counting import Counts
from review.label_columns import LabelColumns, Mask
from review.questions import Measured, Question, Table, question


@dataclass(frozen=True, slots=True)
class StepCounts:
    """How often each value was given, a step a row: `items` and `clusters` are the step's solution and problem.

    `values` are the values of the scheme, used or not, in the order of the columns of `counts`.
    """

    items: npt.NDArray[Any]
    clusters: Counts
    values: tuple[int, ...]
    counts: Counts


@dataclass(frozen=True, slots=True)
class StepLabels:
    """What labels say of single steps, a labelled step a row; `label` is the label's place among the campaign's."""

    label: Counts
    position: Counts
    value: Counts

    def counts(self, labels: LabelColumns, scheme: Sequence[int], part: Mask | None = None) -> StepCounts:
        """Counted by solution and step; `part` says which of the labels count. Values must be of the scheme."""
        rows = np.ones(len(self.label), dtype=bool) if part is None else part[self.label]
        item, position = labels.item[self.label[rows]], self.position[rows]
        width = int(position.max(initial=0)) + 1
        keys, unit = np.unique(item * width + position, return_inverse=True)
        order = np.argsort(scheme)
        column = order[np.searchsorted(np.asarray(scheme)[order], self.value[rows])]
        cells = np.bincount(unit * len(scheme) + column, minlength=len(keys) * len(scheme))
        of_unit = keys // width
        counts = cells.reshape(len(keys), len(scheme))
        return StepCounts(labels.items[of_unit], labels.cluster[of_unit], tuple(scheme), counts)


def every_step(steps: StepCounts, names: Sequence[str], *, seed: int, resamples: int) -> Question:
    """Percent agreement, nominal alpha and AC1 over steps; intervals resample whole problems."""
    places = np.full(len(steps.counts), len(steps.values))
    table = Table.of(steps.items, steps.clusters, steps.values, steps.counts, places)
    c, p = table.counts, table.patterns
    measured = [
        Measured("unanimous", of.unanimous_share(c), sums.unanimous_sums(p)),
        Measured("percent", of.percent_agreement(c), sums.percent_sums(p)),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(p)),
        Measured("ac1", of.gwet_ac1(c, len(steps.values)), sums.ac1_sums(p, len(steps.values))),
    ]
    return question(table, measured, generator(seed, "every_step"), resamples, names)
