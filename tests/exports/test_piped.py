"""The console script in a pipe: tables in full width, and a quiet end when the reader has gone."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from exports.cli import UNREAD
from exports.folder import write_folder
from tests.exports.small_release import solution
from tests.exports.test_cli import SCRIPT

LONG_SUBJECT = "a subject whose name is longer than a terminal of eighty columns leaves room for beside its figures"


@pytest.fixture
def command(tmp_path: Path) -> list[str | Path]:
    items = [solution(f"w{n}", n % 4, subject=LONG_SUBJECT) for n in range(8)]
    write_folder(tmp_path / "release", items, [], [], {"project": "small", "version": "1.0"})
    (tmp_path / "answers.jsonl").write_text(json.dumps({"id": items[0].id, "correct": True}))
    return [SCRIPT, "grade", tmp_path / "release", tmp_path / "answers.jsonl"]


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "COLUMNS"} | more


def test_a_line_of_a_table_is_not_broken(command: list[str | Path]) -> None:
    told = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True).stderr
    assert f"{LONG_SUBJECT} (n 8)" in told


def test_a_width_that_is_asked_for_is_kept(command: list[str | Path]) -> None:
    told = subprocess.run(command, capture_output=True, text=True, env=environment(COLUMNS="60"), check=True).stderr
    assert LONG_SUBJECT not in told


def test_it_ends_without_a_word_when_nobody_reads_on(command: list[str | Path]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as out:
        run = subprocess.run([*command, "--json"], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == UNREAD
    assert "pipe" not in run.stderr.lower()
