"""Import problems and sampled solutions from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from annotation.models import Project, Role, TextFormat, User
from annotation.sources import SOURCES, SourceError
from review import published
from review.published import ImportRefused, ImportReport, Reading

SHOWN_ODDITIES = 40


class Command(BaseCommand):
    help = "Import problems and sampled solutions; a file imported twice adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", required=True, help="short name of the project")
        parser.add_argument("--format", required=True, choices=sorted(SOURCES))
        parser.add_argument("--labels", choices=published.LABELS_WANTED, default="ignore")
        parser.add_argument("--text-format", choices=TextFormat.values, help="how the texts are written")
        parser.add_argument("--skip-bad", action="store_true", help="leave bad records out and list them")
        parser.add_argument("--dry-run", action="store_true", help="write nothing, only report")
        parser.add_argument("--all", action="store_true", help="list every odd record, not the first ones only")
        parser.add_argument("--as", dest="by", metavar="LOGIN", help="whose name stands under published gold")

    def handle(self, *_args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}. Set it up on the start page first.")
        reading = self._read(options)
        screen = Console(stderr=True)
        with Progress(console=screen, disable=not screen.is_terminal) as bars:
            bar = bars.add_task("importing", total=max(1, len(reading.records)))
            try:
                report = published.import_file(
                    project, reading, self._person(options["by"]), labels=options["labels"],
                    skip_bad=options["skip_bad"], dry_run=options["dry_run"],
                    progress=lambda done, total: bars.update(bar, completed=done, total=total),
                )  # fmt: skip
            except ImportRefused as error:
                raise CommandError(f"{error}\nRun again with --skip-bad to leave these out.") from error
        self._tell(report, options)

    def _read(self, options: dict[str, Any]) -> Reading:
        path: Path = options["file"]
        try:
            return published.read(path.read_bytes(), path.name, options["format"], text_format=options["text_format"])
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except SourceError as error:
            raise CommandError(str(error)) from error

    def _person(self, login: str | None) -> User:
        leads = User.objects.filter(role__in=(Role.LEAD, Role.ADMIN), is_active=True).order_by("pk")
        person = leads.filter(username=login).first() if login else leads.first()
        if person is None:
            raise CommandError("Name a lead with --as: their name stands under what is imported.")
        return person

    def _tell(self, report: ImportReport, options: dict[str, Any]) -> None:
        console = Console(soft_wrap=True)
        would = "would be " if options["dry_run"] else ""
        console.print(
            f"{report.records} records: {report.solutions} solutions of {report.problems} new problems {would}added, "
            f"{report.known} here already, {report.skipped} skipped; {report.labels} labels, {report.gold} gold."
        )
        if not report.oddities:
            return
        kinds = Table("what was odd", "records", box=None)
        for kind, n in report.kinds().items():
            kinds.add_row(kind, str(n))
        console.print(kinds)
        ordered = sorted(report.oddities, key=lambda oddity: oddity.severity != "blocking")
        for oddity in ordered if options["all"] else ordered[:SHOWN_ODDITIES]:
            console.print(f"{oddity.severity}: {oddity.record}, {oddity.field}: {oddity.message}", markup=False)
        if len(ordered) > SHOWN_ODDITIES and not options["all"]:
            console.print(f"… {len(ordered) - SHOWN_ODDITIES} more; --all lists them.", markup=False)
