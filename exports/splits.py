"""Which problems of a release are public: half of each subject and class, by a hash that nobody can choose."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from annotation.sources.records import SolutionRecord
from exports.scoring import Graded


def public_items(items: Iterable[Graded], release_hash: str) -> frozenset[str]:
    """Ids of the public half. All solutions of a problem are in one half; subjects and classes are as even as can be.

    The order comes from the release's content hash, so it stands before any judge is scored and never changes.
    """
    problems: dict[str, list[Graded]] = defaultdict(list)
    for item in items:
        problems[item.problem].append(item)
    strata: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for problem, solutions in problems.items():
        strata[solutions[0].subject, any(item.gold_correct for item in solutions)].append(problem)
    public = set()
    for number, stratum in enumerate(sorted(strata)):
        ordered = sorted(strata[stratum], key=lambda problem: _place(release_hash, problem))
        public.update(ordered[number % 2 :: 2])  # an odd one out goes to each half in turn
    return frozenset(item.id for problem in public for item in problems[problem])


def half_of(items: Sequence[SolutionRecord], half: str, release_hash: str) -> list[SolutionRecord]:
    """The items of one half, "public" or "private", in the order of the release."""
    public = public_items(map(_unanswered, items), release_hash)
    return [item for item in items if (item.id in public) == (half == "public")]


def _unanswered(item: SolutionRecord) -> Graded:
    problem = f"{item.problem.source}\x1f{item.problem.external_id}"
    right = item.gold is not None and item.gold.verdict.correct
    return Graded(item.id, item.problem.subject, problem, right, None, None)


def _place(release_hash: str, problem: str) -> bytes:
    return hashlib.sha256(f"{release_hash}\x1f{problem}".encode("utf-8", "surrogatepass")).digest()
