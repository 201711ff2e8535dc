"""The same database tests once more, on PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.postgres_server import postgres_server, programs


@pytest.mark.postgres
def test_the_database_tests_pass_on_postgresql() -> None:
    if programs() is None:
        pytest.skip("there is no PostgreSQL server program on this machine")
    wanted = [sys.executable, "-m", "pytest", "-m", "database and not browser", "-n", "2", "--maxfail=20"]
    with postgres_server() as url:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        environment |= {"DATABASE_URL": url, "COLUMNS": "120"}
        run = subprocess.run(
            [*wanted, "-p", "no:cacheprovider"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, f"on PostgreSQL:\n{run.stdout}\n{run.stderr}"
    print(run.stdout.strip().splitlines()[-1])
