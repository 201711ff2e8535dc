"""Importing a file, with its published labels if wanted: as gold, or as two annotators' labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import batched
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import audit
from annotation.intake import BATCH, conflicts, take_in
from annotation.jobs import Progress, no_progress
from annotation.lint import lint_file, lint_record
from annotation.models import Project, Solution, User
from annotation.published import store_labels
from annotation.sources import SOURCES
from annotation.sources.records import BadRecord, GoldRecord, Oddity, SolutionRecord
from review.models import AcceptedReason, Adjudication, Basis, Outcome
from review.pending import keep_up, pending

LabelsWanted = Literal["ignore", "gold", "annotations"]
LABELS_WANTED: tuple[LabelsWanted, ...] = ("ignore", "gold", "annotations")
LABEL_FIELDS = ("gold", "labels")


class ImportRefused(ValueError):
    """The file has records that cannot be taken in; nothing was written. `oddities` lists them."""

    def __init__(self, oddities: Sequence[Oddity]) -> None:
        self.oddities = list(oddities)
        shown = "\n".join(f"{o.record}, {o.field}: {o.message}" for o in self.oddities[:20])
        more = len(self.oddities) - 20
        rest = "\n" + _("… and %(n)d more.") % {"n": more} if more > 0 else ""
        bad = len({o.record for o in self.oddities})
        head = ngettext(
            "Nothing was imported: %(n)d record has errors. Mend the file, or skip what is bad.",
            "Nothing was imported: %(n)d records have errors. Mend the file, or skip what is bad.", bad,
        )  # fmt: skip
        super().__init__(head % {"n": bad} + "\n" + shown + rest)


@dataclass
class ImportReport:
    """What an import did, or would do: counts and every oddity."""

    records: int = 0
    problems: int = 0
    solutions: int = 0
    known: int = 0
    labels: int = 0
    gold: int = 0
    skipped: int = 0
    oddities: list[Oddity] = field(default_factory=list)

    def kinds(self) -> dict[str, int]:
        """How often each kind of oddity occurred, most frequent first."""
        return dict(Counter(o.kind for o in self.oddities).most_common())

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Reading:
    """A file read and checked: the records that can be taken in, and all that was odd."""

    records: list[SolutionRecord]
    bad: int
    oddities: list[Oddity]


def read(data: bytes, name: str, source_format: str, *, text_format: str | None = None) -> Reading:
    """Read and lint a whole file.

    Raises: annotation.sources.SourceError when the file as a whole cannot be read.
    """
    found = list(SOURCES[source_format](data, name, text_format=text_format))
    records = [record for record in found if not isinstance(record, BadRecord)]
    odd = [oddity for record in found for oddity in record.oddities]
    odd += [oddity for record in records for oddity in lint_record(record)]
    return Reading(records, len(found) - len(records), odd + list(lint_file(records)))


def import_file(
    project: Project,
    reading: Reading,
    by: User,
    *,
    labels: LabelsWanted = "ignore",
    skip_bad: bool = False,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> ImportReport:
    """Take a file's records in; a second import of the same file adds nothing.

    Errors in published labels count only when labels are wanted; with `skip_bad` such a solution comes in unlabelled.

    Raises: ImportRefused, with nothing written.
    """
    changed = conflicts(project, reading.records)
    oddities = reading.oddities + changed
    errors = [o for o in oddities if o.severity == "blocking" and (labels != "ignore" or o.field not in LABEL_FIELDS)]
    if errors and not skip_bad:
        raise ImportRefused(errors)
    refused = {o.record for o in oddities if o.severity == "blocking" and o.field not in LABEL_FIELDS}
    records = [record for record in reading.records if record.where not in refused]
    report = ImportReport(
        records=len(reading.records) + reading.bad,
        skipped=len(reading.records) - len(records) + reading.bad,
        oddities=oddities,
    )
    if not dry_run:
        _write(project, records, by, labels, report, progress)
    else:
        _foresee(project, records, labels, report)
    return report


def foresee(
    project: Project, reading: Reading, by: User, *, labels: LabelsWanted, skip_bad: bool
) -> tuple[ImportReport, str]:  # fmt: skip
    """What an import would do without its bad records, and in a sentence why it would be refused (empty: it is not)."""
    report = import_file(project, reading, by, labels=labels, skip_bad=True, dry_run=True)
    try:
        import_file(project, reading, by, labels=labels, skip_bad=skip_bad, dry_run=True)
    except ImportRefused as error:
        return report, str(error).split("\n", 1)[0]
    return report, ""


def _write(
    project: Project, records: list[SolutionRecord], by: User, labels: LabelsWanted, report: ImportReport,
    progress: Progress,
) -> None:  # fmt: skip
    taken = take_in(project, records, progress)
    audit.record("imported", by, project, records=len(records), new=taken.solutions, labels=labels)
    report.problems, report.solutions, report.known = taken.problems, taken.solutions, taken.known
    if labels == "annotations":
        report.labels = store_labels(project, records, by, progress)
        pending(project)  # a queue that has to be built is built here, not in a lead's request
    if labels == "gold":
        report.gold = store_gold(project, records, by, progress)


def _foresee(project: Project, records: list[SolutionRecord], labels: LabelsWanted, report: ImportReport) -> None:
    ids = {record.id for record in records}
    known = set(Solution.objects.filter(problem__project=project).values_list("item_id", flat=True)) & ids
    have = set(project.problems.values_list("source", "external_id"))
    report.known = len(known)
    report.solutions = len(ids) - len(known)
    report.problems = len({(r.problem.source, r.problem.external_id) for r in records} - have)
    report.labels = sum(len(record.labels) for record in records) if labels == "annotations" else 0
    report.gold = sum(record.gold is not None for record in records) if labels == "gold" else 0


def store_gold(
    project: Project, records: Sequence[SolutionRecord], by: User, progress: Progress = no_progress
) -> int:  # fmt: skip
    """Store published gold labels as decisions, a batch a transaction; a solution decided before stays as it is."""
    stored = 0
    labelled = [(record, record.gold) for record in records if record.gold]
    for done, batch in enumerate(batched(labelled, BATCH, strict=False), start=1):
        stored += _store_gold_batch(project, batch, by)
        progress(min(done * BATCH, len(labelled)), len(labelled))
    return stored


@transaction.atomic
def _store_gold_batch(project: Project, batch: Sequence[tuple[SolutionRecord, GoldRecord]], by: User) -> int:
    gold = {record.id: label for record, label in batch}
    rows = Solution.objects.select_for_update(of=("self",)).filter(
        problem__project=project, item_id__in=gold, settled_at=None, adjudications=None
    )
    solutions = list(rows)
    decisions = Adjudication.objects.bulk_create(
        Adjudication(
            solution=solution, outcome=Outcome.GOLD, basis=Basis.PUBLISHED, decided_by=by,
            **gold[solution.item_id].verdict.as_dict(),
        )
        for solution in solutions
    )  # fmt: skip
    AcceptedReason.objects.bulk_create(
        AcceptedReason(adjudication=row, ordinal=n, reason=reason, rectified=rectified)
        for row, solution in zip(decisions, solutions, strict=True)
        for n, (reason, rectified) in enumerate(gold[solution.item_id].reasons[1:], start=1)
    )
    pks = [solution.pk for solution in solutions]
    Solution.objects.filter(pk__in=pks).update(settled_at=timezone.now())
    keep_up(pks)
    audit.record_many("imported", by, project, pks, labels="gold")
    return len(decisions)
