"""Writing files: round trips with the readers, exact types, and what a format cannot say is listed."""

import json
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from annotation.segmentation import given, numbered
from annotation.sources import SOURCES
from annotation.sources.records import GoldRecord, LabelRecord, Option, ProblemRecord, SolutionRecord
from annotation.verdicts import Verdict
from exports.formats import FORMATS
from exports.formats.stepmark import line
from tests.annotation.sources.samples import CODE, MR_BEN, PROCESSBENCH, UUID

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def write(name: str, records: Any) -> tuple[str, Counter[tuple[str, str]]]:
    out = StringIO()
    oddities = FORMATS[name](records, out)
    return out.getvalue(), Counter((odd.kind, odd.field) for odd in oddities)


def read(name: str, text: str, file: str = "file.json", **options: Any) -> list[Any]:
    return list(SOURCES[name](text.encode(), file, **options))


def bare(records: Any) -> list[SolutionRecord]:
    return [replace(record, where="", oddities=()) for record in records]


def solution(*texts: str, gold: Any, raw_text: Any = None, **changes: Any) -> SolutionRecord:
    raw, steps = (raw_text, numbered(raw_text)) if raw_text else given(texts)
    problem = ProblemRecord("set", "p1", "What is it?", text_format=changes.pop("text_format", "latex"))
    problem = replace(
        problem, **{key: changes.pop(key) for key in ("options", "answer_keys", "level") if key in changes}
    )
    return SolutionRecord(problem, "m", raw, steps, "line 1", gold=gold, **changes)


WRONG = GoldRecord(Verdict(correct=False, first_error=1, reason="r", rectified="s"), (("r", "s"), ("q", "t")))
RIGHT = GoldRecord(Verdict(correct=True))


def correct(sample: Any) -> dict[str, Any]:
    errors = [key for key in sample if key.startswith("Model_Solution_") and "Error" in key]
    return {**sample, "Model_Solution_Correctness": "correct", **dict.fromkeys(errors, "N/A")}


@pytest.mark.parametrize(
    "record",
    [
        MR_BEN,
        correct(MR_BEN),
        CODE,
        correct(CODE),
        {**MR_BEN, "Question_UUID": "5a002dd4-0000-4000-8000-000000000000"},
        {**MR_BEN, "Options": "none to speak of"},
        {**MR_BEN, "Options": "A: 1\nB:  2 "},
        {**MR_BEN, "Ground_Truth_Answer": "", "Ground_Truth_Answer_Modified": "C"},
        {**MR_BEN, "Ground_Truth_Answer_Modified": ""},
        {**MR_BEN, "Ground_Truth_Answer_Modified": "D"},
        {**MR_BEN, "Model_Solution_Steps": ["Step 1: a\nb", "Step 2: c"]},
        {**MR_BEN, "cot_analysis": "kept"},
        {**MR_BEN, "Ground_Truth_Analysis": "So it is."},
        {**CODE, "Model_Solution_Rectified_First_Error_Step": ""},
    ],
)
def test_mr_ben_record_comes_out_as_it_went_in(record: Any) -> None:
    text = json.dumps({UUID: [record]}, indent=2, ensure_ascii=False)
    written, _oddities = write("mr-ben", read("mr-ben", text))
    assert written == text


@pytest.mark.parametrize(
    "change", [{}, {"label": -1}, {"final_answer_correct": True}, {"steps": ["a", " b\n "], "x": 1}]
)
def test_processbench_record_comes_out_as_it_went_in(change: Any) -> None:
    text = json.dumps([{**PROCESSBENCH, **change}], indent=2)
    assert write("processbench", read("processbench", text)) == (text, Counter())


def test_stepmark_line_holds_everything() -> None:
    everything = solution(
        raw_text="Look.\nStep 1: a\u2028b\nSolution: B",
        gold=replace(WRONG, verdict=replace(WRONG.verdict, placement="before", category="logic"), basis="agreed"),
        options=(Option("A", "x"), Option("B", "y")),
        answer_keys=(("A",), ("A", "B")),
        level="hard",
        ordinal=2,
        final_answer="B",
        provenance={"temperature": 1.0},
        labels=(LabelRecord("a", WRONG.verdict, 30), LabelRecord("b", Verdict(correct=True))),
    )
    written, oddities = write("stepmark", [everything, replace(everything, ordinal=3, gold=None, labels=())])
    assert bare(read("stepmark", written)) == bare([everything, replace(everything, ordinal=3, gold=None, labels=())])
    assert not oddities
    assert "labels" not in json.loads(line(everything, labels=False))
    assert list(json.loads(line(everything)))[:4] == ["id", "source", "external_id", "subject"]
    assert json.loads(line(everything))["id"] == everything.id


