"""Where the verdicts on a judge's reasons come from: nowhere, a model, or people."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.llm import Endpoint, EndpointError, Message, Request
from exports.answer_lines import LineError, shown
from exports.json_lines import digested, objects
from exports.parsing import AnswerError
from review.comparison import PROMPT_VERSION, SCHEMA, Case, Comparison, decided, messages, read
from review.self_checks import check_comparison, majority

Progress = Callable[[int, int], None]  # done, of how many
Compare = Callable[[Mapping[str, Case], Progress | None], dict[str, Comparison]]
Check = Callable[[Mapping[str, Case], Mapping[str, Comparison], int], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ReasonPolicy:
    """How reasons are compared. `facts` go into the report; `compare` takes cases by item id, None means not at all.

    `check` asks about cases whose answer is known, after the comparison.
    """

    mode: Literal["none", "llm", "file"]
    facts: Mapping[str, Any] = field(default_factory=dict)
    compare: Compare | None = None
    check: Check | None = None


NO_REASONS = ReasonPolicy("none")


def by_model(
    endpoint: Endpoint,
    *,
    concurrency: int = 8,
    votes: int = 1,
    self_checks: int = 0,
) -> ReasonPolicy:
    """Reasons are compared by a model, each with an odd number of `votes`; one whose calls failed is undecided.

    `self_checks` is the number of cases asked about a second time as decoys and in another order. Several votes need a
    temperature above 0. Raises: ValueError for an even number of votes.
    """
    if votes < 1 or votes % 2 == 0:
        raise ValueError("An odd number of votes is needed, so that there is no tie.")
    if votes > 1 and not endpoint.decoding.temperature:
        raise ValueError("Several votes at temperature 0 are all alike; set a temperature.")

    def ask(asked: Mapping[str, Sequence[Message]], samples: int, progress: Progress | None) -> dict[str, Comparison]:
        requests = (Request(key, asked[key], SCHEMA, sample) for key in asked for sample in range(samples))
        total = len(asked) * samples
        counted = (lambda done: progress(done, total)) if progress else None
        if progress:
            progress(0, total)
        cast: dict[str, list[Comparison]] = {}
        outcomes = endpoint.complete_many(requests, concurrency=concurrency, progress=counted)
        for request, outcome in outcomes:
            said = Comparison(None, str(outcome)) if isinstance(outcome, EndpointError) else read(outcome)
            cast.setdefault(request.key, []).append(said)
        return {key: majority(ballots) for key, ballots in cast.items()}

    def compare(cases: Mapping[str, Case], progress: Progress | None) -> dict[str, Comparison]:
        found = {item: known for item, case in cases.items() if (known := decided(case)) is not None}
        return found | ask({item: messages(case) for item, case in cases.items() if item not in found}, votes, progress)

    def check(cases: Mapping[str, Case], compared: Mapping[str, Comparison], seed: int) -> dict[str, Any]:
        return check_comparison(cases, compared, lambda asked: ask(asked, 1, None), seed, self_checks)

    facts = {"model": endpoint.model, "temperature": endpoint.decoding.temperature, "prompt_version": PROMPT_VERSION,
             "votes": votes}  # fmt: skip
    return ReasonPolicy("llm", facts, compare, check if self_checks else None)


def by_people(lines: Iterable[bytes], items: Iterable[str]) -> ReasonPolicy:
    """Reasons were compared by people: JSON lines `{"id", "same": true | false | null, "note"?}`.

    Raises: AnswerError for unknown ids, contradictory lines and lines that cannot be read.
    """
    known, verdicts, problems = set(items), dict[str, Comparison](), list[str]()
    digest = hashlib.sha256()
    for number, found in objects(digested(lines, digest)):
        problem = found if isinstance(found, LineError) else _take(found, known, verdicts)
        problems += [f"Line {number}: {problem}"] if problem else []
    if problems:
        raise AnswerError(problems)

    def compare(cases: Mapping[str, Case], progress: Progress | None) -> dict[str, Comparison]:
        del progress  # there is nothing to wait for
        unsaid = Comparison(None, "The file of verdicts says nothing about this item.")
        return {item: verdicts.get(item, unsaid) for item in cases}

    return ReasonPolicy("file", {"verdicts_sha256": digest.hexdigest()}, compare)


def _take(fields: Mapping[str, Any], known: set[str], verdicts: dict[str, Comparison]) -> str | None:
    """Take in one person's verdict, or say what is wrong with it."""
    if not isinstance(fields.get("same", 0), bool | None):
        return 'expected is {"id": text, "same": true, false or null}.'
    item, said = fields.get("id"), Comparison(fields["same"], str(fields.get("note") or ""))
    if not isinstance(item, str) or item not in known:
        return f"{shown(item)} is not in this release."
    if verdicts.setdefault(item, said).same != said.same:
        return f"{item} has another verdict on an earlier line."
    return None
