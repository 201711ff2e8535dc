"""Taking problems, solutions and steps in, once each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import batched

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.assignments import open_slots
from annotation.jobs import Progress, no_progress
from annotation.models import AnswerKey, Problem, Project, Solution, Step
from annotation.sources.records import Oddity, ProblemRecord, SolutionRecord

BATCH = 200  # solutions a transaction: short enough not to hold up annotators on SQLite


@dataclass
class Intake:
    """What one intake did: counts, and the solution row of every record by its item id."""

    problems: int = 0
    solutions: int = 0
    known: int = 0
    oddities: list[Oddity] = field(default_factory=list)
    new_ids: set[str] = field(default_factory=set)


def conflicts(project: Project, records: Iterable[SolutionRecord]) -> list[Oddity]:
    """Records whose id this project has with another text: an id never changes its content."""
    found = []
    for batch in batched(records, BATCH, strict=False):
        stored = _stored(project, batch)
        for record in batch:
            old = stored.get(record.id)
            if old is not None and old.raw_text != record.raw_text:
                message = _("This project already has %(id)s with a different text.") % {"id": record.id}
                found.append(Oddity("changed_solution_text", "blocking", record.where, "raw_text", message))
    return found


def _stored(project: Project, batch: Sequence[SolutionRecord]) -> dict[str, Solution]:
    ids = [record.id for record in batch]
    return {row.item_id: row for row in Solution.objects.filter(problem__project=project, item_id__in=ids)}


def take_in(project: Project, records: Sequence[SolutionRecord], progress: Progress = no_progress) -> Intake:
    """Store what the project does not have yet and open its slots, a batch a transaction.

    Taking the same records in again adds nothing, so an interrupted intake is finished by repeating it.
    """
    result = Intake()
    for batch in batched(records, BATCH, strict=False):
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=project.pk)
            _take_batch(project, batch, result)
        progress(result.solutions + result.known, len(records))
    return result


def _take_batch(project: Project, batch: Sequence[SolutionRecord], result: Intake) -> None:
    stored = _stored(project, batch)
    fresh = [record for record in batch if record.id not in stored]
    result.known += len(batch) - len(fresh)
    problems = _problems_for(project, fresh, result)
    rows = Solution.objects.bulk_create(
        Solution(
            problem=problems[record.problem.source, record.problem.external_id],
            item_id=record.id,
            sampled_from=record.sampled_from,
            ordinal=record.ordinal,
            raw_text=record.raw_text,
            final_answer=record.final_answer,
            provenance=dict(record.provenance),
        )
        for record in fresh
    )
    Step.objects.bulk_create(
        Step(solution=row, position=n, label=s.label, kind=s.kind, text=s.text, start=s.start, end=s.end)
        for row, record in zip(rows, fresh, strict=True)
        for n, s in enumerate(record.steps)
    )
    open_slots(Solution.objects.filter(pk__in=[row.pk for row in rows]), project.overlap)
    result.solutions += len(rows)
    result.new_ids.update(record.id for record in fresh)


def _problems_for(
    project: Project, records: Sequence[SolutionRecord], result: Intake
) -> dict[tuple[str, str], Problem]:
    wanted = {(r.problem.source, r.problem.external_id): r.problem for r in records}
    have = Problem.objects.filter(project=project, external_id__in=[external for _source, external in wanted])
    problems = {(row.source, row.external_id): row for row in have if (row.source, row.external_id) in wanted}
    missing = [record for key, record in wanted.items() if key not in problems]
    rows = Problem.objects.bulk_create(_problem_row(project, record) for record in missing)
    AnswerKey.objects.bulk_create(
        AnswerKey(problem=row, version=n, accepted=list(accepted))
        for row, record in zip(rows, missing, strict=True)
        for n, accepted in enumerate(record.answer_keys, start=1)
    )
    result.problems += len(rows)
    return problems | {(row.source, row.external_id): row for row in rows}


def _problem_row(project: Project, record: ProblemRecord) -> Problem:
    return Problem(
        project=project,
        source=record.source,
        external_id=record.external_id,
        subject=record.subject,
        level=record.level,
        question=record.question,
        options=[{"label": option.label, "text": option.text} for option in record.options],
        reference_solution=record.reference_solution,
        text_format=record.text_format,
        extra=dict(record.extra),
    )
