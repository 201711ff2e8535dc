"""The example data set: what the quickstart promises to show is really in it."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.models.problems import default_categories
from annotation.rendering import render
from annotation.sources.records import SolutionRecord, item_id
from annotation.sources.stepmark import read
from annotation.verdicts import Verdict
from exports.parsing import read_answers
from fixtures.files import DECISIONS, EXAMPLE, GUIDELINE, GUIDELINE_ZH_HANS, JUDGE_REASONS, JUDGES

Line = dict[str, Any]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ANNOTATORS = {"ana", "ben", "chen"}


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


LINES = lines_of(EXAMPLE)
BY_ID = {line["id"]: line for line in LINES}
DECIDED = {decision["id"]: decision for decision in lines_of(DECISIONS)}


def votes(line: Line) -> set[tuple[bool, int | None]]:
    return {(label["correct"], label["first_error"]) for label in line["labels"]}


def disputed() -> set[str]:
    return {line["id"] for line in LINES if len(line["labels"]) == 3 and len(votes(line)) > 1}


def decided_verdict(decision: Line) -> Verdict:
    """The decision's own parts, else those of the label it adopts."""
    if "correct" in decision:
        return Verdict.from_mapping(decision)
    labels = BY_ID[decision["id"]]["labels"]
    return Verdict.from_mapping(next(label for label in labels if label["annotator"] == decision["adopt"]))


def gold() -> dict[str, Verdict]:
    """Decided as gold, or said alike by all three annotators."""
    found = {key: decided_verdict(decision) for key, decision in DECIDED.items() if decision["outcome"] == "gold"}
    for line in LINES:
        if len(line["labels"]) == 3 and len(votes(line)) == 1:
            found[line["id"]] = Verdict.from_mapping(line["labels"][0])
    return found


def answer_reading(judge: str) -> Any:
    """The judge's answers, read against the gold items as a release would hold them."""
    settled = gold()
    records = [record for record in records_of_example() if record.id in settled]
    return read_answers(JUDGES[judge].read_bytes().splitlines(keepends=True), records)


def records_of_example() -> list[SolutionRecord]:
    return [record for record in read(EXAMPLE.read_bytes(), EXAMPLE.name) if isinstance(record, SolutionRecord)]


def hits(judge: str) -> set[str]:
    """Gold-incorrect items where the judge names the right step."""
    settled = gold()
    return {
        answer.id
        for answer in answer_reading(judge).answers
        if answer.reading.correct is False
        and not settled[answer.id].correct
        and answer.reading.first_error == settled[answer.id].first_error
    }


def test_size_and_spread() -> None:
    assert len(LINES) == len(BY_ID) == 74
    per_problem = Counter(line["external_id"] for line in LINES)
    assert len(per_problem) == 32
    assert set(per_problem.values()) == {2, 3}
    assert {line["sampled_from"] for line in LINES} == {"aster-7b", "borage-large", "clover-chat"}
    subjects = {"mathematics", "physics", "chemistry", "biology", "medicine", "logic", "coding"}
    assert {line["subject"] for line in LINES} == subjects
    assert {line["text_format"] for line in LINES} == {"plain", "latex", "latex+markdown", "code"}
    assert {bool(line["options"]) for line in LINES} == {True, False}
    assert any("$100" in line["question"] for line in LINES if line["text_format"] == "plain")


def test_some_problems_are_chinese() -> None:
    chinese = {line["external_id"] for line in LINES if CHINESE.search(line["question"])}
    assert len(chinese) == 6
    reasons = [label["reason"] for line in LINES if line["external_id"] in chinese for label in line["labels"]]
    assert any(CHINESE.search(reason) for reason in reasons)


def test_solutions_of_a_problem_agree_on_the_problem() -> None:
    parts = ("subject", "level", "question", "options", "answer_keys", "reference_solution", "text_format", "extra")
    problems = {json.dumps([line["external_id"], [line[part] for part in parts]]) for line in LINES}
    assert len(problems) == 32


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['external_id']}-{line['sampled_from']}")
def test_a_solution_is_sound(line: Line) -> None:
    assert line["id"] == item_id(line["source"], line["external_id"], line["sampled_from"], line["ordinal"])
    last = 0
    for step in line["steps"]:
        assert last <= step["start"] < step["end"]
        assert line["raw_text"][step["start"] : step["end"]] == step["text"]
        last = step["end"]
    for text in (line["question"], line["raw_text"], line["reference_solution"]):
        assert 0 < len(text) <= 2000


def test_code_has_a_step_for_every_line_that_is_not_blank() -> None:
    for line in LINES:
        if line["text_format"] == "code":
            written = [(str(n), text) for n, text in enumerate(line["raw_text"].split("\n"), 1) if text.strip()]
            assert [(step["label"], step["text"]) for step in line["steps"]] == written
            assert {step["kind"] for step in line["steps"]} == {"code"}


