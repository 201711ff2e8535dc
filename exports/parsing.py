"""Read a judge's answers: JSON lines with a verdict in parts or in raw text, matched strictly to the items."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.sources.records import SolutionRecord, StepRecord
from exports.answer_lines import BESIDE, READ, Answer, LineError, Usage, answer_of, shown
from exports.json_lines import digested, objects
from exports.legacy_parsers import PARSERS, Parser
from exports.raw_answers import STATUSES, Reading, Status
from exports.step_scores import DEFAULT_THRESHOLD

PARSER_VERSION = "answers-4"
MOST_SHOWN = 20


class AnswerError(ValueError):
    """The answers do not fit the release; `problems` are all of them, the message shows the first 20."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - MOST_SHOWN
        shown = [*problems[:MOST_SHOWN], *([f"... and {more} more."] if more > 0 else [])]
        super().__init__("\n".join([f"{len(problems)} problem(s):", *shown]))


MISSING = Reading("missing")


@dataclass(frozen=True, slots=True)
class Answers:
    """One answer for every item of the release, in its order, answered or not."""

    answers: tuple[Answer, ...]
    duplicates: int
    sha256: str
    parser: str = "stepmark"
    threshold: float = DEFAULT_THRESHOLD  # of scores of steps
    unread: Mapping[str, int] = field(default_factory=dict)  # fields that mean nothing here, by name: in how many lines

    def only(self, ids: Iterable[str]) -> Answers:
        """The answers to some of the items."""
        wanted = set(ids)
        return replace(self, answers=tuple(answer for answer in self.answers if answer.id in wanted))

    @property
    def step_scores(self) -> dict[str, tuple[float, ...]]:
        """Scores of steps by item id, of the answers that have them."""
        return {answer.id: answer.step_scores for answer in self.answers if answer.step_scores is not None}

    @property
    def labelled(self) -> frozenset[str]:
        """Ids of the answers whose scores are labels of steps."""
        return frozenset(answer.id for answer in self.answers if answer.labelled)

    @property
    def usage(self) -> Usage | None:
        """Tokens and cost of all answers that state them; None when none does."""
        stated = [answer.usage for answer in self.answers if answer.usage is not None]
        return sum(stated[1:], stated[0]) if stated else None

    def with_status(self, *statuses: Status) -> list[str]:
        """Ids of the answers with one of these statuses."""
        return [answer.id for answer in self.answers if answer.reading.status in statuses]

    @property
    def statuses(self) -> dict[str, int]:
        """How many answers have each status, all statuses named."""
        counts = Counter(answer.reading.status for answer in self.answers)
        return {status: counts[status] for status in STATUSES}

    @property
    def flags(self) -> dict[str, int]:
        """How many answers carry each flag."""
        return dict(sorted(Counter(flag for answer in self.answers for flag in answer.reading.flags).items()))


def read_answers(
    lines: Iterable[bytes],
    items: Sequence[SolutionRecord],
    *,
    base: int | None = None,
    release_hash: str = "",
    parser: str = "stepmark",
    threshold: float = DEFAULT_THRESHOLD,
) -> Answers:
    """Read the lines of an answers file against the items of a release.

    `base` (0 or 1) declares from where numbers in `first_error_label` and `raw` count; without it they are printed
    labels, else position + 1; a line may declare its own. A line may name the `release` it answers; it then has to be
    this one. `parser` is one of PARSERS; a step is wrong when its score is not above the `threshold`.
    Raises: AnswerError for unknown ids, conflicting duplicates and lines that cannot be read.
    """
    if parser not in PARSERS:
        raise ValueError(f"There is no parser {parser!r}; there are {', '.join(PARSERS)}.")
    reader = _Reader({item.id: item.steps for item in items}, base, release_hash, PARSERS[parser], threshold)
    digest = hashlib.sha256()
    for number, found in objects(digested(lines, digest)):
        reader.take(number, found)
    if not reader.found and not reader.problems:
        reader.problems.append("The file holds no answers.")
    if reader.problems:
        raise AnswerError(reader.problems)
    answers = tuple(reader.found.get(item.id) or Answer(item.id, MISSING) for item in items)
    unread = dict(reader.unread.most_common(MOST_SHOWN))
    return Answers(answers, reader.duplicates, digest.hexdigest(), parser, threshold, unread)


@dataclass
class _Reader:
    known: Mapping[str, Sequence[StepRecord]]
    base: int | None
    release_hash: str
    parser: Parser
    threshold: float
    found: dict[str, Answer] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)  # what each item's answer said, to tell duplicates apart
    problems: list[str] = field(default_factory=list)
    duplicates: int = 0
    unread: Counter[str] = field(default_factory=Counter)

    def take(self, number: int, fields: Mapping[str, Any] | LineError) -> None:
        """Take one line in: a new answer, a duplicate, or a problem."""
        item_id = ""
        try:
            if isinstance(fields, LineError):
                raise fields
            item_id = _known_id(fields, self.known, self.release_hash)
            said = json.dumps(fields, sort_keys=True)
            if item_id not in self.told:
                self.found[item_id] = answer_of(
                    item_id, fields, self.known[item_id], self.base, self.parser, self.threshold, number
                )
                self.told[item_id] = said
                self.unread.update(name[:60] for name in fields if name not in READ | BESIDE)
            elif self.told[item_id] == said:
                self.duplicates += 1
                self.found[item_id] = _flagged(self.found[item_id], "duplicate_identical")
            else:
                raise LineError(f"{item_id} was answered differently on line {self.found[item_id].line}.")
        except LineError as error:
            about = f"{item_id}: " if item_id and item_id not in str(error) else ""
            self.problems.append(f"Line {number}: {about}{error}")


def _flagged(answer: Answer, flag: str) -> Answer:
    if flag in answer.reading.flags:
        return answer
    return replace(answer, reading=replace(answer.reading, flags=(*answer.reading.flags, flag)))


def _known_id(fields: Mapping[str, Any], known: Mapping[str, Any], release_hash: str) -> str:
    item_id, release = fields.get("id"), fields.get("release")
    if not isinstance(item_id, str) or not item_id:
        raise LineError(f"the id is missing or no text ({shown(item_id)}). It is the item's id in the release.")
    if release_hash and release is not None and release != release_hash:
        raise LineError(f"{item_id} answers release {str(release)[:12]}, not this one ({release_hash[:12]}).")
    if item_id not in known:
        blanks = " Take the blanks around it away." if item_id.strip() in known else ""
        raise LineError(f"{shown(item_id)} is not in this release.{blanks}")
    return item_id
