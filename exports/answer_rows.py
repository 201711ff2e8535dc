"""A judge's answers beside gold: found by what became of them, with what annotators said, and as a table."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import QuerySet

from annotation.models import Solution
from annotation.verdicts import Verdict
from exports.final_verdicts import CHUNK
from exports.models import JudgeRun, JudgeVerdict, Release, ReleaseItem
from exports.outcomes import OUTCOMES

FILTERS = ("outcome", "subject", "status", "tag", "item")
COLUMNS = (
    "id", "subject", "gold_correct", "gold_first_error", "gold_category", "gold_reasons", "annotators_reasons",
    "status", "flags", "confidence", "correct", "first_error", "category", "reason", "rectified", "reason_same",
    "explanation", "tags",
)  # fmt: skip
_LOOKUPS = {
    "subject": "item__subject", "status": "status", "tag": "tags__tag", "item": "item__item_id__icontains"
}  # fmt: skip
_PARTS = tuple(field.name for field in fields(Verdict))


def found(run: JudgeRun, wanted: Mapping[str, str]) -> QuerySet[JudgeVerdict]:
    """The run's answers in the order of the release; `wanted` has some of the FILTERS, empty ones filter nothing."""
    rows = run.verdicts.select_related("item").prefetch_related("tags").order_by("item__position")
    if wanted.get("outcome") in OUTCOMES:
        rows = rows.filter(OUTCOMES[wanted["outcome"]][1])
    return rows.filter(**{_LOOKUPS[name]: wanted[name].strip() for name in _LOOKUPS if wanted.get(name, "").strip()})


@dataclass(frozen=True, slots=True)
class Vote:
    """What an annotator said of an item, under the release's pseudonym."""

    annotator: str
    verdict: Verdict


def votes(release: Release, items: Collection[str] | None = None) -> dict[str, list[Vote]]:
    """What annotators said as the release froze it, by item id; of some items or of all."""
    said: dict[str, list[Vote]] = {}
    for line in release.votes_text.splitlines():
        vote = json.loads(line)
        if items is None or vote["id"] in items:
            parts = {name: vote[name] for name in _PARTS if name in vote}
            said.setdefault(vote["id"], []).append(Vote(vote["annotator"], Verdict(**parts)))
    return said


def waiting(release: Release, items: Collection[str]) -> set[str]:
    """Ids of those items that wait for adjudication again."""
    rows = Solution.objects.filter(problem__project=release.project, item_id__in=items, settled_at=None)
    return set(rows.values_list("item_id", flat=True))


def accepted(item: ReleaseItem) -> list[str]:
    """All reasons that are right for an item, gold's own first."""
    return [reason for reason, _rectified in json.loads(item.record)["gold"]["reasons"]] or [item.reason]


def table(run: JudgeRun, wanted: Mapping[str, str]) -> Iterator[list[Any]]:
    """The answers as rows under COLUMNS; several reasons, flags or tags stand on lines of their own in a cell."""
    yield list(COLUMNS)
    said = votes(run.release)
    for row in found(run, wanted).defer("raw").iterator(chunk_size=CHUNK):
        item = row.item
        theirs = [f"{vote.annotator}: {vote.verdict.reason}" for vote in said.get(item.item_id, ())]
        yield [
            item.item_id, item.subject, item.correct, item.first_error, item.category, _cell(accepted(item)),
            _cell(theirs), row.status, _cell(row.flags), row.confidence, row.correct, row.first_error, row.category,
            row.reason, row.rectified, row.reason_same, row.reason_explanation,
            _cell(tag.tag for tag in row.tags.all()),
        ]  # fmt: skip


def _cell(texts: Any) -> str:
    return "\n".join(text.strip() for text in texts if text.strip())
