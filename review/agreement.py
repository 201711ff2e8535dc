"""Agreement of blind first labels, each question at its own grain: verdict, first erroneous step, category."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from review import coefficients as of
from review import unit_sums as sums
from review.counting import Annotator, Counts, Unit, Value, Votes, count_votes
from review.pairwise import pairs
from review.questions import Measured, Question, Table, figures, n_pairs, warnings

NO_ERROR: Final = None
ORDINAL_CAVEAT = (
    "Ordinal alpha pools solutions of different lengths, so its distances between steps have no fixed meaning. "
    '"No error" counts as the place after the last step.'
)


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


def measure(labels: Sequence[Label], *, seed: int, resamples: int = 10_000) -> AgreementReport:
    """All agreement figures of blind first labels; intervals resample whole problems.

    Each question draws from its own generator, made of the seed and its name.
    Raises: ValueError naming the item when a label contradicts itself or another label of the same item.
    """
    check(labels)

    def ask(name: str, question: Callable[[Sequence[Label], np.random.Generator, int], Question]) -> Question:
        return question(labels, np.random.default_rng([seed, zlib.crc32(name.encode())]), resamples)

    return AgreementReport(
        correctness=ask("correctness", _correctness),
        first_error=ask("first_error", _first_error),
        given_both_incorrect=ask("given_both_incorrect", _given_both_incorrect),
        category=ask("category", _category),
        n_units=len({label.unit for label in labels}),
        n_labels=len(labels),
        n_annotators=len({label.annotator for label in labels}),
        seed=seed,
        resamples=resamples,
    )


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


def correctness_votes(labels: Iterable[Label]) -> Votes:
    """Item -> annotator -> correct or not."""
    return _votes((label.unit, label.annotator, label.correct) for label in labels)


def first_error_votes(labels: Iterable[Label]) -> Votes:
    """Item -> annotator -> first erroneous step, None for no error."""
    return _votes((label.unit, label.annotator, label.first_error) for label in labels)


def step_votes(labels: Iterable[Label]) -> Votes:
    """Item -> annotator -> first erroneous step, over the labels that say incorrect."""
    return first_error_votes(label for label in labels if not label.correct)


def category_votes(labels: Iterable[Label]) -> Votes:
    """(Item, step) -> annotator -> category, over the labels that give one: other steps are other objects."""
    given = (label for label in labels if label.category and not label.correct)
    return _votes(((label.unit, label.first_error), label.annotator, label.category) for label in given)


def _correctness(labels: Sequence[Label], rng: np.random.Generator, resamples: int) -> Question:
    votes = correctness_votes(labels)
    table = _table(votes, (False, True), labels)
    c = table.counts
    measured = [
        Measured("unanimous", of.unanimous_share(c), sums.unanimous_sums(c)),
        Measured("percent", of.percent_agreement(c), sums.percent_sums(c)),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(c)),
        Measured("ac1", of.gwet_ac1(c), sums.ac1_sums(c, 2)),
        Measured("positive", of.specific_agreement(c, 1), sums.specific_sums(c, 1)),
        Measured("negative", of.specific_agreement(c, 0), sums.specific_sums(c, 0)),
    ]
    question = _question(table, measured, rng, resamples, ("incorrect", "correct"))
    return replace(question, pairs=pairs(votes))


def _first_error(labels: Sequence[Label], rng: np.random.Generator, resamples: int) -> Question:
    steps = sorted({label.first_error for label in labels if label.first_error is not None})
    table = _table(first_error_votes(labels), (*steps, NO_ERROR), labels)
    c, near = table.counts, of.within_one((*steps, NO_ERROR))
    n_steps: dict[Unit, int] = {label.unit: label.n_steps for label in labels}
    places = np.array([n_steps[item] + 1 for item in table.items], dtype=np.int64)
    measured = [
        Measured("unanimous", of.unanimous_share(c), sums.unanimous_sums(c)),
        Measured("percent", of.percent_agreement(c), sums.percent_sums(c)),
        Measured("within_one", of.percent_agreement(c, near), sums.percent_sums(c, near), near),
        Measured("brennan_prediger", of.brennan_prediger(c, places), sums.brennan_prediger_sums(c, places)),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(c)),
        Measured(
            "alpha_ordinal", of.krippendorff_alpha(c, "ordinal"), sums.alpha_sums(c, "ordinal"), caveat=ORDINAL_CAVEAT
        ),
    ]
    return _question(table, measured, rng, resamples, [*map(str, steps), "no error"])


def _given_both_incorrect(labels: Sequence[Label], rng: np.random.Generator, resamples: int) -> Question:
    steps = sorted({label.first_error for label in labels if label.first_error is not None})
    table = _table(step_votes(labels), steps, labels)
    c, near = table.counts, of.within_one(steps)
    measured = [
        Measured("percent", of.pair_agreement(c), sums.pair_sums(c)),
        Measured("within_one", of.pair_agreement(c, near), sums.pair_sums(c, near), near),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(c)),
    ]
    question = _question(table, measured, rng, resamples, [*map(str, steps)])
    return replace(question, entering=_entering(table, labels))


def _category(labels: Sequence[Label], rng: np.random.Generator, resamples: int) -> Question:
    votes = category_votes(labels)
    categories = sorted({label.category for label in labels if label.category and not label.correct})
    table = _table(votes, categories, labels, [unit[0] for unit in votes if isinstance(unit, tuple)])
    c = table.counts
    measured = [
        Measured("percent", of.pair_agreement(c), sums.pair_sums(c)),
        Measured("alpha", of.krippendorff_alpha(c), sums.alpha_sums(c)),
    ]
    question = _question(table, measured, rng, resamples, categories)
    return replace(question, entering=_entering(table, labels))


def _question(
    table: Table, measured: Sequence[Measured], rng: np.random.Generator, resamples: int, names: Sequence[str]
) -> Question:
    c = table.counts
    shares = (c.sum(axis=0) / max(1, int(c.sum()))).tolist()
    entering = 1.0 if (c.sum(axis=1) >= 2).any() else None
    return Question(
        figures(table, measured, rng, resamples),
        dict(zip(names, shares, strict=True)),
        n_pairs(c),
        entering,
        warnings(c),
    )


def _entering(table: Table, labels: Sequence[Label]) -> float | None:
    """Share of the items with two labels that keep two labels in the table."""
    given = correctness_votes(labels).values()
    twice = sum(len(of_item) >= 2 for of_item in given)
    kept = {item for item, n in zip(table.items, table.counts.sum(axis=1), strict=True) if n >= 2}
    return len(kept) / twice if twice else None


def _table(
    votes: Votes, values: Sequence[Value], labels: Sequence[Label], items: Sequence[Unit] | None = None
) -> Table:
    units = tuple(votes) if items is None else tuple(items)
    number: dict[Unit, int] = {}
    cluster: dict[Unit, int] = {label.unit: number.setdefault(label.cluster, len(number)) for label in labels}
    clusters: Counts = np.array([cluster[unit] for unit in units], dtype=np.int64)
    return Table(units, clusters, tuple(values), count_votes(votes, values))


def _votes(rows: Iterable[tuple[Unit, Annotator, Value]]) -> Votes:
    votes: dict[Unit, dict[Annotator, Value]] = {}
    for unit, annotator, value in rows:
        votes.setdefault(unit, {})[annotator] = value
    return votes
