"""Oddities between the records of a file: duplicates, and solutions of one problem that disagree about it."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from annotation.sources.records import Oddity, ProblemRecord, SolutionRecord

Groups = Mapping[tuple[str, str], Sequence[SolutionRecord]]

DISAGREEMENTS: tuple[tuple[str, str, Callable[[ProblemRecord], Hashable]], ...] = (
    ("question_whose_records_disagree_on_question_text", "question", lambda problem: problem.question),
    ("question_whose_records_disagree_on_options", "options", lambda problem: problem.options),
    ("question_whose_records_disagree_on_modified_answer", "answer_keys", lambda problem: problem.answer_keys[-1:]),
    ("question_whose_records_disagree_on_subject", "subject", lambda problem: problem.subject),
)


def file_oddities(records: Iterable[SolutionRecord]) -> Iterator[Oddity]:
    """Oddities between records; those of a whole problem name it as their place."""
    groups: defaultdict[tuple[str, str], list[SolutionRecord]] = defaultdict(list)
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for record in records:
        groups[record.problem.source, record.problem.external_id].append(record)
        ids[record.id].append(record.where)
    for places in ids.values():
        for place in places[1:]:
            message = f"This is the same solution (problem, model and ordinal) as {places[0]}; ids have to differ."
            yield Oddity("duplicate_id", "blocking", place, "id", message)
    for (_source, external_id), group in groups.items():
        yield from _disagreements(external_id, group)
        yield from _same_texts(group)
    yield from _sizes(groups)


def _disagreements(external_id: str, group: Sequence[SolutionRecord]) -> Iterator[Oddity]:
    for kind, field, part in DISAGREEMENTS:
        if len({part(record.problem) for record in group}) > 1:
            message = f"The solutions of this problem come with different values of {field}; the first one counts."
            yield Oddity(kind, "warning", external_id, field, message)


def _same_texts(group: Sequence[SolutionRecord]) -> Iterator[Oddity]:
    first: dict[bytes, SolutionRecord] = {}
    for record in group:
        digest = hashlib.sha256("\x1f".join(step.text for step in record.steps).encode()).digest()
        twin = first.setdefault(digest, record)
        if twin is record:
            continue
        message = f"These steps are the same as those of {twin.where}."
        yield Oddity("duplicate_solution", "warning", record.where, "steps", message)
        if twin.gold and record.gold and not twin.gold.verdict.same_place(record.gold.verdict):
            message = f"The same steps are labelled differently at {twin.where}."
            yield Oddity("same_text_different_label", "warning", record.where, "gold", message)


def _sizes(groups: Groups) -> Iterator[Oddity]:
    """What departs from the file's own habit: three solutions a question, each model once."""
    if not groups:
        return
    usual = Counter(len(group) for group in groups.values()).most_common(1)[0][0]
    repeating = {key for key, group in groups.items() if len({r.sampled_from for r in group}) < len(group)}
    for key, group in groups.items():
        if usual == 3 and len(group) < 3:
            message = f"This question has {len(group)} of the usual 3 solutions."
            yield Oddity("question_with_fewer_than_3_solutions", "warning", key[1], "sampled_from", message)
        if key in repeating and 2 * len(repeating) < len(groups):
            message = "One model has several solutions of this question, unlike most others."
            yield Oddity("question_with_repeated_sampled_model", "warning", key[1], "sampled_from", message)
