"""MR-Ben files: printed numbers, verbatim lines, two reasons, keys; counts of the real files."""

import json
import re
from typing import Any

import pytest

from annotation.sources.records import Option, SolutionRecord
from annotation.verdicts import Verdict
from tests.annotation.sources.samples import CODE, DATA, MR_BEN, UUID, kinds, one, read, real


def test_mr_ben_record() -> None:
    record = one("mr-ben")
    assert record.problem.source == "mr-ben/file"
    assert record.problem.external_id == UUID
    assert record.problem.options[3] == Option("D", "37")
    assert record.problem.answer_keys == (("D",), ("C", "D"))
    assert record.problem.text_format == "latex"
    assert record.raw_text == "Step 1: Check A\n67 leaves 3.\n\nStep 2: Check B \nSolution: Choice_D"
    assert [step.label for step in record.steps] == ["1", "2", ""]
    assert record.final_answer == "D"
    assert record.gold.verdict == Verdict(
        correct=False, first_error=1, reason="The remainder is 3.\n", rectified="Step 2: B leaves 3.\n"
    )
    assert record.gold.reasons[1] == ("In step 2 it errs.\n", "Step 2: B fails.")
    assert [(label.annotator, label.verdict.first_error) for label in record.labels] == [
        ("published-1", 1),
        ("published-2", 1),
    ]
    assert record.labels[1].verdict.reason == "In step 2 it errs.\n"
    assert kinds(record) == {"modified_answer_has_several_letters", "list_index_of_gold_step_is_not_that_step"}


def test_mr_ben_correct_solution_is_two_correct_labels() -> None:
    nothing = {key: "N/A" for key in MR_BEN if key.startswith("Model_Solution_") and "Error" in key}
    record = one("mr-ben", Model_Solution_Correctness="correct", **nothing)
    assert record.gold.verdict == Verdict(correct=True)
    assert [label.verdict for label in record.labels] == [Verdict(correct=True)] * 2


def test_mr_ben_code_is_placed_by_its_verbatim_line() -> None:
    (record,) = read("mr-ben", {UUID: [CODE]})
    assert record.problem.text_format == "code"
    assert record.raw_text == CODE["Model_Solution_Steps"]
    assert record.steps[record.gold.verdict.first_error].label == "4"
    assert record.gold.reasons == (("It returns x.", "    return 2"),)
    assert len(record.labels) == 1
    assert record.problem.answer_keys == ()


@pytest.mark.parametrize(
    ("line", "source", "kind"),
    [
        ("", "a\n\nb", "coding_incorrect_with_empty_first_error_line"),
        ("  ", "a\n  \nb", "coding_error_line_blank"),
        ("c", "a\nb", "coding_error_line_not_in_source"),
    ],
)
def test_mr_ben_code_line_that_points_nowhere(line: Any, source: str, kind: Any) -> None:
    (record,) = read(
        "mr-ben", {UUID: [{**CODE, "Model_Solution_First_Error_Step": line, "Model_Solution_Steps": source}]}
    )
    assert record.gold is None
    assert record.labels == ()
    assert [(odd.kind, odd.field) for odd in record.oddities if odd.severity == "blocking"] == [(kind, "gold")]
    assert record.provenance["unplaced_label"]["reasons"] == [["It returns x.", "    return 2"]]


def test_mr_ben_repeated_places_take_the_first() -> None:
    (code,) = read("mr-ben", {UUID: [{**CODE, "Model_Solution_Steps": "y\n    return x\n    return x"}]})
    assert (code.gold.verdict.first_error, kinds(code)) == (1, {"coding_error_line_text_not_unique"})
    text = one("mr-ben", Model_Solution_Steps=["Step 1: a", "Step 2: b", "Step 1: c", "Step 2: d"])
    assert text.gold.verdict.first_error == 1
    assert "gold_step_label_repeated" in kinds(text, "warning")


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"Model_Solution_First_Error_Step": "7"}, "gold_step_not_among_step_labels"),
        ({"Model_Solution_First_Error_Step": ""}, "gold_step_not_among_step_labels"),
        ({"Model_Solution_First_Error_Step": "N/A"}, "incorrect_without_step"),
        ({"Model_Solution_First_Error_Step": ["2"]}, "wrong_type"),
        ({"Model_Solution_First_Error_Step": True}, "wrong_type"),
        ({"Model_Solution_Correctness": "wrong"}, "unknown_correctness"),
        ({"Model_Solution_Correctness": True}, "unknown_correctness"),
        ({"Model_Solution_Correctness": "correct"}, "correct_with_error_given"),
        ({"Model_Solution_Error_Reason": [1, 2]}, "wrong_type"),
        ({"Model_Solution_Rectified_First_Error_Step": {"a": 1}}, "wrong_type"),
    ],
)
def test_mr_ben_label_that_cannot_be_used_leaves_an_unlabelled_solution(changes: Any, kind: Any) -> None:
    record = one("mr-ben", **changes)
    assert isinstance(record, SolutionRecord)
    assert record.gold is None
    assert {(odd.kind, odd.field) for odd in record.oddities if odd.severity == "blocking"} == {(kind, "gold")}


