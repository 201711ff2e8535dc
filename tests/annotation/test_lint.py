"""Odd records are found, each kind at exactly the record that has it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.answers import is_accepted
from annotation.lint import lint_file, lint_record
from annotation.segmentation import given
from annotation.sources import SOURCES
from annotation.sources.records import GoldRecord, Option, ProblemRecord, SolutionRecord, StepRecord
from annotation.verdicts import Verdict

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
OPTIONS = (Option("A", "1"), Option("B", "2"), Option("C", "3"))


def record(*texts: str, labels: Any = (), **changes: Any) -> SolutionRecord:
    problem: dict[str, Any] = {"source": "set", "external_id": "p1", "question": "What is it?", "text_format": "latex"}
    problem |= {name: changes.pop(name) for name in ("options", "answer_keys", *problem) if name in changes}
    raw_text, steps = given(texts or ("It is 1.",))
    if labels:
        steps = tuple(replace(step, label=label) for step, label in zip(steps, labels, strict=True))
    made = {"sampled_from": "m", "raw_text": raw_text, "steps": steps, "where": "line 1", **changes}
    return SolutionRecord(problem=ProblemRecord(**problem), **made)


def wrong_at(position: Any, *pairs: Any) -> GoldRecord:
    return GoldRecord(Verdict(correct=False, first_error=position), pairs)


RIGHT = GoldRecord(Verdict(correct=True))


def kinds(found: Any) -> Any:
    return Counter(odd.kind for odd in lint_record(found))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty_step"),
        (" \n\u200b", "empty_step"),
        ("...", "ellipsis_step"),
        ("…", "ellipsis_step"),
        ("### Case 2", "heading_only_step"),
        ("**Case 2**", "heading_only_step"),
        ("[Solution]", "template_leak"),
        ("<paragraph_3>", "template_leak"),
        ("What is it?", "question_as_step"),
        (r"so \(x = 1", "unbalanced_delimiters"),
        (r"x = 1\] so", "unbalanced_delimiters"),
        ("so $x", "unbalanced_delimiters"),
    ],
)
def test_odd_steps(text: str, kind: Any) -> None:
    assert kinds(record("Fine.", text, "Fine too.")) == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "### Case 2\nHere x = 1.",
        "**Case 2** is the last.",
        r"\(x\) and \[y\]",
        r"\begin{array} a \\[4pt] b \\(c) \end{array}",
        "It costs $5.",
        "$x$ for $5 and a tip",
        r"It costs \$5.",
        "Go on... and on.",
    ],
)
def test_steps_that_are_not_odd(text: str) -> None:
    assert not kinds(record("Fine.", text))


def test_dollars_are_mathematics_only_where_the_format_says_so() -> None:
    assert not kinds(record("so $x", text_format="plain"))
    code = StepRecord("# Count", 0, 7, label="1", kind="code")
    assert not kinds(record(raw_text="# Count", steps=(code,), text_format="code", gold=wrong_at(0)))


def test_numbering() -> None:
    assert not kinds(record("a", "b", "c", labels=("", "1", "2")))
    for labels in (("2", "3"), ("1", "1"), ("1", "3"), ("2", "1")):
        assert kinds(record("a", "b", labels=labels)) == {"step_labels_not_1_to_n": 1}
    assert kinds(record("a", "b", labels=("1", "n"))) == {"step_label_not_a_number": 1}
    assert kinds(record("again", "b", "again")) == {"repeated_step": 1}


def test_first_error_on_a_heading() -> None:
    assert kinds(record("a", "## B", gold=wrong_at(1))) == {"heading_only_step": 1, "first_error_on_heading": 1}
    assert kinds(record("a", "## B", gold=wrong_at(0))) == {"heading_only_step": 1}


@pytest.mark.parametrize(
    ("answer", "keys", "gold", "kind"),
    [
        ("A", (("B",),), RIGHT, "labelled_correct_but_stated_choice_differs_from_modified_answer"),
        ("A/B", (("B",),), RIGHT, "labelled_correct_but_stated_choice_differs_from_modified_answer"),
        ("A", (("A",), ("B", "C")), RIGHT, "labelled_correct_but_stated_choice_differs_from_modified_answer"),
        ("C", (("A",), ("B", "C")), RIGHT, None),
        ("B", (("B",),), wrong_at(0), "right_answer_but_error"),
        ("A", (("B",),), wrong_at(0), None),
        ("B", (("B",),), None, None),
        (None, (("B",),), RIGHT, None),
        ("B", (), RIGHT, None),
        ("B", (("E",),), None, "answer_key_not_among_options"),
    ],
)
def test_label_against_stated_choice(answer: Any, keys: Any, gold: Any, kind: Any) -> None:
    found = record(final_answer=answer, answer_keys=keys, options=OPTIONS, gold=gold)
    assert kinds(found) == ({kind: 1} if kind else {})


def test_label_against_what_the_file_says_of_the_answer() -> None:
    assert kinds(record(provenance={"final_answer_correct": False}, gold=RIGHT)) == {"wrong_answer_but_no_error": 1}
    assert kinds(record(provenance={"final_answer_correct": True}, gold=wrong_at(0))) == {"right_answer_but_error": 1}


@pytest.mark.parametrize(
    ("answer", "accepted", "right"),
    [
        ("$1,000$", ["1000"], True),
        ("1000.0", ["1000"], True),
        ("999", ["1000"], False),
        ("x = 1", ["1", "x  =  1"], True),
        ("1/2", ["0.5"], None),
        ("0.5", ["1/2"], None),
        ("nan", ["5"], None),
    ],
)
def test_free_answers_are_wrong_only_when_both_are_numbers(answer: Any, accepted: Any, right: Any) -> None:
    assert is_accepted(answer, accepted) is right


def test_equal_words_and_missing_options() -> None:
    same = record(gold=wrong_at(0, ("r", "s"), ("r\n", "t")))
    assert kinds(same) == {"two_reasons_identical": 1}
    assert kinds(record(gold=wrong_at(0, ("r", "s"), ("q", "s")))) == {"two_rectified_steps_identical": 1}
    assert not kinds(record(gold=wrong_at(0, ("r", ""), ("q", ""))))
    assert kinds(record(options=(Option("A", "nan"), Option("B", "x")))) == {"option_text_nan": 1}


def file_kinds(*records: Any) -> Counter[tuple[str, str]]:
    return Counter((odd.kind, odd.record) for odd in lint_file(records))


def test_duplicates() -> None:
    first, second = record(where="line 1"), record(where="line 2")
    assert file_kinds(first, second)["duplicate_id", "line 2"] == 1
    other = record(sampled_from="n", where="line 3", gold=RIGHT)
    assert file_kinds(first, other) == {("duplicate_solution", "line 3"): 1}
    against = record(sampled_from="o", where="line 4", gold=wrong_at(0))
    assert file_kinds(other, against)["same_text_different_label", "line 4"] == 1
    assert not file_kinds(first, record("It is 2.", sampled_from="n", where="line 3"))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("question_whose_records_disagree_on_question_text", {"question": "What is that?"}),
        ("question_whose_records_disagree_on_options", {"options": OPTIONS[:2]}),
        ("question_whose_records_disagree_on_modified_answer", {"answer_keys": (("A",), ("B",))}),
    ],
)
def test_solutions_of_one_problem_that_disagree_about_it(kind: Any, change: Any) -> None:
    same = {"options": OPTIONS, "answer_keys": (("A",),)}
    records = record("a", **same), record("b", sampled_from="n", **same), record("c", sampled_from="o", **same | change)
    assert file_kinds(*records) == {(kind, "p1"): 1}
    assert not file_kinds(*records[:2])


def test_departures_from_three_solutions_a_question() -> None:
    def question(name: str, *models: str) -> list[SolutionRecord]:
        pairs = enumerate(models)
        return [record(f"{name} {n}", sampled_from=m, ordinal=n, external_id=name, question=name) for n, m in pairs]

    usual = question("p1", *"abc") + question("p2", *"abc") + question("p3", *"abc")
    assert not file_kinds(*usual)
    assert file_kinds(*usual, *question("p4", "a", "b")) == {("question_with_fewer_than_3_solutions", "p4"): 1}
    assert file_kinds(*usual, *question("p4", *"abb")) == {("question_with_repeated_sampled_model", "p4"): 1}
    assert not file_kinds(*question("p1", *"aaaa"), *question("p2", *"aa"))  # here sampling one model is the habit


def test_reasons_of_another_problem() -> None:
    cats = "Why do cats with two coat genes have orange and black fur patches?"
    leaves = "How does carbon dioxide diffuse through leaf stomata while water leaves?"
    about_cats = "The orange coat gene lies on the X chromosome, so fur patches need two genes."
    about_leaves = "Carbon dioxide diffuses through the stomata of the leaf, and water vapour leaves."
    stray = record("Genes of cats.", external_id="p1", question=cats, gold=wrong_at(0, (about_leaves, "")))
    fine = record("Stomata.", external_id="p2", question=leaves, where="line 2", gold=wrong_at(0, (about_leaves, "")))
    also = record("Fur.", external_id="p1", question=cats, sampled_from="n", gold=wrong_at(0, (about_cats, "")))
    assert file_kinds(stray, fine, also) == {("annotation_belongs_to_another_question", "line 1"): 1}
    unplaced = replace(stray, gold=None, provenance={"unplaced_label": {"reasons": [[about_leaves, ""]]}})
    assert file_kinds(unplaced, fine) == {("annotation_belongs_to_another_question", "line 1"): 1}
    assert not file_kinds(
        record("?", question="?", gold=wrong_at(0, ("!", ""))), record("-", question="-", external_id="q")
    )


# The real files


def real(source: str, name: str) -> list[Any]:
    path = DATA / source / f"{name}.json"
    if not path.exists():
        pytest.skip(f"the shared data file {source}/{name}.json is not here")
    return list(SOURCES[source](path.read_bytes(), path.name))


def test_every_anomaly_known_of_mr_ben_is_found_at_its_record_and_nowhere_else() -> None:
    records = {subject: real("mr-ben", subject) for subject in ("biology", "chemistry", "coding", "math")}
    known = json.loads((DATA / "mr-ben" / "anomalies.json").read_bytes())["items"]
    found: dict[str, Counter[tuple[str, str, str]]] = {kind: Counter() for kind in known}
    for subject, group in records.items():
        at = {one.where: (subject, one.problem.external_id, one.sampled_from) for one in group}
        oddities = [odd for one in group for odd in (*one.oddities, *lint_record(one))]
        for odd in (*oddities, *lint_file(group)):
            found.setdefault(odd.kind, Counter())[at.get(odd.record, (subject, odd.record, "*"))] += 1
    for kind, items in known.items():
        wanted = Counter((item["subject"], item["question_key"], item["sampled_model"]) for item in items)
        if kind == "labelled_correct_but_stated_choice_differs_from_modified_answer":
            # read by hand this one is none: it takes its "Solution: Choice C" back, and its last word is A, the key
            del wanted["math", "f5643fa0-1651-4ef6-92a6-4397b55daa89", "mistral-medium"]
        assert found[kind] == wanted, kind


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # reference: process-benchmarks.md 1.1
        ("gsm8k", {"right_answer_but_error": 7}),
        (
            "math",
            {
                "right_answer_but_error": 94,
                "heading_only_step": 10,
                "first_error_on_heading": 1,
                "template_leak": 2,
                "ellipsis_step": 1,
                "repeated_step": 1,
            },
        ),
        (
            "olympiadbench",
            {"right_answer_but_error": 161, "heading_only_step": 52, "first_error_on_heading": 1, "repeated_step": 8},
        ),
    ],
)
def test_what_is_known_of_processbench_is_found(name: str, expected: Any) -> None:
    records = real("processbench", name)
    found = Counter(odd.kind for one in records for odd in lint_record(one))
    counted = {"unbalanced_delimiters", "question_as_step"}
    assert {kind: count for kind, count in found.items() if kind not in counted} == expected
    assert not any(odd.kind.startswith("duplicate") for odd in lint_file(records))
