"""Start Stepmark with example data: database, example project, worker and server in one command."""

import shutil
import signal
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config import example

PASSWORD = "stepmark-example"  # noqa: S105 - printed on the screen, for a trial on one's own machine


class Command(BaseCommand):
    help = "Make the database, load the example project and serve it; what is there already is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-serve", action="store_true", help="set up only")
        parser.add_argument("--reset", action="store_true", help="throw the embedded database away first")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["reset"]:
            self._reset()
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"])
        self.stdout.write("Loading the example project …")
        people = example.make_accounts(PASSWORD)
        example.load(people)
        self._tell(options["port"])
        if not options["no_serve"]:
            self._serve(options["port"])

    def _reset(self) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("--reset throws only the embedded database away; empty this one yourself.")
        connection.close()
        for file in Path(settings.DATABASES["default"]["NAME"]).parent.glob("stepmark.sqlite3*"):
            file.unlink()
        shutil.rmtree(settings.RELEASES_DIR, ignore_errors=True)

    def _tell(self, port: int) -> None:
        names = ", ".join(example.ANNOTATORS)
        self.stdout.write(
            f"\nStepmark: http://localhost:{port}/\n"
            f"  annotators  {names}\n  lead        {example.LEAD}\n  admin       {example.ADMIN}\n"
            f"  password    {PASSWORD} (all of them; for a trial on this machine)\n"
        )

    def _serve(self, port: int) -> None:
        # A plain kill would leave the worker behind, to go on with whatever code it has.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        worker = subprocess.Popen([sys.executable, "manage.py", "db_worker"], cwd=settings.BASE_DIR)
        try:
            call_command("runserver", f"localhost:{port}", use_reloader=False)
        finally:
            worker.terminate()
            worker.wait(timeout=20)
