"""Whether two annotators' reasons for the same step say the same, as leads judged it and as a model hinted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sentences import gettext_noop
from review.agreement import generator
from review.coefficients import Coefficient, cohen_kappa
from review.counting import Counts, Floats
from review.intervals import intervals
from review.questions import Figure, Measured, Question, warnings
from review.unit_sums import UnitSums

NOT_SAID = -1
BLIND_ONLY = gettext_noop("Over the pairs a lead judged without seeing the hint.")


class NoPair(StrEnum):
    """Why there is no figure of reasons."""

    LEAD = gettext_noop("No lead has compared two reasons yet.")
    HINT = gettext_noop("No model has compared two reasons yet.")
    BOTH = gettext_noop("No pair with a hint was judged by a lead who did not see it.")
    ONE_ANSWER = gettext_noop("Leads and hints all say the same, so agreement beyond chance is not defined.")


@dataclass(frozen=True, slots=True)
class ReasonPairs:
    """A pair of reasons a row. `lead` and `hint` are 1 for the same, 0 for different, -1 when nobody said.

    `shown` tells whether the lead saw the hint; `items` and `clusters` are the pair's solution and problem.
    """

    items: npt.NDArray[Any]
    clusters: Counts
    lead: Counts
    hint: Counts
    shown: npt.NDArray[np.bool_]


def reason(pairs: ReasonPairs, *, seed: int, resamples: int) -> Question:
    """Share of the pairs judged the same by leads and by hints, and how far the hints agree with the leads.

    A figure's `n_units` are pairs, its `n_labels` the two reasons of each.
    """
    judged, hinted = pairs.lead != NOT_SAID, pairs.hint != NOT_SAID
    checked = judged & hinted & ~pairs.shown
    alike = (pairs.lead == pairs.hint).astype(np.int64)
    found: dict[str, Figure] = {}
    shares = {
        "same_lead": (pairs.lead, judged, NoPair.LEAD, ""),
        "same_hint": (pairs.hint, hinted, NoPair.HINT, ""),
        "hint_agrees": (alike, checked, NoPair.BOTH, str(BLIND_ONLY)),
    }
    for name, (value, rows, why, caveat) in shares.items():
        found[name] = _share(name, pairs, value, rows, str(why), (seed, resamples), caveat)
    found["hint_kappa"] = _kappa(pairs, checked, (seed, resamples))
    n, same = int(judged.sum()), int((pairs.lead == 1).sum())
    names = {"different": (n - same) / n, "same": same / n} if n else {"different": 0.0, "same": 0.0}
    return Question(found, names, len(pairs.items), None, warnings(_twice(pairs.lead[judged])))


def _twice(value: Counts) -> Counts:
    """A judgement of two reasons as two labels, pairs x (different, same)."""
    return 2 * np.eye(2, dtype=np.int64)[value]


def _share(
    name: str, pairs: ReasonPairs, value: Counts, rows: npt.NDArray[np.bool_], why: str, draw: tuple[int, int],
    caveat: str,
) -> Figure:  # fmt: skip
    said, n = value[rows], int(rows.sum())
    share = Coefficient(float(said.mean()), "", n, 2 * n) if n else Coefficient(None, why, 0, 0)

    def divide(total: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(total[:, 1] / total.sum(axis=1))

    return _figure(Measured(name, share, UnitSums(np.eye(2), divide), caveat=caveat), pairs, rows, said, said, draw)


def _kappa(pairs: ReasonPairs, rows: npt.NDArray[np.bool_], draw: tuple[int, int]) -> Figure:
    lead, hint, n = pairs.lead[rows], pairs.hint[rows], int(rows.sum())
    value = cohen_kappa(lead.tolist(), hint.tolist()).value
    why = "" if value is not None else str(NoPair.ONE_ANSWER if n else NoPair.BOTH)
    kappa = Coefficient(value, why, n, 2 * n if n else 0)
    measured = Measured("hint_kappa", kappa, UnitSums(np.eye(4), _kappa_of_cells), caveat=str(BLIND_ONLY))
    alike = (lead == hint).astype(np.int64)
    return _figure(measured, pairs, rows, 2 * lead + hint, alike, draw)


def _kappa_of_cells(total: Floats) -> Floats:
    """Cohen's kappa of the four cells (lead, hint): 00, 01, 10, 11."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = total / total.sum(axis=1, keepdims=True)
        lead, hint = share[:, 2] + share[:, 3], share[:, 1] + share[:, 3]
        chance = lead * hint + (1 - lead) * (1 - hint)
        return np.asarray((share[:, 0] + share[:, 3] - chance) / np.where(chance < 1 - 1e-12, 1 - chance, np.nan))


def _figure(
    measured: Measured, pairs: ReasonPairs, rows: npt.NDArray[np.bool_], pattern_of: Counts, alike: Counts,
    draw: tuple[int, int],
) -> Figure:  # fmt: skip
    """`pattern_of` is each pair's row in the measured sums, `alike` (1, 0) says on which side it opens."""
    items, clusters = pairs.items[rows], pairs.clusters[rows]
    (interval,) = intervals(
        [measured.sums], _twice(alike), clusters, generator(draw[0], measured.name),
        resamples=draw[1], pattern_of=pattern_of,
    )  # fmt: skip
    part = measured.coefficient
    agreeing, differing = (tuple(dict.fromkeys(items[alike == side].tolist())) for side in (1, 0))
    return Figure(
        measured.name, part.value, part.undefined, interval, part.n_units, part.n_labels,
        agreeing, differing, measured.caveat,
    )  # fmt: skip
