"""Agreement of blind first labels, each question at its own grain: verdict, first erroneous step, category."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.sentences import gettext_noop
from review import coefficients as of
from review import label_columns as ask
from review import unit_sums as sums
from review.label_columns import Asked, Label, LabelColumns, check, columns_of
from review.questions import Measured, Question, Table, question

__all__ = ["AgreementReport", "Label", "check", "measure"]

PAIRS_CAVEAT = gettext_noop("Percent agreement: each pair of labels counts once, so items with more labels weigh more.")
ORDINAL_CAVEAT = gettext_noop(
    "Ordinal alpha pools solutions of different lengths, so its distances between steps have no fixed meaning. "
    "“No error” counts as the place after the last step."
)


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """The figures of every question; the same labels, seed and resamples give the same report.

    correctness: unit = item. first_error: verdict and step as one value, unit = item.
    given_both_incorrect: the step, over labels that say incorrect. category: unit = item and step that two labels name.
    """

    correctness: Question
    first_error: Question
    given_both_incorrect: Question
    category: Question
    n_units: int
    n_labels: int
    n_annotators: int
    seed: int
    resamples: int

    def as_dict(self) -> dict[str, Any]:
        """The parts by name, ready for JSON: what is undefined is null beside its reason, never NaN."""
        questions = ("correctness", "first_error", "given_both_incorrect", "category")
        sizes = ("n_units", "n_labels", "n_annotators", "seed", "resamples")
        return {name: getattr(self, name).as_dict() for name in questions} | {
            name: getattr(self, name) for name in sizes
        }


def measure(labels: Sequence[Label] | LabelColumns, *, seed: int, resamples: int = 10_000) -> AgreementReport:
    """All agreement figures of blind first labels; intervals resample whole problems (0 resamples: none yet).

    Each question draws from its own generator, made of the seed and its name.
    Raises: ValueError naming the item when a label contradicts itself or another label of the same item.
    """
    columns = labels if isinstance(labels, LabelColumns) else columns_of(labels)
    twice = int((np.bincount(columns.item, minlength=1) >= 2).sum())

    def figures_of(measured: Callable[[LabelColumns, np.random.Generator, int, int], Question]) -> Question:
        return measured(columns, generator(seed, measured.__name__.removeprefix("_")), resamples, twice)

    return AgreementReport(
        correctness=figures_of(_correctness),
        first_error=figures_of(_first_error),
        given_both_incorrect=figures_of(_given_both_incorrect),
        category=figures_of(_category),
        n_units=len(columns.items),
        n_labels=len(columns),
        n_annotators=len(np.unique(columns.annotator)),
        seed=seed,
        resamples=resamples,
    )


def generator(seed: int, name: str) -> np.random.Generator:
    """The random numbers of one question."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def _correctness(labels: LabelColumns, rng: np.random.Generator, resamples: int, _twice: int) -> Question:
    table = _table(ask.correctness(labels))
    c, p = table.counts, table.patterns
    measured = [
        Measured("unanimous", of.unanimous_share(c), sums.unanimous_sums(p)),
        Measured("percent", of.percent_agreement(c), sums.percent_sums(p)),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(p)),
        Measured("ac1", of.gwet_ac1(c), sums.ac1_sums(p, 2)),
        Measured("positive", of.specific_agreement(c, 1), sums.specific_sums(p, 1)),
        Measured("negative", of.specific_agreement(c, 0), sums.specific_sums(p, 0)),
    ]
    return question(table, measured, rng, resamples, ("incorrect", "correct"))


def _first_error(labels: LabelColumns, rng: np.random.Generator, resamples: int, _twice: int) -> Question:
    asked = ask.first_error(labels)
    table, values = _table(asked), asked.answers.values
    c, p, near = table.counts, table.patterns, of.within_one(values)  # type: ignore[arg-type]
    ordinal = of.krippendorff_alpha(c, "ordinal")
    measured = [
        Measured("unanimous", of.unanimous_share(c), sums.unanimous_sums(p)),
        Measured("percent", of.percent_agreement(c), sums.percent_sums(p)),
        Measured("within_one", of.percent_agreement(c, near), sums.percent_sums(p, near), near),
        Measured(
            "brennan_prediger",
            of.brennan_prediger(c, asked.places),
            sums.brennan_prediger_sums(p, asked.places[table.first]),
        ),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(p)),
        Measured("alpha_ordinal", ordinal, sums.alpha_sums(p, "ordinal"), caveat=ORDINAL_CAVEAT),
    ]
    return question(table, measured, rng, resamples, [*map(str, values[:-1]), "no error"])


def _given_both_incorrect(labels: LabelColumns, rng: np.random.Generator, resamples: int, twice: int) -> Question:
    asked = ask.given_both_incorrect(labels)
    table, values = _table(asked), asked.answers.values
    c, p, near = table.counts, table.patterns, of.within_one(values)  # type: ignore[arg-type]
    measured = [
        Measured("percent", of.pair_agreement(c), sums.pair_sums(p), caveat=PAIRS_CAVEAT),
        Measured("within_one", of.pair_agreement(c, near), sums.pair_sums(p, near), near),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(p)),
    ]
    return _entering(question(table, measured, rng, resamples, [*map(str, values)]), table, twice)


def _category(labels: LabelColumns, rng: np.random.Generator, resamples: int, twice: int) -> Question:
    asked = ask.category(labels)
    table, values = _table(asked), asked.answers.values
    c, p = table.counts, table.patterns
    measured = [
        Measured("percent", of.pair_agreement(c), sums.pair_sums(p), caveat=PAIRS_CAVEAT),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(p)),
    ]
    return _entering(question(table, measured, rng, resamples, [*map(str, values)]), table, twice)


def _entering(found: Question, table: Table, twice: int) -> Question:
    """With the share of the items with two labels that keep two labels in the table."""
    kept = len(set(table.items[table.counts.sum(axis=1) >= 2].tolist()))
    return replace(found, entering=kept / twice if twice else None)


def _table(asked: Asked) -> Table:
    return Table.of(asked.items, asked.clusters, asked.answers.values, asked.answers.counts(), asked.places)
