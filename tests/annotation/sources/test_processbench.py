"""ProcessBench files: steps as they are, labels counted from 0; counts of the real files."""

import json
from typing import Any

import pytest

from annotation.verdicts import Verdict
from tests.annotation.sources.samples import DATA, PROCESSBENCH, kinds, one, read, real


def test_processbench_record() -> None:
    record = one("processbench")
    assert [step.text for step in record.steps] == PROCESSBENCH["steps"]
    assert record.gold.verdict == Verdict(correct=False, first_error=1)
    assert record.provenance == {"id": "math-0", "final_answer_correct": False}
    assert record.where == "math-0"
    assert one("processbench", label=-1).gold.verdict == Verdict(correct=True)
    assert one("processbench", label=...).gold is None


def test_processbench_solutions_of_one_problem() -> None:
    other = {**PROCESSBENCH, "id": "math-1"}
    lines = "\n".join(json.dumps(record) for record in (PROCESSBENCH, other, other)).encode()
    records = read("processbench", lines)
    assert len({record.problem.external_id for record in records}) == 1
    assert [record.ordinal for record in records] == [0, 1, 2]
    assert [record.where for record in records] == ["math-0", "math-1", "line 3"]
    assert "repeated_record_id" in kinds(records[2])


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (2, "first_error_out_of_range"),
        (-2, "first_error_out_of_range"),
        (True, "bool_as_int"),
        (1.0, "wrong_type"),
        ("one", "wrong_type"),
        ([1], "wrong_type"),
    ],
)
def test_processbench_label_that_cannot_be_used(label: Any, kind: Any) -> None:
    record = one("processbench", label=label)
    assert record.gold is None
    assert {(odd.kind, odd.field) for odd in record.oddities} == {(kind, "gold")}


def test_processbench_label_as_text_is_taken_and_told() -> None:
    record = one("processbench", label="1")
    assert (record.gold.verdict.first_error, kinds(record)) == (1, {"int_as_text"})


@pytest.mark.parametrize(
    ("name", "problems", "wrong", "right", "steps"),
    [("gsm8k", 375, 207, 193, 2082), ("math", 955, 594, 406, 6505), ("olympiadbench", 561, 661, 339, 8819)],
)
def test_processbench_counts(name: str, problems: Any, wrong: Any, right: Any, steps: Any) -> None:
    records = real("processbench", name)
    raw = json.loads((DATA / "processbench" / f"{name}.json").read_bytes())
    assert len({record.problem.external_id for record in records}) == problems
    assert sum(record.gold.verdict.correct for record in records) == right
    assert sum(not record.gold.verdict.correct for record in records) == wrong
    assert sum(len(record.steps) for record in records) == steps == sum(len(entry["steps"]) for entry in raw)
    assert len({record.id for record in records}) == len(records)
    assert not any(record.oddities for record in records)
