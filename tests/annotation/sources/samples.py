"""One small record of each format, and short ways to read them."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.sources import SOURCES
from annotation.sources.records import SolutionRecord

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"

UUID = "388b0cd9-e71a-45e2-b4bd-ed0459309105"
MR_BEN: dict[str, Any] = {
    "Question_UUID": UUID,
    "Subject": "high_school_math",
    "Question": "What is the smallest number?",
    "Options": "A: 67 \nB: 43 \nC: 57 \nD: 37 ",
    "Ground_Truth_Analysis": "",
    "Ground_Truth_Answer": "D",
    "Ground_Truth_Answer_Modified": "CD",
    "Sampled_Model": "Claude2",
    "Model_Solution_Steps": ["Step 1: Check A", "67 leaves 3.", "", "Step 2: Check B ", "Solution: Choice_D"],
    "Model_Solution_Correctness": "incorrect",
    "Model_Solution_First_Error_Step": "2",
    "Model_Solution_Error_Reason": ["The remainder is 3.\n", "In step 2 it errs.\n"],
    "Model_Solution_Rectified_First_Error_Step": ["Step 2: B leaves 3.\n", "Step 2: B fails."],
}
CODE: dict[str, Any] = {
    "Question_UUID": UUID,
    "Subject": "coding",
    "Question": "Write f.",
    "Ground_Truth_Answer": "",
    "Sampled_Model": "GPT3.5",
    "Model_Solution_Steps": "def f():\n    x = 1\n\n    return x\n",
    "Model_Solution_Correctness": "incorrect",
    "Model_Solution_First_Error_Step": "    return x",
    "Model_Solution_Error_Reason": "It returns x.",
    "Model_Solution_Rectified_First_Error_Step": "    return 2",
}
PROCESSBENCH: dict[str, Any] = {
    "id": "math-0",
    "generator": "Qwen",
    "problem": "What is 1 + 1?",
    "steps": ["We add:\n\n1 + 1.", "It is 3."],
    "final_answer_correct": False,
    "label": 1,
}
STEPMARK: dict[str, Any] = {
    "external_id": "p1",
    "question": "1 + 1?",
    "sampled_from": "m",
    "raw_text": "Step 1: 1 + 1\nStep 2: = 3",
}


def read(source: str, value: Any, name: str = "file.json", **options: Any) -> list[Any]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(SOURCES[source](data, name, **options))


def one(source: str, /, **changes: Any) -> Any:
    sample = {"mr-ben": MR_BEN, "processbench": PROCESSBENCH, "stepmark": STEPMARK}[source]
    record = {key: value for key, value in {**sample, **changes}.items() if value is not ...}
    (found,) = read(source, {UUID: [record]} if source == "mr-ben" else [record])
    return found


def kinds(record: Any, severity: Any = None) -> Any:
    return {odd.kind for odd in record.oddities if severity in (None, odd.severity)}


def real(source: str, name: str) -> list[Any]:
    path = DATA / source / f"{name}.json"
    if not path.exists():
        pytest.skip(f"the shared data file {source}/{name}.json is not here")
    records = read(source, path.read_bytes(), name=path.name)
    assert all(isinstance(record, SolutionRecord) for record in records)
    return records
