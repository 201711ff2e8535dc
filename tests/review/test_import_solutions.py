"""The import command: the real files come in whole, and what cannot be done is said."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Problem, Project, Solution, Step, User
from review.models import Adjudication

LINE = {"external_id": "p1", "question": "1 + 1?", "sampled_from": "m", "raw_text": "Step 1: 2"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    return path


def test_it_imports_and_says_what_it_did(
    make_project: Callable[..., Project], lead: User, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project(0)
    call_command("import_solutions", file, project="trial", format="stepmark")
    assert "1 records: 1 solutions of 1 new problems added" in capsys.readouterr().out
    call_command("import_solutions", file, project="trial", format="stepmark")
    assert "1 here already" in capsys.readouterr().out


def test_a_dry_run_writes_nothing(
    make_project: Callable[..., Project], lead: User, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project(0)
    call_command("import_solutions", file, project="trial", format="stepmark", dry_run=True)
    assert "would be added" in capsys.readouterr().out
    assert not Solution.objects.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"project": "nowhere"}, "no project 'nowhere'"),
        ({"file": "absent.jsonl"}, "cannot be read"),
        ({"by": "ana"}, "Name a lead"),
        ({"format": "mr-ben"}, "no value in it is a list of records"),
    ],
    ids=["project", "file", "person", "format"],
)
def test_what_cannot_be_done_is_said(
    make_project: Callable[..., Project], lead: User, file: Path, options: dict[str, str], said: str
) -> None:
    make_project(0)
    given = {"file": file, "project": "trial", "format": "stepmark", **options}
    with pytest.raises(CommandError, match=said):
        call_command("import_solutions", given.pop("file"), stdout=StringIO(), **given)
    assert not Solution.objects.exists()


@pytest.mark.parametrize(
    ("source", "name", "expected", "steps"),
    [  # problems, solutions, correct, incorrect: mr-ben.md 1.1, process-benchmarks.md; 2 biology and 13 coding labels
        # point at no step
        ("mr-ben", "biology", (345, 1035, 617, 416), None),
        ("mr-ben", "chemistry", (284, 848, 382, 466), None),
        ("mr-ben", "math", (306, 918, 149, 769), None),
        ("mr-ben", "coding", (90, 238, 74, 151), None),
        ("processbench", "gsm8k", (375, 400, 193, 207), 2082),
        ("processbench", "math", (955, 1000, 406, 594), 6505),
        ("processbench", "olympiadbench", (561, 1000, 339, 661), 8819),
    ],
)
def test_a_real_file_comes_in_whole(
    make_project: Callable[..., Project], lead: User, shared_data: Path, source: str, name: str,
    expected: tuple[int, int, int, int], steps: int | None,
) -> None:  # fmt: skip
    make_project(0)
    path = shared_data / source / f"{name}.json"
    call_command("import_solutions", path, project="trial", format=source, labels="gold", skip_bad=True)
    correct, incorrect = (Adjudication.objects.filter(correct=value).count() for value in (True, False))
    assert (Problem.objects.count(), Solution.objects.count(), correct, incorrect) == expected
    if steps:
        assert Step.objects.count() == steps
