"""How far a model's verdicts on reasons can be trusted: from people's blind verdicts on a random sample of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from exports.joint_resamples import bounds
from exports.paired_tests import mcnemar
from exports.scoring import Array

LEAST_IN_STRATUM = 20
DRAWS = 10_000


class CannotCorrect(ValueError):
    """The people's verdicts do not allow a correction; the message says why."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Checked verdicts: model and people say same (tp), only people (fn), only the model (fp), neither (tn)."""

    tp: int
    fn: int
    fp: int
    tn: int

    @property
    def n(self) -> int:
        return self.tp + self.fn + self.fp + self.tn

    @property
    def ppv(self) -> float:
        """Share of the model's "same" that people confirm; 0 when the model never said so."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    @property
    def missed(self) -> float:
        """Share of the model's "different" that people call the same: 1 - NPV; 0 when the model never said so."""
        return self.fn / (self.fn + self.tn) if self.fn + self.tn else 0.0

    def check(self, n_same: int, n_all: int) -> None:
        """Raise CannotCorrect when a verdict of the model was checked fewer than 20 times, unless all of it was.

        `n_same` of all `n_all` verdicts are "same".
        """
        strata = (("same", self.tp + self.fp, n_same), ("different", self.fn + self.tn, n_all - n_same))
        for verdict, checked, given in strata:
            needed = min(LEAST_IN_STRATUM, given)
            if checked < needed:
                raise CannotCorrect(
                    f'People checked {checked} of the model\'s {given} verdicts "{verdict}"; {needed} are needed.'
                )


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of 1 with its standard error and 95 % interval."""

    estimate: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        z = NormalDist().inv_cdf(0.975)
        return max(0.0, self.estimate - z * self.error), min(1.0, self.estimate + z * self.error)


def corrected_rate(checked: Confusion, n_same: int, n_all: int) -> Rate:
    """Share of reasons that are right among all that the model judged, `n_same` of `n_all` as the same.

    theta = w1 PPV + w0 (1 - NPV) (Tenenbein 1970); the sample is random within the model's verdicts. The error counts
    one success and one failure more in each stratum. Raises: CannotCorrect.
    """
    checked.check(n_same, n_all)
    w1 = n_same / n_all
    ppv, missed = checked.ppv, checked.missed
    spread = w1**2 * _variance(checked.tp, checked.fp) + (1 - w1) ** 2 * _variance(checked.fn, checked.tn)
    spread += w1 * (1 - w1) * (ppv - missed) ** 2 / n_all
    return Rate(w1 * ppv + (1 - w1) * missed, math.sqrt(spread))


def _variance(hits: int, misses: int) -> float:
    share = (hits + 1) / (hits + misses + 2)
    return share * (1 - share) / (hits + misses + 2)


def ppi_rate(checked: Confusion, n_same: int, n_all: int, power: float | None = None) -> Rate:
    """The same share by prediction-powered inference; only for a plain random sample, not one drawn by verdict.

    `power` is lambda: 0 uses people alone, 1 is plain PPI, None the one with the least variance
    (Angelopoulos et al. 2023). `n_same` and `n_all` count all verdicts; those unchecked must be two at least.
    """
    n, unchecked = checked.n, n_all - checked.n
    if n < 2 or unchecked < 2:
        raise CannotCorrect("Two checked and two unchecked verdicts at least are needed.")
    human, model = (checked.tp + checked.fn) / n, (checked.tp + checked.fp) / n
    rest = (n_same - checked.tp - checked.fp) / unchecked
    covariance = checked.tp / n - human * model
    model_all = n_same / n_all
    chosen = power
    if chosen is None:
        spread = model_all * (1 - model_all)
        chosen = min(max(covariance / ((1 + n / unchecked) * spread), 0.0), 1.0) if spread else 0.0
    residual = human * (1 - human) + chosen**2 * model * (1 - model) - 2 * chosen * covariance
    variance = residual / n + chosen**2 * rest * (1 - rest) / unchecked
    return Rate(human + chosen * (rest - model), math.sqrt(variance))


def draw_confirmed(checked: Confusion, rng: np.random.Generator, draws: int = DRAWS) -> tuple[Array, Array]:
    """PPV and 1 - NPV as the sample leaves them uncertain, with one success and one failure more in each."""
    ppv = rng.beta(checked.tp + 1, checked.fp + 1, size=draws)
    missed = rng.beta(checked.fn + 1, checked.tn + 1, size=draws)
    return ppv, missed


def agreement(
    checked: Confusion, n_same: int, n_all: int, rng: np.random.Generator, *, plain: bool = False
) -> dict[str, Any]:
    """Model against people, as it would be over all `n_all` verdicts: the strata are weighted by how often they occur.

    bias is model minus people (a share of 1): above 0 the model gives too much credit. `plain` says that the sample was
    not drawn by verdict; McNemar's exact test needs that, or all verdicts checked. Intervals resample within strata.
    Raises: CannotCorrect.
    """
    checked.check(n_same, n_all)
    w1 = n_same / n_all
    n1, n0 = checked.tp + checked.fp, checked.fn + checked.tn
    figures = _figures(w1, checked.ppv, checked.missed)
    figures |= {name: np.nan for name, n in (("ppv", n1), ("npv", n0)) if not n}
    shares = rng.binomial(n_all, w1, size=DRAWS) / n_all if 0 < w1 < 1 else np.full(DRAWS, w1)
    confirmed = rng.binomial(n1, checked.ppv, size=DRAWS) / max(n1, 1)
    drawn = _figures(shares, confirmed, rng.binomial(n0, checked.missed, size=DRAWS) / max(n0, 1))
    representative = plain or checked.n == n_all
    return {
        "n_checked": checked.n,
        "n_compared": n_all,
        "confusion": {name: getattr(checked, name) for name in ("tp", "fn", "fp", "tn")},
        **{name: float(value) if np.isfinite(value) else None for name, value in figures.items()},
        "intervals": {name: bounds(values) for name, values in drawn.items() if name in ("kappa", "bias", "agreement")},
        "mcnemar_p": mcnemar(checked.fn, checked.fp).p_exact if representative else None,
    }


def _figures(w1: Any, ppv: Any, missed: Any) -> dict[str, Any]:
    """Figures of the four cells w1 PPV, w1 (1 - PPV), w0 (1 - NPV), w0 NPV; nan where undefined."""
    w0 = 1 - w1
    tp, fp, fn, tn = w1 * ppv, w1 * (1 - ppv), w0 * missed, w0 * (1 - missed)
    human, agree = tp + fn, tp + tn
    chance = human * w1 + (1 - human) * w0
    mean = (human + w1) / 2
    chance_ac1 = 2 * mean * (1 - mean)
    return {
        "model_rate": w1,
        "human_rate": human,
        "bias": w1 - human,
        "agreement": agree,
        "kappa": _share(agree - chance, 1 - chance),
        "ac1": _share(agree - chance_ac1, 1 - chance_ac1),
        "ppv": ppv,
        "npv": 1 - missed,
        "sensitivity": _share(tp, tp + fn),
        "specificity": _share(tn, tn + fp),
    }


def _share(part: Any, whole: Any) -> Any:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole > 1e-12)
