"""ACC_reason and MR-Score corrected by people's checks of a model's verdicts, for one judge or several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from exports.double_sampling import Confusion, draw_confirmed
from exports.joint_resamples import Resampled, Values
from exports.scoring import Array


def corrected(found: Mapping[str, Any], checked: Confusion, reason_weight: float) -> dict[str, float | None]:
    """Corrected `acc_reason` and `mr_score` of a group or a mean of groups; None where the raw ones are.

    acc_reason = raw PPV + (acc_step - raw)(1 - NPV): of the steps found, the reasons that people would call the same.
    PPV and NPV are those of all that was checked, how often each verdict occurs is the group's own.
    """
    if found["acc_reason"] is None:
        return {"acc_reason": None, "mr_score": None}
    raw = found["acc_reason"]
    reason = raw * checked.ppv + (found["acc_step"] - raw) * checked.missed
    return {"acc_reason": reason, "mr_score": found["mr_score"] + reason_weight * (reason - raw)}


def corrected_resamples(
    drawn: Resampled, checks: Sequence[Confusion], rng: np.random.Generator, reason_weight: float
) -> Resampled:
    """The resamples with both figures corrected, `checks` in the order of the judges.

    What the checks leave uncertain is drawn for each resample too, for each judge by itself: two judges' samples were
    drawn apart.
    """
    resamples = len(drawn.pooled["acc_step"])
    confirmed = [draw_confirmed(checked, rng, draws=resamples) for checked in checks]
    ppv, missed = (np.column_stack(part) for part in zip(*confirmed, strict=True))

    def values(found: Values) -> Values:
        raw: Array = found["acc_reason"]
        reason = raw * ppv + (found["acc_step"] - raw) * missed
        return {**found, "acc_reason": reason, "mr_score": found["mr_score"] + reason_weight * (reason - raw)}

    return replace(
        drawn,
        macro=values(drawn.macro),
        pooled=values(drawn.pooled),
        subjects={name: values(found) for name, found in drawn.subjects.items()},
    )
