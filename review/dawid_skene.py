"""Dawid-Skene: how sure a unit's labels are, given how its annotators err. It orders a queue and never decides gold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from review.counting import Annotator, Counts, Floats, Unit, Value, Votes, annotators_of, values_of

SMOOTHED_BELOW = 200
BESIDE, DIAGONAL = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """A fitted model (Dawid and Skene 1979).

    prior: share of each value. posterior: units x values. confusion: annotators x true value x given value.
    """

    units: tuple[Unit, ...]
    annotators: tuple[Annotator, ...]
    values: tuple[Value, ...]
    prior: Floats
    posterior: Floats
    confusion: Floats
    log_likelihood: float
    iterations: int

    def by_uncertainty(self) -> list[Unit]:
        """The units, highest entropy of the posterior first; equal ones keep their order."""
        doubt = np.round(_entropies(self.posterior), 9)
        return [self.units[row] for row in np.argsort(-doubt, kind="stable")]


def _entropies(shares: Floats) -> Floats:
    """Of each row of shares, in nats; 0 log 0 counts as 0."""
    logarithms = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logarithms).sum(axis=1)


def fit(votes: Votes, *, smoothed: bool, max_iterations: int = 2000, tolerance: float = 1e-8) -> DawidSkene:
    """Maximise the likelihood by expectation-maximisation from the vote shares; units without a label are left out.

    It stops when no posterior moves by more than `tolerance`.
    `smoothed` adds half a label to each cell of an annotator's confusion, one on its diagonal: for small sets.
    Raises: ValueError when there is no label.
    """
    units = tuple(unit for unit, given in votes.items() if given)
    annotators, values = annotators_of(votes), values_of(votes)
    if not units:
        raise ValueError("There is no label to learn from.")
    rows, who, what = _codes(votes, units, annotators, values)
    posterior = np.zeros((len(units), len(values)))
    np.add.at(posterior, (rows, what), 1.0)
    posterior /= posterior.sum(axis=1, keepdims=True)
    iterations, change = 0, np.inf
    while change > tolerance and iterations < max_iterations:
        prior = posterior.mean(axis=0)
        confusion = _confusion(posterior, rows, who, what, (len(annotators), smoothed))
        latest, likelihood = _expect(prior, confusion, rows, who, what)
        change = np.abs(latest - posterior).max()
        posterior, iterations = latest, iterations + 1
    return DawidSkene(units, annotators, values, prior, posterior, confusion, likelihood, iterations)


def adjudication_order(votes: Votes) -> list[Unit]:
    """The units with a label, the ones most likely to need a lead first; sets below 200 units are smoothed."""
    if not any(votes.values()):
        return []
    return fit(votes, smoothed=len(votes) < SMOOTHED_BELOW).by_uncertainty()


def _codes(
    votes: Votes, units: tuple[Unit, ...], annotators: tuple[Annotator, ...], values: tuple[Value, ...]
) -> tuple[Counts, Counts, Counts]:
    """Unit, annotator and value of each label as positions."""
    of_annotator = {annotator: code for code, annotator in enumerate(annotators)}
    of_value = {value: code for code, value in enumerate(values)}
    labels = [
        (row, of_annotator[annotator], of_value[value])
        for row, unit in enumerate(units)
        for annotator, value in votes[unit].items()
    ]
    rows, who, what = np.array(labels, dtype=np.int64).T
    return rows, who, what


def _confusion(posterior: Floats, rows: Counts, who: Counts, what: Counts, shape: tuple[int, bool]) -> Floats:
    n_annotators, smoothed = shape
    n_values = posterior.shape[1]
    given = np.zeros((n_annotators, n_values, n_values))
    if smoothed:
        given += np.where(np.eye(n_values, dtype=bool), DIAGONAL, BESIDE)
    np.add.at(given.transpose(0, 2, 1), (who, what), posterior[rows])
    totals = given.sum(axis=2, keepdims=True)
    # An annotator who never met a value says nothing about it.
    return np.divide(given, totals, out=np.full_like(given, 1 / n_values), where=totals > 0)


def _expect(prior: Floats, confusion: Floats, rows: Counts, who: Counts, what: Counts) -> tuple[Floats, float]:
    """Posterior of each unit and the log-likelihood of all labels."""
    tiny = np.finfo(np.float64).tiny
    joint = np.tile(np.log(np.maximum(prior, tiny)), (int(rows.max()) + 1, 1))
    np.add.at(joint, rows, np.log(np.maximum(confusion[who, :, what], tiny)))
    peak = joint.max(axis=1, keepdims=True)
    scaled = np.exp(joint - peak)
    totals = scaled.sum(axis=1, keepdims=True)
    return scaled / totals, float((np.log(totals) + peak).sum())
