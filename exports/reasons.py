"""Where the verdicts on a judge's reasons come from: nowhere, a model, or people."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.llm import Endpoint, EndpointError, Request
from exports.parsing import AnswerError
from review.comparison import PROMPT_VERSION, SCHEMA, Case, Comparison, decided, messages, read

Progress = Callable[[int, int], None]  # done, of how many
Compare = Callable[[Mapping[str, Case], Progress | None], dict[str, Comparison]]


class StoppedError(Exception):
    """The comparison of reasons was stopped before its end; what a model answered so far is in its cache."""


@dataclass(frozen=True, slots=True)
class ReasonPolicy:
    """How reasons are compared. `facts` go into the report; `compare` takes cases by item id, None means not at all."""

    mode: Literal["none", "llm", "file"]
    facts: Mapping[str, Any] = field(default_factory=dict)
    compare: Compare | None = None


NO_REASONS = ReasonPolicy("none")


def by_model(
    endpoint: Endpoint, *, concurrency: int = 8, should_stop: Callable[[], bool] | None = None
) -> ReasonPolicy:
    """Reasons are compared by a model. A comparison whose call failed stays undecided."""

    def compare(cases: Mapping[str, Case], progress: Progress | None) -> dict[str, Comparison]:
        found = {item: known for item, case in cases.items() if (known := decided(case)) is not None}
        asked = [item for item in cases if item not in found]
        requests = (Request(item, messages(cases[item]), SCHEMA) for item in asked)
        counted = (lambda done: progress(done, len(asked))) if progress else None
        for request, outcome in endpoint.complete_many(
            requests, concurrency=concurrency, progress=counted, should_stop=should_stop
        ):
            if isinstance(outcome, EndpointError):
                found[request.key] = Comparison(None, str(outcome))
            else:
                found[request.key] = read(outcome)
        if len(found) < len(cases):
            raise StoppedError(f"{len(found)} of {len(cases)} reasons were compared.")
        return found

    facts = {"model": endpoint.model, "temperature": endpoint.decoding.temperature, "prompt_version": PROMPT_VERSION}
    return ReasonPolicy("llm", facts, compare)


def by_people(lines: Iterable[bytes], items: Iterable[str]) -> ReasonPolicy:
    """Reasons were compared by people: JSON lines `{"id", "same": true | false | null, "note"?}`.

    Raises: AnswerError for unknown ids, contradictory lines and lines that cannot be read.
    """
    known, verdicts, problems = set(items), dict[str, Comparison](), list[str]()
    digest = hashlib.sha256()
    for number, line in enumerate(lines, start=1):
        digest.update(line)
        if line.strip():
            problem = _take(line, known, verdicts)
            problems += [f"Line {number}: {problem}"] if problem else []
    if problems:
        raise AnswerError(problems)

    def compare(cases: Mapping[str, Case], progress: Progress | None) -> dict[str, Comparison]:
        del progress  # there is nothing to wait for
        unsaid = Comparison(None, "The file of verdicts says nothing about this item.")
        return {item: verdicts.get(item, unsaid) for item in cases}

    return ReasonPolicy("file", {"verdicts_sha256": digest.hexdigest()}, compare)


def _take(line: bytes, known: set[str], verdicts: dict[str, Comparison]) -> str | None:
    """Take in one person's verdict, or say what is wrong with it."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return "this is not JSON; one object a line is expected."
    if not isinstance(fields, dict) or not isinstance(fields.get("same", 0), bool | None):
        return 'expected is {"id": text, "same": true, false or null}.'
    item, said = fields.get("id"), Comparison(fields["same"], str(fields.get("note") or ""))
    if item not in known:
        return f"{item!r} is not in this release."
    if verdicts.setdefault(item, said).same != said.same:
        return f"{item} has another verdict on an earlier line."
    return None