def test_a_printed_label_is_not_always_the_place_plus_one() -> None:
    shifted = [line for line in LINES for place, step in enumerate(line["steps"]) if step["label"] == str(place)]
    assert shifted


def test_the_import_reader_takes_every_line_without_a_remark() -> None:
    records = list(read(EXAMPLE.read_bytes(), EXAMPLE.name))
    assert [record.id for record in records if isinstance(record, SolutionRecord)] == [line["id"] for line in LINES]
    assert not [record.oddities for record in records if record.oddities]


def test_every_formula_can_be_set() -> None:
    for line in LINES:
        shown = [line["question"], line["reference_solution"], *(option["text"] for option in line["options"])]
        shown += [step["text"] for step in line["steps"]]
        shown += [label[part] for label in line["labels"] for part in ("reason", "rectified")]
        for text in shown:
            assert "tex-error" not in render(text, line["text_format"]), text


def test_labels_make_several_stages_of_work() -> None:
    assert Counter(len(line["labels"]) for line in LINES) == {3: 46, 2: 8, 1: 6, 0: 14}
    assert len(disputed()) == 12


def test_labels_are_sound() -> None:
    for line in LINES:
        names = [label["annotator"] for label in line["labels"]]
        assert len(set(names)) == len(names)
        assert set(names) <= ANNOTATORS
        for label in line["labels"]:
            Verdict.from_mapping(label).check(len(line["steps"]))
            assert 25 <= label["active_seconds"] <= 400
            if not label["correct"]:
                assert label["category"] in default_categories()
                assert len(label["reason"]) >= 25
                assert label["rectified"]


def test_decisions_are_about_disputed_solutions_and_leave_some_open() -> None:
    assert set(DECIDED) <= disputed()
    assert len(DECIDED) == len(lines_of(DECISIONS)) == 8
    assert Counter(decision["outcome"] for decision in DECIDED.values()) == {"gold": 7, "discarded": 1}
    for decision in DECIDED.values():
        assert decision["cause"] in {"guideline-gap", "slip", "ambiguous"}
        assert decision["rationale"]
        assert decision["adopt"] in {None, *ANNOTATORS}
        if decision["outcome"] == "gold":
            decided_verdict(decision).check(len(BY_ID[decision["id"]]["steps"]))


def test_gold_has_both_kinds_and_right_answers_with_wrong_steps() -> None:
    settled = gold()
    assert Counter(verdict.correct for verdict in settled.values()) == {False: 27, True: 14}
    right_answer = [
        key
        for key, verdict in settled.items()
        if not verdict.correct
        and BY_ID[key]["answer_keys"]
        and BY_ID[key]["final_answer"] in BY_ID[key]["answer_keys"][-1]
    ]
    assert len(right_answer) == 8
    assert any(verdict.placement == "before" for verdict in settled.values())


def test_a_correct_solution_ends_with_an_accepted_answer() -> None:
    for key, verdict in gold().items():
        if verdict.correct and BY_ID[key]["answer_keys"]:
            assert BY_ID[key]["final_answer"] in BY_ID[key]["answer_keys"][-1]


def test_the_careful_judge_answers_everything() -> None:
    reading = answer_reading("careful")
    assert {status: n for status, n in reading.statuses.items() if n} == {"parsed": 41}
    assert len(hits("careful")) == 23


def test_the_hasty_judge_has_every_kind_of_trouble() -> None:
    reading = answer_reading("hasty")
    statuses = reading.statuses
    assert (statuses["unparsed"], statuses["missing"], statuses["abstained"]) == (3, 2, 1)
    out_of_range = [line for line in lines_of(JUDGES["hasty"]) if line.get("first_error") == 9]
    assert len(out_of_range) == 1
    assert len(BY_ID[out_of_range[0]["id"]]["steps"]) <= 9
    assert len(hits("hasty")) == 8


@pytest.mark.parametrize("judge", sorted(JUDGES))
def test_people_judged_every_reason_given_at_the_right_step(judge: str) -> None:
    verdicts = lines_of(JUDGE_REASONS[judge])
    assert {verdict["id"] for verdict in verdicts} == hits(judge)
    assert len(verdicts) == len(hits(judge))
    assert {verdict["same"] for verdict in verdicts} == {True, False}
    assert all(verdict["note"] for verdict in verdicts)


@pytest.mark.parametrize("path", [GUIDELINE, GUIDELINE_ZH_HANS], ids=lambda path: path.name)
def test_the_guideline_can_be_shown(path: Path) -> None:
    shown = render(path.read_text(encoding="utf-8"), "latex+markdown")
    assert "<math" in shown
    assert "tex-error" not in shown
    assert "**" not in shown
