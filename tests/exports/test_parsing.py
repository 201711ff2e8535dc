"""Judges' answers: lines matched strictly, raw text read tolerantly, nothing dropped or guessed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.parsing import AnswerError, Answers, read_answers
from exports.raw_answers import Reading, read_raw
from exports.step_names import find_step
from exports.verdict_words import read_correct
from tests.exports.small_release import numbered, solution, steps

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
ITEMS = [solution("a", 1), solution("b", None), solution("c", 3, subject="biology")]
A, B, C = (item.id for item in ITEMS)


def lines(*objects: Any) -> list[bytes]:
    return [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in objects]


def answered(*objects: Any, **options: Any) -> Answers:
    return read_answers(lines(*objects), ITEMS, **options)


def reading(line: dict[str, Any], **options: Any) -> Reading:
    return answered({"id": A, **line}, **options).answers[0].reading


def problems(*objects: Any) -> tuple[str, ...]:
    with pytest.raises(AnswerError) as caught:
        answered(*objects)
    return caught.value.problems


# --- lines --------------------------------------------------------------------------------------------------------


def test_an_answer_in_parts() -> None:
    line = {"id": A, "correct": False, "first_error": 1, "reason": "sum", "category": "arithmetic", "confidence": 0.5}
    found = answered(line).answers[0]
    assert found.reading == Reading("parsed", False, 1, "arithmetic", "sum")
    assert (found.confidence, found.line) == (0.5, 1)


def test_answers_come_in_the_order_of_the_release_with_the_missing_ones_listed() -> None:
    found = answered({"id": C, "correct": True}, b"\n", {"id": A, "correct": True})
    assert [(answer.id, answer.line) for answer in found.answers] == [(A, 3), (B, 0), (C, 1)]
    assert found.with_status("missing") == [B]
    assert {status: n for status, n in found.statuses.items() if n} == {"parsed": 2, "missing": 1}
    assert {"unparsed", "timed_out"} <= set(found.statuses)


def test_a_label_is_found_among_the_printed_ones_before_it_is_a_position() -> None:
    cut = steps("2", "3", "", "2a")
    positions = {"2": 0, "3": 1, "2a": 3, "4": 3, "1": 0}
    assert {label: find_step(label, cut).position for label in positions} == positions


def test_a_label_that_is_printed_twice_means_the_first_and_is_flagged() -> None:
    found = find_step("Step 1", steps("1", "2", "1"))
    assert (found.position, found.flags) == (0, ("repeated_label",))


@pytest.mark.parametrize(
    ("text", "step"),
    [("\\boxed{2} [/INST] next: \\boxed{0}", 1), ("</s>Step 3</s>", 2), ("The <s>sum</s> is wrong: step 2", 1)],
)
def test_what_a_model_says_after_its_turn_does_not_count(text: str, step: int) -> None:
    assert read_raw(text, numbered(4)).first_error == step


CODE = "0123456789abcdef"


@pytest.mark.parametrize(
    "text",
    [
        f"<<<step 6 {CODE}>>>\nAnswer: $\\boxed{{2}}$\n<<<end step 6 {CODE}>>>",
        f"<<<step 6 {CODE}>>>\nAnswer: $\\boxed{{2}}$",  # cut off at the limit of tokens
        f"<<<step 6 {CODE}>>>\nAnswer: 49\n<<<end step 6 {CODE}>>>\n<<<step 2",  # cut off within a mark
        f"That leaves $\\boxed{{2}}$\n<<<end step 4 {CODE}>>>\n<<<step 5 {CODE}>>>",  # goes on with the solution
        f"The sum is $\\boxed{{2}}$.\n\nSolution Correctness: correct or incorrect\n<</SYS>> <<<problem {CODE}>>>",
        f"<<<options {CODE}>>>\nSolution Correctness: incorrect\nFirst Error Step: Step 2\n<<<end options {CODE}>>>",
    ],
)
def test_what_a_model_repeats_of_the_material_is_no_answer(text: str) -> None:
    assert read_raw(text, numbered(4)).status == "unparsed"


@pytest.mark.parametrize(
    "text",
    [
        f"<<<step 6 {CODE}>>>\nAnswer: $\\boxed{{3}}$\n<<<end step 6 {CODE}>>>\nThe first wrong one is \\boxed{{2}}.",
        f"<<<step 1 {CODE}>>>\nholds\n<<<step 2 {CODE}>>>\nfails\nSolution Correctness: incorrect\nFirst Error Step: 2",
        f"Solution Correctness: incorrect\nFirst Error Step: <<<step 2 {CODE}>>>",
        "Solution Correctness: correct or incorrect, I say:\nSolution Correctness: incorrect\nFirst Error Step: Step 2",
    ],
)
def test_an_answer_among_quotes_is_read(text: str) -> None:
    assert read_raw(text, numbered(4)).first_error == 1


def test_null_is_an_abstention_and_no_verdict_is_a_problem() -> None:
    assert reading({"correct": None}) == Reading("abstained")
    (problem,) = problems({"id": A})
    assert problem.startswith(f"Line 1: {A} needs `correct` (true, false or null), `raw` (the judge's text)")


def test_a_verdict_without_a_usable_step_still_counts_and_is_flagged() -> None:
    assert reading({"correct": False}) == Reading("partial", False, flags=("step_missing",))
    assert reading({"correct": False, "first_error": 4}) == Reading("partial", False, flags=("step_out_of_range",))
    assert reading({"correct": False, "first_error_label": "2-3"}) == Reading(
        "partial", False, flags=("ambiguous_step",)
    )
    assert reading({"correct": True, "first_error": 2}) == Reading("parsed", True, flags=("contradiction",))
    assert reading({"correct": True, "first_error": -1}) == Reading("parsed", True)


def test_identical_duplicates_count_once() -> None:
    found = answered({"id": A, "correct": True}, b'{ "correct": true, "id": "%s" }\n' % A.encode())
    assert found.duplicates == 1
    assert found.answers[0].reading == Reading("parsed", True, flags=("duplicate_identical",))


def test_conflicting_duplicates_unknown_ids_and_other_releases_are_rejected_with_their_lines() -> None:
    options = {"release_hash": "f" * 64}
    answered({"id": A, "correct": True, "release": "f" * 64}, **options)
    with pytest.raises(AnswerError) as caught:
        answered(
            {"id": A, "correct": True}, {"id": "sm-0", "correct": True}, {"id": A, "correct": False},
            {"id": B, "correct": True, "release": "0" * 64}, **options
        )  # fmt: skip
    assert caught.value.problems == (
        "Line 2: 'sm-0' is not in this release.",
        f"Line 3: {A} was answered differently on line 1.",
        f"Line 4: {B} answers release 000000000000, not this one (ffffffffffff).",
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "this is not JSON"),
        (b"\xff\n", "this is not UTF-8"),
        ([1], "one JSON object a line"),
        ({"id": 3, "correct": True}, "the id is missing"),
        ({"id": A, "correct": "false"}, "correct is true, false or null"),
        ({"id": A, "correct": False, "first_error": "2"}, "first_error is a whole number"),
        ({"id": A, "correct": False, "first_error": True}, "first_error is a whole number"),
        ({"id": A, "correct": False, "first_error_label": []}, "first_error_label is a text"),
        ({"id": A, "correct": False, "first_error": 0, "first_error_label": "2"}, "not the same step"),
        ({"id": A, "correct": False, "reason": 3}, "reason is a text"),
        ({"id": A, "correct": True, "confidence": 1.5}, "confidence is a number from 0 to 1"),
        (b'{"id": "%s", "correct": true, "confidence": NaN}' % A.encode(), "confidence is a number from 0 to 1"),
        ({"id": A, "raw": "half \ud800"}, "raw holds a NUL or half a character"),
        ({"id": A, "correct": False, "reason": "\x00"}, "reason holds a NUL"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"id": "%s", "correct": true, "correct": false}' % A.encode(), "'correct' stands twice"),
        ({"id": f" {A} ", "correct": True}, "Take the blanks around it away"),
        ({"id": A, "correct": True, "confidence": 10**400}, f"{A}: confidence is a number from 0 to 1"),
        ({"id": A, "step_scores": [10**400, 1]}, f"{A}: step_scores is a list of numbers"),
        ({"id": A, "correct": True, "tokens": {"prompt": -1, "completion": 1}}, "not negative"),
        ({"id": A, "correct": True, "tokens": {"prompt": 1, "completion": 1}, "cost": 10**400}, "cost a number"),
        ({"id": A, "correct": True, "tokens": {"prompt": 1, "completion": 1}, "cost": -1}, "cost a number"),
        ({"id": A, "correct": True, "tokens": 17}, "tokens is"),
        (b'{"id": "%s", "correct": true, "tokens": {"prompt": 1, "completion": 1}, "cost": NaN}' % A.encode(), "cost"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: Any, words: str) -> None:
    (problem,) = problems(line)
    assert problem.startswith("Line 1: ")
    assert words in problem


@pytest.mark.parametrize(
    "line", [{"id": "z" * 10**6}, {"id": A, "raw": ["z" * 10**6]}, {"id": A, "correct": "z" * 10**6}]
)
def test_a_megabyte_in_the_wrong_place_is_not_quoted_whole(line: Any) -> None:
    (problem,) = problems(line)
    assert len(problem) < 200


def test_all_problems_are_counted_and_twenty_are_shown() -> None:
    with pytest.raises(AnswerError) as caught:
        answered(*({"id": f"sm-{n}", "correct": True} for n in range(30)))
    shown = str(caught.value).splitlines()
    assert len(caught.value.problems) == 30
    assert (shown[0], shown[-1], len(shown)) == ("30 problem(s):", "... and 10 more.", 22)


def test_fields_that_mean_nothing_are_counted_by_name() -> None:
    found = answered({"id": A, "correct": False, "frist_error": 1}, {"id": B, "correct": True, "frist_error": None,
                     "x" * 99: 1, "error": "", "confidence": 0.5})  # fmt: skip
    assert found.unread == {"frist_error": 2, "x" * 60: 1}


def test_a_file_without_answers_is_a_problem() -> None:
    assert problems(b"\n") == ("The file holds no answers.",)


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    (line,) = lines({"id": A, "correct": True})
    assert answered(b"\xef\xbb\xbf" + line).answers[0].reading.correct is True


# --- words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "correct"),
    [
        ("correct", True), ("Correct.", True), ("CORRECT", True), ("**correct**", True), ("\\text{correct}", True),
        ("The solution is correct", True), ("yes", True), ("No errors", True), ("True", True),
        ("incorrect", False), ("Incorrect.", False), ("The solution is incorrect.", False), ("wrong", False),
        ("Not correct", False), ("not entirely correct", False), ("isn\u2019t correct", False), ("no", False),
        ("Incorrect, the correct answer is B", False), ("in\u200bcorrect", False), ("\u202eincor\u00adrect", False),
        ("correct/incorrect", None), ("correct or incorrect", None), ("partially correct", None),
        ("correct but step 2 is wrong", None), ("not incorrect", None), ("correctly done", None), ("", None),
        ("I cannot decide", "abstained"), ("unsure", "abstained"), ("unable to determine", "abstained"),
    ],
)  # fmt: skip
def test_only_a_whole_word_is_a_verdict(phrase: str, correct: object) -> None:
    assert read_correct(phrase) == correct


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("3", 2), ("Step 3", 2), ("step 3: the sum is wrong", 2), ("**Step 3**", 2), ("STEP_3", 2), ("Step #3.", 2),
        ("\\boxed{\\text{Step 3}}", 2), ("$3$", 2), ("３", 2), ("3.0", 2), ("the first error is in step 3", 2),
        ("paragraph_3", 2), ("Step 3 - the sum", 2), ("`3`", 2), ("3 because of the sum", 2), ("<paragraph_3>", 2),
        ("N/A", None), ("n/a", None), ("None", None), ("", None), ("-1", None), ("\u22121", None), ("no error", None),
    ],
)  # fmt: skip
def test_a_step_is_found_in_whatever_dress(name: str, position: int | None) -> None:
    found = find_step(name, numbered(4))
    assert (found.position, found.given, found.flags) == (position, position is not None, ())


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("Steps 3-4", "ambiguous_step"), ("steps 3\u20134", "ambiguous_step"), ("2, 3", "ambiguous_step"),
        ("Step 1 and step 3", "ambiguous_step"), ("Step 2 or 3", "ambiguous_step"),
        ("9", "step_out_of_range"), ("Step 0", "step_out_of_range"), ("99999999999999999999", "step_out_of_range"),
        ("somewhere", "step_unclear"), ("3 + 4", "step_unclear"), ("x=3", "step_unclear"),
    ],
)  # fmt: skip
def test_what_names_no_single_step_is_flagged(name: str, flag: str) -> None:
    found = find_step(name, numbered(4))
    assert (found.position, found.given, found.flags) == (None, True, (flag,))


def test_a_declared_base_makes_numbers_positions() -> None:
    cut = steps("2", "3", "4")
    assert [find_step("paragraph_2", cut, base).position for base in (None, 0, 1)] == [0, 2, 1]


def test_a_line_of_code_is_its_own_name() -> None:
    cut = steps("", "", "", kind="code")
    assert find_step("    line 1", cut).position == 1
    assert find_step("`line 1`", cut).position == 1
    assert find_step("2", cut).position == 1


# --- raw text -----------------------------------------------------------------------------------------------------

HEADED = "Solution Analysis: fine until step 2.\nSolution Correctness: {}\nFirst Error Step: {}\nError Reason: {}"


def raw(text: str, **options: Any) -> Reading:
    return read_raw(text, numbered(4), **options)


@pytest.mark.parametrize(
    "text",
    [
        HEADED.format("incorrect", "Step 2", "sum"),
        HEADED.format("Incorrect.", "2", "sum"),
        HEADED.format("**incorrect**", "**Step 2**", "sum"),
        HEADED.replace(":", "").format("incorrect", "Step 2", "").rstrip() + "\nsum",
        HEADED.replace("Solution A", "**Solution A").replace(":", ":**").format("incorrect", "Step 2: sum", "sum"),
        "### Solution Correctness\nincorrect\n\n### First Error Step\nStep 2\n\n### Error Reason\nsum",
        "1. Solution Correctness: incorrect\n2. First Error Step: 2\n3. Error Reason: sum",
        "<think>Solution Correctness: correct</think>" + HEADED.format("incorrect", "2", "sum"),
        "Solution Correctness: correct</think>" + HEADED.format("incorrect", "2", "sum"),
        "The Solution Correctness is at stake.\n" + HEADED.format("incorrect", "2", "sum"),
        HEADED.format("correct/incorrect", "Step x or N/A", "reason") + "\n\n" + HEADED.format("incorrect", "2", "sum"),
        "Final Judgement: wrong\nFirst Error Step: 2\nError Analysis: sum",
        '{"correct": false, "first_error": 1, "reason": "sum"}',
        'Here it is:\n```json\n{"correctness": "incorrect", "first_error_step": "Step 2", "reason": "sum"}\n```',
        '{"Solution Correctness": "Incorrect", "First Error Step": 2, "Error Reason": "sum"}\nDone.',
        'So the answer is {"correct": false, "first_error": 1, "reason": "sum"} as shown.',
        '{\n"steps": [\n{"step": 1, "correct": true},\n{"step": 2, "correct": false},\n{"step": 3, "correct": true}\n],'
        '\n"correct": false,\n"first_error_step": 2,\n"reason": "sum"\n}',
        '{"correct": true}\nNo, wait.\n{"correct": false, "first_error": 1, "reason": "sum"}',
    ],
)
def test_one_judgement_in_many_forms(text: str) -> None:
    assert raw(text) == Reading("parsed", False, 1, reason="sum")


def test_latex_in_unescaped_json_survives() -> None:
    assert raw(r'{"correct": false, "first_error": 1, "reason": "\sqrt{2}"}').reason == r"\sqrt{2}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", Reading("parsed", False, 2)),
        ("Step 3: the sum", Reading("parsed", False, 2)),
        ("**Step 3**", Reading("parsed", False, 2)),
        ("The solution is incorrect, the first error is in step 3.", Reading("parsed", False, 2)),
        ("The first error occurs in step 3.", Reading("parsed", False, 2)),
        ("Ste\u200bp 3", Reading("parsed", False, 2)),
        ("Incorrect.", Reading("partial", False, flags=("step_missing",))),
        ("correct", Reading("parsed", True)),
        ("-1", Reading("parsed", True)),
        ("so \\boxed{3}", Reading("parsed", False, 2)),
        ("so \\boxed{\\text{paragraph\\_3}}", Reading("parsed", False, 2)),
        ("so \\boxed{{3}}", Reading("parsed", False, 2)),
        ("so \\boxed{3} since \\boxed{x=3}", Reading("parsed", False, 2)),
        ("so \\boxed{3}, \\boxed{}", Reading("parsed", False, 2)),
        ("so \\boxed{\u22121}", Reading("parsed", True)),
        ("so \\boxed{\\text{no error}}", Reading("parsed", True)),
        ("so \\boxed{2, 3}", Reading("partial", False, flags=("ambiguous_step",))),
        ("so \\boxed{9}", Reading("partial", False, flags=("step_out_of_range",))),
        ("so \\boxed{3 apples}", Reading("unparsed")),
        ("so \\boxed{3", Reading("unparsed")),
        ("I cannot decide", Reading("abstained")),
        ('{"correct": null}', Reading("abstained")),
        ("I'm sorry, but I can't help with that.", Reading("refused")),
        ("", Reading("unparsed", flags=("empty",))),
        ("<think>Step 3 is odd", Reading("unparsed", flags=("thinking_unfinished",))),
        ('{"verdict":', Reading("unparsed")),
        ('{"correct": fal', Reading("unparsed")),
        ("{correct:", Reading("unparsed")),
        ('[{"correct"', Reading("unparsed")),
        ('{"steps": [{"step": 1, "correct": true}, {"step": 2, "corr', Reading("unparsed")),
        ('{"steps": [{"step": 1, "correct": true}, {"step": 2, "correct": false}', Reading("unparsed")),
        ("N/A", Reading("unparsed")),
        ("The steps are all about correct use of units. " * 9, Reading("unparsed")),
    ],
)
def test_short_boxed_and_unusable_texts(text: str, expected: Reading) -> None:
    assert raw(text) == expected


def test_zero_based_paragraphs_need_a_declared_base() -> None:
    assert raw("\\boxed{2}", base=0).first_error == 2
    assert raw("\\boxed{2}").first_error == 1


def test_a_verdict_stated_twice_counts_with_its_last_value_and_is_flagged() -> None:
    twice = HEADED.format("correct", "N/A", "N/A") + "\n" + HEADED.format("incorrect", "Step 2", "sum")
    assert raw(twice) == Reading("parsed", False, 1, reason="sum", flags=("repeated_heading",))
    one_line = "Solution Correctness: incorrect First Error Step: Step 2; Error Reason: the first error step: sum"
    assert raw(one_line) == Reading("parsed", False, 1, reason="the first error step: sum")


def test_a_correct_verdict_with_a_step_is_a_contradiction_and_the_verdict_wins() -> None:
    assert raw(HEADED.format("correct", "Step 3", "N/A")) == Reading("parsed", True, flags=("contradiction",))


def test_a_reason_keeps_its_lines() -> None:
    assert raw(HEADED.format("incorrect", "2", "one\n\n- two: three")).reason == "one\n\n- two: three"


@given(st.text(max_size=300) | st.text(alphabet="*_{}\\<>`\n:stepboxd{inco rect 123", max_size=300))
def test_no_text_breaks_the_parser(text: str) -> None:
    found = raw(text)
    assert found.first_error is None or 0 <= found.first_error < 4
    assert (found.correct is None) == (found.status in ("unparsed", "refused", "abstained"))


@pytest.mark.parametrize("piece", ["*", "\\boxed{", "<think>", "```\n", '{"a":', "{\n", "#", "Step ", "not a b ", "- "])
def test_a_hostile_text_of_100_000_characters_is_read(piece: str) -> None:
    assert raw(piece * (100_000 // len(piece))).status == "unparsed"


def test_real_replies_are_read_as_their_own_evaluation_did() -> None:
    """The graded replies of MR-GSM8K carry what their authors' parser found in them."""
    folder = SHARED / "data" / "mr-gsm8k"
    if not folder.exists():
        pytest.skip("the MR-GSM8K files are not on this machine")
    unlike, read = [], 0
    for path in folder.glob("gpt4grading_*.json"):
        for record in json.loads(path.read_text(encoding="utf-8")):
            theirs = next(value for key, value in record.items() if key.endswith("eval_output"))
            found = read_raw(theirs["response"], numbered(len(record["model_output_steps"])))
            (step,) = re.findall(r"\d+", theirs["error_step_pred"])
            read += 1
            if (found.correct, found.first_error) != (False, int(step) - 1):
                unlike.append((record["uuid"], found))
    assert (read, unlike) == (326 + 173 + 4 + 22 + 3, [])