def test_mr_ben_milder_oddities_of_labels() -> None:
    assert "text_as_int" in kinds(one("mr-ben", Model_Solution_First_Error_Step=2), "warning")
    other = one("mr-ben", Model_Solution_Rectified_First_Error_Step=["Step 2: a", "Step 1: b"])
    assert "rectified_step_label_differs_from_gold" in kinds(other, "warning")
    fewer = one("mr-ben", Model_Solution_Rectified_First_Error_Step=["Step 2: a"])
    assert "reasons_and_rectified_steps_differ_in_number" in kinds(fewer, "warning")
    assert fewer.gold.reasons[1] == ("In step 2 it errs.\n", "")
    assert "incorrect_without_reason" in kinds(one("mr-ben", Model_Solution_Error_Reason="N/A"), "warning")


def test_mr_ben_keys_and_groups() -> None:
    other = "5a002dd4-0000-4000-8000-000000000000"
    again, stranger = dict(MR_BEN), {**MR_BEN, "Question_UUID": other}
    first, second, third = read("mr-ben", {UUID: [MR_BEN, again, stranger]})
    assert [record.ordinal for record in (first, second, third)] == [0, 1, 2]
    assert len({record.where for record in (first, second, third)}) == 3
    assert third.problem.external_id == UUID
    assert third.provenance == {"Question_UUID": other}
    assert "record_uuid_differs_from_dict_key" in kinds(third)
    # a list of records, and the demonstrations' grouping by subject, go by the record's own id
    assert read("mr-ben", [stranger])[0].problem.external_id == other
    assert read("mr-ben", {"college_math": [stranger]})[0].problem.external_id == other


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("Solution: Choice_A", "A"),
        (r"Solution: Choice\_C: Genetic drift.", "C"),
        ("Solution: Choice B (1.2 T)", "B"),
        ("Solution: Choice_B/D", "B/D"),
        ("Solution: Choice_A and Choice_C", "A/C"),
        ("Solution: Choice A, B, and C.", "A/B/C"),
        ("Solution: None of the choices A-D are correct.", None),
        ("Therefore it is Choice_A.", None),
    ],
)
def test_mr_ben_stated_choice(line: Any, answer: Any) -> None:
    assert one("mr-ben", Model_Solution_Steps=["Step 1: a", "Step 2: b", line]).final_answer == answer


@pytest.mark.parametrize(
    ("name", "questions", "correct", "incorrect", "labelled_steps", "entries"),
    [  # reference: mr-ben.md 1.1 and 1.3
        ("biology", 345, 617, 418, 5.13, 7.17),
        ("chemistry", 284, 382, 466, 5.56, 8.50),
        ("math", 306, 149, 769, 6.84, 10.56),
        ("coding", 90, 74, 164, None, None),
    ],
)
def test_mr_ben_counts(
    name: str, questions: Any, correct: Any, incorrect: Any, labelled_steps: Any, entries: Any
) -> None:
    records = real("mr-ben", name)
    placed = [record for record in records if record.gold]
    assert len({record.problem.external_id for record in records}) == questions
    assert sum(record.gold.verdict.correct for record in placed) == correct
    assert sum(not record.gold.verdict.correct for record in placed) + len(records) - len(placed) == incorrect
    assert len({record.id for record in records}) == len(records)
    if labelled_steps:
        labelled = sum(step.label[:1].isdigit() for record in records for step in record.steps)
        assert round(labelled / len(records), 2) == labelled_steps
        assert round(sum(record.raw_text.count("\n") + 1 for record in records) / len(records), 2) == entries


@pytest.mark.parametrize(("name", "unplaced"), [("biology", 2), ("chemistry", 0), ("math", 0), ("coding", 13)])
def test_mr_ben_gold_points_at_the_right_text(name: str, unplaced: Any) -> None:
    records = real("mr-ben", name)
    raw = json.loads((DATA / "mr-ben" / f"{name}.json").read_bytes())
    entries = [entry for group in raw.values() for entry in group]
    for record, entry in zip(records, entries, strict=True):
        if record.gold is None or record.gold.verdict.correct:
            continue
        stated = entry["Model_Solution_First_Error_Step"]
        step = record.steps[record.gold.verdict.first_error]
        begin = record.raw_text.rfind("\n", 0, step.start) + 1
        if name == "coding":
            assert record.raw_text[begin:].split("\n")[0] == stated == step.text
            continue
        assert step.label == stated
        position = record.gold.verdict.first_error
        above = record.raw_text[record.steps[position - 1].end if position else 0 : step.start]
        assert re.search(rf"^\s*step {stated}:\s*\Z", above, re.MULTILINE | re.IGNORECASE)
    assert sum(record.gold is None for record in records) == unplaced
