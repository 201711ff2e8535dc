"""Plain records that every reader yields and intake, lint and the release formats understand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.verdicts import Verdict

TextFormat = Literal["plain", "latex", "latex+markdown", "code"]
StepKind = Literal["step", "answer", "code"]
Severity = Literal["blocking", "warning"]


def item_id(source: str, external_id: str, sampled_from: str, ordinal: int) -> str:
    """The lasting id of one solution: the same file imported anywhere gives the same ids."""
    key = "\x1f".join((source, external_id, sampled_from, str(ordinal)))
    return "sm-" + hashlib.sha256(key.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Option:
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step; its position is its place in the list. `raw_text[start:end] == text` (code points)."""

    text: str
    start: int
    end: int
    label: str = ""  # as printed ("2", "2a"); empty when the text prints none
    kind: StepKind = "step"


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    source: str
    external_id: str
    question: str
    subject: str = ""
    level: str = ""
    options: tuple[Option, ...] = ()
    answer_keys: tuple[tuple[str, ...], ...] = ()  # oldest first; each is a set of accepted answers
    reference_solution: str = ""
    text_format: TextFormat = "plain"
    extra: Mapping[str, Any] = field(default_factory=dict)  # what a round trip needs and no column holds


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """A published or released gold label; `reasons` are all accepted (reason, rectified) pairs, gold's own first."""

    verdict: Verdict
    reasons: tuple[tuple[str, str], ...] = ()
    basis: str = ""  # how it was decided, as far as the file says


@dataclass(frozen=True, slots=True)
class LabelRecord:
    annotator: str
    verdict: Verdict
    active_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something odd in a file: `kind` is a stable slug, `record` says where in words a person can find it."""

    kind: str
    severity: Severity
    record: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class SolutionRecord:
    """One sampled solution of one problem. `where` names the place in the file (line or key)."""

    problem: ProblemRecord
    sampled_from: str
    raw_text: str
    steps: tuple[StepRecord, ...]
    where: str
    ordinal: int = 0
    final_answer: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    gold: GoldRecord | None = None
    labels: tuple[LabelRecord, ...] = ()
    oddities: tuple[Oddity, ...] = ()

    @property
    def id(self) -> str:
        return item_id(self.problem.source, self.problem.external_id, self.sampled_from, self.ordinal)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record of a file that cannot be taken in at all; `oddities` say why, at least one of them blocking."""

    where: str
    oddities: tuple[Oddity, ...]
