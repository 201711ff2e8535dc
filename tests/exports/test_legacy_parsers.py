"""The public scripts' readings, faults included, and one answer from several samples."""

import json
import time
from typing import Any

import pytest

from exports.grading import grade
from exports.legacy_parsers import PARSERS, read_mr_ben, read_processbench
from exports.parsing import read_answers
from exports.raw_answers import Reading
from exports.voting import vote
from tests.exports.small_release import numbered, solution
from tests.exports.test_grading import FORM, release, replying

STEPS = numbered(12)


# reference/process-benchmarks.md 2.1, tested there against the script itself
@pytest.mark.parametrize(
    ("text", "label"),
    [
        (r"so \boxed{2}", 2), (r"\boxed{-1}", -1), (r"\boxed{ +1 }", 1), (r"\boxed{01}", 1), (r"\boxed{1_0}", 10),
        ("\\boxed{２}", 2), (r"first \boxed{1} then \boxed{3}", 3),
        (r"\boxed{\text{2}}", None), (r"\boxed{paragraph_2}", None), (r"\boxed{2, 3}", None), (r"\boxed{{2}}", None),
        (r"\boxed{4} \boxed{}", None), (r"\boxed{2} \boxed{x=3}", None), ("\\boxed{−1}", None), (r"\boxed{2.0}", None),
        ("paragraph 2", None), ("", None),
    ],
)  # fmt: skip
def test_the_last_box_as_processbench_reads_it(text: str, label: int | None) -> None:
    found = read_processbench(text, STEPS)
    told = None if found.correct is None else -1 if found.correct else found.first_error
    assert told == label


def test_a_position_beyond_the_end_is_a_verdict_without_a_step() -> None:
    assert read_processbench(r"\boxed{99}", STEPS).status == "partial"


def test_boxes_that_are_never_closed_are_read_in_no_time() -> None:
    begun = time.monotonic()
    assert read_processbench(r"\boxed{2} " + r"\boxed{" * 40_000, STEPS).first_error == 2
    assert time.monotonic() - begun < 5


# reference/mr-ben.md 3.3: what the script does to made-up judges
@pytest.mark.parametrize(
    ("step", "position"),
    [("Step 3", 2), ("**Step 3**", 2), ("step 3.", 2), ("3", None), ("Step 3: wrong sum", None), ("Step 30", None)],
)
def test_a_step_as_mr_ben_s_script_reads_it(step: str, position: int | None) -> None:
    found = read_mr_ben(FORM.format("incorrect", step, "why"), numbered(40))
    assert (found.correct, found.first_error, found.reason) == (False, position, "why")


def test_a_missing_heading_empties_what_follows_and_words_count_as_headings() -> None:
    assert read_mr_ben("Solution Correctness: correct\nFirst Error Step: N/A", STEPS) == Reading("unparsed")
    loose = FORM.format("incorrect", "Step 1", "why").replace("see below", "now the Solution Correctness is decided")
    assert read_mr_ben(loose, STEPS) == Reading("unparsed")
    assert read_mr_ben(FORM.format("The solution is incorrect.", "Step 1", "why"), STEPS) == Reading("unparsed")
    assert read_mr_ben(FORM.format("**Correct**", "N/A", "N/A"), STEPS).correct is True


@pytest.mark.parametrize(("step", "legacy"), [("Step {}", 100), ("{}", 20), ("Step {}: text", 20)])
def test_oracle_judges_score_as_the_script_scores_them(step: str, legacy: float) -> None:
    """Where the script reads no step only MCC is left, 20 of 100 (33.33 in the table, as coding is counted oddly)."""
    items = [solution(f"w{n}", n % 3) for n in range(9)] + [solution(f"r{n}", None) for n in range(9)]
    lines = []
    for item in items:
        gold = item.gold.verdict if item.gold else None
        assert gold is not None
        name = "N/A" if gold.first_error is None else step.format(gold.first_error + 1)
        lines.append(
            json.dumps(
                {"id": item.id, "raw": FORM.format("correct" if gold.correct else "incorrect", name, "r")}
            ).encode()
        )
    for parser, expected in (("mr-ben-official", legacy), ("stepmark", 100)):
        answers = read_answers(lines, items, parser=parser)
        report = grade(release(items), answers, reasons=replying("Verdict: same")).as_dict()
        assert 100 * report["mr_score"] == pytest.approx(expected), parser
        assert (report["how"]["parser"], report["parse_rate"]) == (parser, 1)


def ballots(texts: list[str], parser: str = "stepmark") -> Any:
    item = solution("a", 1, n_steps=12)
    line = json.dumps({"id": item.id, "ballots": texts, "base": 0}).encode()
    return read_answers([line], [item], parser=parser).answers[0]


def test_processbench_votes_on_texts_before_reading_them() -> None:
    official = "processbench-official"
    # "2" and "02" are different ballots there, and a text that is no number can win
    assert ballots([r"\boxed{2}", r"\boxed{02}", r"\boxed{5}", r"\boxed{5}"], official).reading.first_error == 5
    assert ballots([r"\boxed{x}", r"\boxed{x}", r"\boxed{5}"], official).reading.status == "unparsed"
    assert ballots([r"\boxed{3}", r"\boxed{5}"], official).reading.first_error == 3
    assert ballots(["none", r"\boxed{5}", "none"], official).reading.first_error == 5
    # ours counts what was understood
    found = ballots([r"\boxed{2}", r"\boxed{02}", r"\boxed{5}"])
    assert (found.reading.first_error, found.raw) == (2, r"\boxed{2}")
    assert "split_vote" in found.reading.flags
    assert found.ballots[2] == r"\boxed{5}"


YES, NO = Reading("parsed", True), Reading("unparsed")


def wrong(step: int | None, reason: str = "") -> Reading:
    return Reading("parsed" if step is not None else "partial", False, step, reason=reason)


@pytest.mark.parametrize(
    ("readings", "correct", "step", "winner", "flags"),
    [
        ([YES, YES, wrong(1)], True, None, 0, ("split_vote",)),
        ([wrong(1), YES, wrong(2), wrong(2, "b")], False, 2, 2, ("split_vote",)),
        ([wrong(4), wrong(2), YES], False, 2, 1, ("split_vote", "tied_vote")),
        ([wrong(3), YES], False, 3, 0, ("split_vote", "tied_vote")),
        ([YES, wrong(3)], True, None, 0, ("split_vote", "tied_vote")),
        ([wrong(None), wrong(2), NO], False, 2, 1, ("split_vote",)),
        ([wrong(None), NO], False, None, 0, ()),
        ([NO, YES, NO], True, None, 1, ()),
        ([NO, NO], None, None, None, ()),
    ],
)
def test_votes(
    readings: list[Reading], correct: bool | None, step: int | None, winner: int | None, flags: tuple[str, ...]
) -> None:
    found, which = vote(readings)
    assert (found.correct, found.first_error, which, found.flags) == (correct, step, winner, flags)


def test_calls_without_a_reply_have_statuses_of_their_own() -> None:
    item = solution("a", 1)
    for status in ("timed_out", "failed", "refused"):
        line = json.dumps({"id": item.id, "status": status, "raw": ""}).encode()
        assert read_answers([line], [item]).answers[0].reading.status == status


def test_an_unknown_parser_is_refused() -> None:
    assert set(PARSERS) == {"stepmark", "mr-ben-official", "processbench-official"}
    with pytest.raises(ValueError, match="no parser 'x'"):
        read_answers([], [], parser="x")