def test_mr_ben_file_of_another_source_keeps_the_place() -> None:
    found = solution("We add.\nStep 7: is quoted", "It is 3.", "So 3.", gold=WRONG)
    written, oddities = write("mr-ben", [found])
    (entry,) = json.loads(written)["p1"]
    assert entry["Model_Solution_Steps"] == [
        "Step 1: We add.",
        "(Step 7: is quoted)",
        "Step 2: It is 3.",
        "Step 3: So 3.",
    ]
    assert entry["Model_Solution_First_Error_Step"] == "2"
    assert entry["Model_Solution_Error_Reason"] == ["r", "q"]
    assert entry["Options"] == ""
    assert oddities == {("steps_numbered_anew", "steps"): 1}
    (back,) = read("mr-ben", written)
    assert back.steps[back.gold.verdict.first_error].text == "It is 3."


@pytest.mark.parametrize(
    ("raw_text", "position", "lines", "label"),
    [
        ("Look.\nStep 1: a\nSolution: B", 1, ["Look.", "Step 1: a", "Solution: B"], "1"),
        # no printed number leads to these: the answer line, the opening line, the second of two equal numbers
        ("Step 1: a\nSolution: B", 1, ["Step 1: a", "Step 2: Solution: B"], "2"),
        ("Look.\nStep 1: a", 0, ["Step 1: Look.", "Step 2: a"], "1"),
        ("Step 1: a\nStep 1: b", 1, ["Step 1: a", "Step 2: b"], "2"),
    ],
)
def test_mr_ben_file_numbers_anew_only_where_the_printed_number_would_mislead(
    raw_text: Any, position: Any, lines: Any, label: Any
) -> None:
    gold = replace(WRONG, verdict=replace(WRONG.verdict, first_error=position))
    (entry,) = json.loads(write("mr-ben", [solution(raw_text=raw_text, gold=gold)])[0])["p1"]
    assert (entry["Model_Solution_Steps"], entry["Model_Solution_First_Error_Step"]) == (lines, label)


def test_what_a_format_cannot_say_is_listed() -> None:
    rich = solution(
        raw_text="Step 1: a\nStep 2: b",
        gold=GoldRecord(Verdict(False, 1, placement="before", category="logic", reason="r")),
        answer_keys=(("1", "x = 1"),),
        final_answer="1",
        level="hard",
    )
    unlabelled = replace(rich, ordinal=1, gold=None)
    written, oddities = write("mr-ben", [rich, unlabelled])
    (entry,) = json.loads(written)["p1"]
    assert entry["Model_Solution_Error_Reason"] == ["r"]
    assert entry["Ground_Truth_Answer"] == "1"
    lost = {("not_expressible", part): 1 for part in ("placement", "category", "level", "answer_keys")}
    left_out = {("no_gold_label", "gold"): 1}
    assert oddities == {**lost, ("other_number_of_reasons", "reasons"): 1, **left_out}
    written, oddities = write("processbench", [rich, unlabelled])
    (entry,) = json.loads(written)
    assert (entry["final_answer_correct"], entry["label"], entry["id"]) == (True, 1, rich.id)
    lost = {("not_expressible", part): 1 for part in ("placement", "category", "level", "answer_keys", "reason")}
    assert oddities == {**lost, **left_out}


def test_answer_of_unknown_rightness_is_null_and_told() -> None:
    written, oddities = write("processbench", [solution("a", gold=RIGHT)])
    assert json.loads(written)[0]["final_answer_correct"] is None
    assert oddities == {("final_answer_unknown", "final_answer_correct"): 1}


def test_mr_ben_code_tells_of_lines_that_stand_twice() -> None:
    (found,) = read("mr-ben", json.dumps({UUID: [{**CODE, "Model_Solution_Steps": "y\n    return x\n    return x"}]}))
    later = replace(found, gold=replace(found.gold, verdict=replace(found.gold.verdict, first_error=2)))
    assert write("mr-ben", [found])[1] == Counter()
    assert write("mr-ben", [later])[1] == {("line_not_unique", "first_error"): 1}


# The real files


@pytest.mark.parametrize(
    ("source", "name", "left_out"),
    [
        ("mr-ben", "biology", 2),
        ("mr-ben", "chemistry", 0),
        ("mr-ben", "math", 0),
        ("mr-ben", "coding", 13),
        ("processbench", "gsm8k", 0),
        ("processbench", "math", 0),
        ("processbench", "olympiadbench", 0),
    ],
)
def test_real_files_come_out_as_they_went_in(source: str, name: str, left_out: Any) -> None:
    path = DATA / source / f"{name}.json"
    if not path.exists():
        pytest.skip(f"the shared data file {source}/{name}.json is not here")
    text = path.read_bytes().decode()
    records = read(source, text, path.name)
    placed = [record for record in records if record.gold]
    assert len(records) - len(placed) == left_out
    written, oddities = write(source, records)
    assert oddities == ({("no_gold_label", "gold"): left_out} if left_out else {})
    assert bare(read(source, written, path.name)) == bare(placed)
    if not left_out:
        assert written == text
    else:
        kept = iter(records)
        whole = json.loads(text)
        regular = {key: [entry for entry in group if next(kept).gold] for key, group in whole.items()}
        assert json.loads(written) == {key: group for key, group in regular.items() if group}
    assert bare(read("stepmark", write("stepmark", records)[0])) == bare(records)
