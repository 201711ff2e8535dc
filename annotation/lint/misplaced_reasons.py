"""Reasons that seem to speak of another problem, as happens when labels are joined to the wrong question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import batched
from typing import Any

import numpy as np

from annotation.sources.records import Oddity, SolutionRecord

NEAR_ENOUGH = 0.3  # cosine similarity with another problem from which on that problem counts as a rival
SHARE = 0.25  # the own problem is suspect below this share of the rival's similarity
CHUNK = 500  # candidates compared with all problems at a time: keeps the matrix small
WORD = r"(?u)\w+"


def misplaced_reasons(records: Sequence[SolutionRecord]) -> Iterator[Oddity]:
    """Records whose reasons and rectified steps resemble another problem four times as much as their own.

    TF-IDF cosine similarity of words; a problem is its question, options and all its solutions. In four MR-Ben files
    (1,817 labels with reasons) it names the four known cases and no other.
    """
    texts = _problem_texts(records)
    told = [(record, words) for record in records if (words := _words(record))]
    if len(texts) < 2 or not told:
        return
    places = {key: row for row, key in enumerate(texts)}
    features = import_module("sklearn.feature_extraction.text")  # takes seconds to load
    model = features.TfidfVectorizer(sublinear_tf=True, token_pattern=WORD)
    try:
        problems = model.fit_transform(texts.values())
    except ValueError:  # no word in any problem
        return
    reasons = model.transform([words for _record, words in told])
    own_rows = np.array([places[_key(record)] for record, _words_ in told])
    own = np.asarray(reasons.multiply(problems[own_rows]).sum(axis=1)).ravel()
    for candidates in batched(np.flatnonzero(own < SHARE), CHUNK, strict=False):
        rows = list(candidates)
        for row, rival in zip(rows, _best_rival(reasons[rows], problems, own_rows[rows]), strict=True):
            if rival >= NEAR_ENOUGH and own[row] < SHARE * rival:
                yield _odd(told[row][0])


def _best_rival(reasons: Any, problems: Any, own_rows: Any) -> Any:
    similar = (reasons @ problems.T).toarray()
    similar[np.arange(len(own_rows)), own_rows] = 0.0
    return similar.max(axis=1)


def _key(record: SolutionRecord) -> tuple[str, str]:
    return record.problem.source, record.problem.external_id


def _problem_texts(records: Sequence[SolutionRecord]) -> dict[tuple[str, str], str]:
    parts: dict[tuple[str, str], list[str]] = {}
    for record in records:
        start = [record.problem.question, *(option.text for option in record.problem.options)]
        parts.setdefault(_key(record), start).append(record.raw_text)
    return {key: " ".join(texts) for key, texts in parts.items()}


def _words(record: SolutionRecord) -> str:
    pairs = record.gold.reasons if record.gold else record.provenance.get("unplaced_label", {}).get("reasons", ())
    return " ".join(text for pair in pairs for text in pair)


def _odd(record: SolutionRecord) -> Oddity:
    message = "The reasons resemble another problem of this file far more than this one."
    return Oddity("annotation_belongs_to_another_question", "warning", record.where, "gold", message)
