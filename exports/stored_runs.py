"""From stored runs back to what the numbers take: graded items, reports, judges to compare."""

from collections.abc import Iterable

from django.db.models import FETCH_RAISE

from exports.compared_judges import Judge, judge_of
from exports.final_verdicts import CHUNK
from exports.grading import GradeReport
from exports.models import JudgeRun, JudgeVerdict
from exports.scoring import Graded


def graded_items(run: JudgeRun) -> tuple[Graded, ...]:
    """Every item of the run's release as it was graded, in the order of the release."""
    rows = JudgeVerdict.objects.filter(run=run).select_related("item").defer("item__record", "raw")
    ordered = rows.order_by("item__position").fetch_mode(FETCH_RAISE)
    problems = dict(run.release.items.values_list("pk", "problem"))
    return tuple(
        Graded(
            id=row.item.item_id,
            subject=row.item.subject,
            problem=problems[row.item_id],
            gold_correct=row.item.correct,
            gold_step=row.item.first_error,
            correct=row.correct,
            step=row.first_error,
            reason_same=row.reason_same,
        )
        for row in ordered.iterator(chunk_size=CHUNK)
    )


def stored_report(run: JudgeRun) -> GradeReport:
    """The run's report with its items, as grading gave it."""
    return GradeReport(run.report, (), graded_items(run))


def judges(runs: Iterable[JudgeRun]) -> list[Judge]:
    """The runs as judges that can be compared."""
    return [judge_of(run.name, run.checked_report, graded_items(run)) for run in runs]
