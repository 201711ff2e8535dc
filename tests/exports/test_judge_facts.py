"""The file beside an answers file: it goes into the report when it is about these answers, else it is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from exports.judge_facts import NotOfThisRun, facts_beside, judge_facts, with_judge

RELEASE, ANSWERS = "f" * 64, "a" * 64
TOLD = {
    "model": "vendor/large", "release": RELEASE, "answers_sha256": ANSWERS, "preset": "mr-ben", "preset_version": "1",
    "step_tag": None, "shots": 2, "samples": 1, "temperature": 0.0, "seed": 0, "items": 9, "cost": 0.1,
}  # fmt: skip
KEPT = {
    "model": "vendor/large", "preset": "mr-ben", "preset_version": "1", "shots": 2, "samples": 1, "temperature": 0.0,
    "seed": 0,
}  # fmt: skip


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return tmp_path / "said.jsonl"


def lay(answers: Path, **changed: Any) -> None:
    """A file beside the answers; what is changed to None is left out."""
    told = {name: value for name, value in (TOLD | changed).items() if value is not None}
    answers.with_name("said.jsonl.run.json").write_text(json.dumps(told), encoding="utf-8")


def test_what_a_report_needs_of_a_run_is_kept(answers: Path) -> None:
    lay(answers)
    assert facts_beside(answers, RELEASE, ANSWERS) == KEPT
    assert judge_facts(TOLD) == KEPT


def test_an_older_file_that_does_not_name_its_answers_is_taken(answers: Path) -> None:
    lay(answers, answers_sha256=None)
    assert facts_beside(answers, RELEASE, ANSWERS) == KEPT


def test_without_a_file_nothing_is_known(answers: Path) -> None:
    assert facts_beside(answers, RELEASE, ANSWERS) == {}
    assert with_judge({"how": {"scorer_version": "1"}}, {}) == {"how": {"scorer_version": "1", "judge": None}}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"release": "e" * 64}, "is about another release: eeee"),
        ({"release": None}, "is about another release: None"),
        ({"answers_sha256": "b" * 64}, "is about other answers"),
        ({"preset_version": None}, "no account of a run: model, preset, preset_version are expected"),
        ({"model": ["large"]}, "no account of a run: model, preset, preset_version are expected"),
        ({"temperature": {"high": 1}}, "neither a text nor a number"),
    ],
)
def test_a_file_about_something_else_is_refused(answers: Path, changed: dict[str, Any], why: str) -> None:
    lay(answers, **changed)
    with pytest.raises(NotOfThisRun, match=why):
        facts_beside(answers, RELEASE, ANSWERS)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b"[" * 100_000])
def test_a_file_that_is_no_object_is_refused(answers: Path, content: bytes) -> None:
    answers.with_name("said.jsonl.run.json").write_bytes(content)
    with pytest.raises(NotOfThisRun, match=r"said\.jsonl\.run\.json"):
        facts_beside(answers, RELEASE, ANSWERS)
