"""After how many labels three agree: the layout of ProcessBench's agreement table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from review.counting import Unit

NEEDED, MOST = 3, 5


@dataclass
class ConsensusRow:
    """The items of one subject. `error` and `correct` count those that found consensus, by the labels it took (3 to 5).

    `none` found none in five labels; `waiting` have too few labels to tell.
    """

    error: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(NEEDED, MOST + 1), 0))
    correct: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(NEEDED, MOST + 1), 0))
    none: int = 0
    waiting: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The counts by name, ready for JSON."""
        return {
            "error": {str(n): count for n, count in self.error.items()},
            "correct": {str(n): count for n, count in self.correct.items()},
            "none": self.none,
            "waiting": self.waiting,
        }


@dataclass(frozen=True, slots=True)
class Consensus:
    """What three labels say alike (`first_error`, None: correct) and how many labels it took; None: not found (yet)."""

    labels: int | None
    first_error: int | None


def consensus(said: Sequence[int | None]) -> Consensus | None:
    """Take labels in their order until three name the same place, five at most (Zheng et al. 2024, section 3.2).

    `said` holds first erroneous steps, None for no error. Returns None when more labels are needed to tell.
    """
    counted: Counter[int | None] = Counter()
    for n, place in enumerate(said[:MOST], start=1):
        counted[place] += 1
        if counted[place] == NEEDED:
            return Consensus(n, place)
    return Consensus(None, None) if len(said) >= MOST else None


def consensus_table(labels: Iterable[tuple[Unit, str, int | None]]) -> dict[str, ConsensusRow]:
    """A row per subject from (item, subject, first erroneous step or None) in the order the labels came in."""
    said: dict[Unit, list[int | None]] = {}
    subject_of: dict[Unit, str] = {}
    for item, subject, place in labels:
        said.setdefault(item, []).append(place)
        subject_of[item] = subject
    return _table(said, subject_of)


def _table(said: Mapping[Unit, Sequence[int | None]], subject_of: Mapping[Unit, str]) -> dict[str, ConsensusRow]:
    rows: dict[str, ConsensusRow] = {subject: ConsensusRow() for subject in sorted(set(subject_of.values()))}
    for item, given in said.items():
        row, found = rows[subject_of[item]], consensus(given)
        if found is None:
            row.waiting += 1
        elif found.labels is None:
            row.none += 1
        else:
            (row.correct if found.first_error is None else row.error)[found.labels] += 1
    return rows
