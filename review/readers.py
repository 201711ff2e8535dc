"""Annotators as a lead sees them while deciding: numbered, nameless, in a random order that stays the same per item."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Annotation, Solution
from review.word_diff import compared


@dataclass(frozen=True)
class Reader:
    """One label of an item under a number. `mark` gives what it says of a step."""

    number: int
    label: Annotation

    def mark(self, position: int) -> str:
        """`first` at the first error, `right` before it or when all is correct, `after` behind it."""
        if self.label.correct or position < (self.label.first_error or 0):
            return "right"
        return "first" if position == self.label.first_error else "after"


def readers_of(solution: Solution, labels: Sequence[Annotation]) -> list[Reader]:
    """The item's labels in an order that tells nothing of who wrote them."""
    shuffled = sorted(labels, key=lambda label: label.assignment_id)
    random.Random(solution.item_id).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    return [Reader(number, label) for number, label in enumerate(shuffled, start=1)]


def aligned(solution: Solution, readers: Sequence[Reader]) -> list[tuple[object, list[str], bool]]:
    """Each step with every reader's mark of it, and whether they part here on the first error."""
    rows = [(step, [reader.mark(step.position) for reader in readers]) for step in solution.steps.all()]
    return [(step, marks, "first" in marks and len(set(marks)) > 1) for step, marks in rows]


def differing_words(readers: Sequence[Reader]) -> list[tuple[Reader, Reader, list[tuple[str, bool]]]]:
    """Later reasons for the same step against the first such reason, word by word."""
    found = []
    for place, reader in enumerate(readers):
        same = [other for other in readers[:place] if other.label.verdict.same_place(reader.label.verdict)]
        if same and not reader.label.correct:
            found.append((same[0], reader, compared(same[0].label.reason, reader.label.reason)))
    return found
