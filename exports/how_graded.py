"""How a judge's answers shall be graded: parser, base of step numbers, threshold of scores, votes on reasons."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO

from exports.folder import ReleaseFolder
from exports.legacy_parsers import PARSERS
from exports.parsing import Answers, read_answers
from exports.step_scores import DEFAULT_THRESHOLD, scored, split_off_dev, tune


class CannotTune(ValueError):
    """No threshold can be tuned: the dev split holds no scores, or there is no such split."""


@dataclass(frozen=True, slots=True)
class HowGraded:
    """How answers are read, and how often a model is asked about a reason: votes, and again to check it.

    `base` None: numbers are printed labels; `threshold` None: tuned on the dev split, which is then left out.
    """

    parser: str = "stepmark"
    base: int | None = None
    threshold: float | None = DEFAULT_THRESHOLD
    votes: int = 1
    self_checks: int = 0

    @classmethod
    def out_of(cls, chosen: MutableMapping[str, Any]) -> HowGraded:
        """What was chosen under these names and `tune`, all taken out; what is empty is as usual."""
        threshold, tuned = chosen.pop("threshold", None), chosen.pop("tune", False)
        base = chosen.pop("base", None)
        return cls(
            parser=chosen.pop("parser", "") or "stepmark",
            base=None if base in (None, "") else int(base),
            threshold=None if tuned else DEFAULT_THRESHOLD if threshold is None else threshold,
            votes=chosen.pop("votes", None) or 1,
            self_checks=chosen.pop("self_checks", None) or 0,
        )


AS_USUAL = HowGraded()
PARSER_NAMES = tuple(PARSERS)


@dataclass(frozen=True, slots=True)
class Taken:
    """The answers, the items they are graded on, and how the threshold was tuned, if it was."""

    answers: Answers
    folder: ReleaseFolder
    tuned: Mapping[str, Any] | None = None


def read_as(how: HowGraded, answers: BinaryIO, folder: ReleaseFolder) -> Taken:
    """Read an answers file from its beginning; twice when a threshold is tuned.

    Raises: exports.parsing.AnswerError, CannotTune.
    """
    read = partial(read_answers, base=how.base, release_hash=folder.hash, parser=how.parser)
    if how.threshold is not None:
        return Taken(read(answers, folder.items, threshold=how.threshold), folder)
    first = read(answers, folder.items)
    try:
        dev, rest, told = split_off_dev(folder.items)
        threshold = tune(scored(dev, first.step_scores, first.labelled))
    except ValueError as error:
        raise CannotTune(str(error)) from error
    answers.seek(0)
    again = read(answers, folder.items, threshold=threshold)
    tuned = {"split": "dev", "how": told, "n_items": len(dev), "metric": "f1"}
    return Taken(again.only(item.id for item in rest), replace(folder, items=rest), tuned)
