"""What is odd in records that were read well enough: one record alone, and the records of a file together."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.lint.labels import label_oddities
from annotation.lint.misplaced_reasons import misplaced_reasons
from annotation.lint.problems import file_oddities
from annotation.lint.steps import step_oddities
from annotation.sources.records import Oddity, SolutionRecord


def lint_record(record: SolutionRecord) -> tuple[Oddity, ...]:
    """Oddities of one record, besides those its reader found (`record.oddities`)."""
    return tuple(step_oddities(record)) + tuple(label_oddities(record))


def lint_file(records: Iterable[SolutionRecord]) -> tuple[Oddity, ...]:
    """Oddities that only show between records: duplicates, disagreements within a problem, reasons gone astray."""
    kept = list(records)
    return tuple(file_oddities(kept)) + tuple(misplaced_reasons(kept))
