"""One answer from several samples of the same judge; every ballot is kept in the answers file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from exports.raw_answers import Reading

TIE_RULE = "verdict by majority, then step by majority; a tied verdict is the first given, a tied step the earliest"


def vote(readings: Sequence[Reading]) -> tuple[Reading, int | None]:
    """The winning reading, and which ballot it came from (None when no ballot has a verdict).

    Ballots without a verdict have no vote; when there are only such, the first of them stands. Words are those of the
    first ballot with the winning verdict and step. Flags: split_vote when a ballot said otherwise, tied_vote when the
    tie rule decided.
    """
    cast = [(number, reading) for number, reading in enumerate(readings) if reading.correct is not None]
    if not cast:
        return readings[0], None
    verdicts = Counter(reading.correct for _, reading in cast)  # in the order given, which breaks ties
    correct, most = verdicts.most_common(1)[0]
    steps = Counter(reading.first_error for _, reading in cast if reading.correct is correct and _has_step(reading))
    best = max(steps.values(), default=0)
    leading = sorted(step for step, number in steps.items() if number == best and step is not None)
    step = leading[0] if leading else None
    tied = len(leading) > 1 or list(verdicts.values()).count(most) > 1
    winner, reading = next(
        (number, each) for number, each in cast if each.correct is correct and each.first_error == step
    )
    differ = len({(each.correct, each.first_error) for _, each in cast}) > 1
    flags = (*reading.flags, *(("split_vote",) if differ else ()), *(("tied_vote",) if tied else ()))
    return replace(reading, flags=flags), winner


def _has_step(reading: Reading) -> bool:
    return reading.first_error is not None
