"""Stepmark's own lines: what may be left out, what is refused, and what that names."""

import json
from typing import Any

import pytest

from annotation.sources.records import BadRecord
from annotation.verdicts import Verdict
from tests.annotation.sources.samples import STEPMARK, kinds, one, read


def test_stepmark_smallest_line_is_cut_and_named_after_its_file() -> None:
    (record,) = read("stepmark", json.dumps(STEPMARK).encode(), name="folder/mine.jsonl")
    assert record.problem.source == "mine"
    assert [step.text for step in record.steps] == ["1 + 1", "= 3"]
    assert (record.gold, record.labels, record.oddities, record.where) == (None, (), (), "line 1")


def test_stepmark_full_line() -> None:
    record = one(
        "stepmark",
        source="set",
        subject="arithmetic",
        level="easy",
        options=[{"label": "A", "text": "2"}],
        answer_keys=[["A"], ["A", "B"]],
        text_format="latex",
        extra={"k": [1]},
        ordinal=3,
        final_answer="A",
        provenance={"temperature": 1.0},
        steps=[{"label": "1", "kind": "step", "text": "1 + 1", "start": 8, "end": 13}],
        gold={"correct": False, "first_error": 0, "placement": "before", "reasons": [["r", "s"]], "basis": "agreed"},
        labels=[{"annotator": "a", "correct": True}, {"annotator": "b", "correct": False, "first_error": 0}],
    )
    assert record.oddities == ()
    assert record.problem.answer_keys == (("A",), ("A", "B"))
    assert record.gold.verdict == Verdict(correct=False, first_error=0, placement="before")
    assert (record.gold.reasons, record.gold.basis) == ((("r", "s"),), "agreed")
    assert [label.annotator for label in record.labels] == ["a", "b"]
    assert record.ordinal == 3


def test_stepmark_shorthands() -> None:
    assert one("stepmark", answer_key="2").problem.answer_keys == (("2",),)
    assert one("stepmark", answer_key=["2", "two"]).problem.answer_keys == (("2", "two"),)
    record = one("stepmark", raw_text=..., steps=["a\nb", "c"])
    assert record.raw_text == "a\nb\n\nc"
    assert [step.text for step in one("stepmark", steps=["1 + 1", "= 3"]).steps] == ["1 + 1", "= 3"]
    assert [record.ordinal for record in read("stepmark", [STEPMARK, STEPMARK])] == [0, 1]
    assert one("stepmark", text_format="code").steps[0].kind == "code"
    assert read("stepmark", [STEPMARK], text_format="code")[0].problem.text_format == "code"


@pytest.mark.parametrize("field", ["external_id", "question", "sampled_from", "raw_text"])
@pytest.mark.parametrize("value", [..., None, "", "  ", 7, ["x"]])
def test_stepmark_needed_fields(field: Any, value: Any) -> None:
    record = one("stepmark", **{field: value})
    assert isinstance(record, BadRecord)
    assert field in {odd.field for odd in record.oddities if odd.severity == "blocking"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", 1),
        ("subject", []),
        ("subject", "x" * 101),
        ("external_id", "x" * 201),
        ("options", "A"),
        ("options", [{"label": "A"}]),
        ("answer_keys", ["A"]),
        ("answer_keys", [[]]),
        ("answer_key", 5),
        ("text_format", "html"),
        ("extra", []),
        ("provenance", "p"),
        ("ordinal", True),
        ("ordinal", -1),
        ("ordinal", 40000),
        ("final_answer", 42),
        ("steps", []),
        ("steps", "a"),
        ("steps", ["a", {"text": "b"}]),
        ("steps", ["not there"]),
        ("steps", [" "]),
        ("steps", [{"text": "1 + 1", "start": 0, "end": 5}]),
        ("steps", [{"text": "1 + 1", "start": 8, "end": 13}, {"text": "= 3"}]),
        ("steps", [{"text": "1 + 1", "start": True, "end": 13}]),
        ("steps", [{"text": "1 + 1", "kind": "joke"}]),
    ],
)
def test_stepmark_field_of_a_wrong_kind_refuses_the_record_and_names_the_field(field: Any, value: Any) -> None:
    record = one("stepmark", **{field: value})
    assert isinstance(record, BadRecord)
    assert {odd.field for odd in record.oddities if odd.severity == "blocking"} == {field}


@pytest.mark.parametrize(
    "gold",
    [
        "correct",
        {"correct": "true"},
        {"correct": False},
        {"correct": False, "first_error": 2},
        {"correct": False, "first_error": True},
        {"correct": False, "first_error": "1"},
        {"correct": True, "first_error": 1},
        {"correct": True, "reason": "because"},
        {"correct": False, "first_error": 0, "placement": "after"},
        {"correct": False, "first_error": 0, "category": "x" * 61},
        {"correct": False, "first_error": 0, "reason": 5},
        {"correct": False, "first_error": 0, "reasons": ["r"]},
        {"correct": False, "first_error": 0, "basis": 1},
    ],
)
def test_stepmark_gold_that_contradicts_itself_leaves_the_solution_unlabelled(gold: Any) -> None:
    record = one("stepmark", gold=gold)
    assert record.gold is None
    assert {(odd.severity, odd.field) for odd in record.oddities} == {("blocking", "gold")}


def test_stepmark_labels_that_hold_are_kept_beside_those_that_do_not() -> None:
    good = {"annotator": "a", "correct": True}
    bad = [{**good, "correct": 1}, {"correct": True}, good, {**good, "annotator": "b", "active_seconds": -1}, 7]
    record = one("stepmark", labels=[good, *bad])
    assert [label.annotator for label in record.labels] == ["a"]
    assert [(odd.severity, odd.field) for odd in record.oddities] == [("blocking", "labels")] * 5


def test_stepmark_tells_of_fields_and_ids_that_do_not_fit() -> None:
    record = one("stepmark", colour="red", id="sm-0000000000000000")
    assert kinds(record, "warning") == {"unknown_field", "id_differs"}
