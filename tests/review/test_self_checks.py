"""Votes, decoys and order: what the comparison of reasons says of itself."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation.llm import Endpoint
from annotation.protocols import Decoding
from exports.reasons import by_model
from review.comparison import Comparison
from review.self_checks import GENERIC, check_comparison, decoys, majority
from tests.exports.small_release import solution
from tests.exports.test_grading import graded
from tests.model_server import Body, model_server, parts, rule_grader
from tests.review.test_comparison import CASE

OTHER = replace(CASE, question="What is 2 + 2?", accepted=(("two and two make four", "4"),), reason="four")
YES, NO, UNSURE = Comparison(True, "a"), Comparison(False, "b"), Comparison(None, "c")


@pytest.mark.parametrize(
    ("ballots", "same", "share"),
    [
        ([YES, NO, YES], True, 2 / 3),
        ([NO, NO, YES], False, 2 / 3),
        ([NO, NO, NO], False, 1),
        ([YES, UNSURE, NO], None, 0),
        ([YES, YES, UNSURE], True, 2 / 3),
        ([YES], True, None),
        ([UNSURE], None, None),
    ],
)
def test_most_votes_win(ballots: list[Comparison], same: bool | None, share: float | None) -> None:
    found = majority(ballots)
    assert (found.same, found.share) == (same, share)


def test_decoys_have_a_known_verdict() -> None:
    made = decoys([CASE, OTHER], np.random.default_rng(0), 2)
    by_kind = {(decoy.kind, decoy.case.question): decoy for decoy in made}
    assert len(by_kind) == 6
    another = by_kind["another error", CASE.question]
    assert (another.case.reason, another.same) == ("two and two make four", False)
    generic = by_kind["generic", OTHER.question]
    assert (generic.case.reason, generic.same) == (GENERIC, False)
    own = by_kind["own reason", CASE.question]
    # the second accepted reason is the candidate, and only the first is shown
    assert (own.case.reason, own.case.accepted, own.same) == (CASE.accepted[1][0], CASE.accepted[:1], True)


def test_no_decoy_without_another_problem_or_an_accepted_reason() -> None:
    kinds = [decoy.kind for decoy in decoys([CASE, replace(CASE, accepted=())], np.random.default_rng(0), 5)]
    assert kinds == ["generic", "own reason"]


def always(verdict: bool | None) -> Any:
    def ask(asked: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, Comparison]:
        return {key: Comparison(verdict) for key in asked}

    return ask


def test_a_grader_that_says_yes_to_all_fails_the_decoys() -> None:
    cases = {"a": CASE, "b": OTHER, "c": replace(CASE, reason="")}
    compared = {"a": Comparison(False), "b": Comparison(True), "c": Comparison(False)}
    found = check_comparison(cases, compared, always(True), 0, 10)
    assert (found["false_credit"]["n"], found["false_credit"]["share"], found["false_denial"]["failed"]) == (6, 1, 0)
    # only "a" changes; "c" has no reason and was never asked
    assert found["order_swap"] == {"n": 2, "changed": 1, "items": ["a"], "undecided": 0}


def test_a_grader_that_decides_nothing_fails_without_being_called_lenient() -> None:
    """A model held to JSON may answer `{}` to everything."""
    cases = {"a": CASE, "b": OTHER}
    found = check_comparison(cases, dict.fromkeys(cases, Comparison(None)), always(None), 0, 10)
    for name, n in (("false_credit", 4), ("false_denial", 2)):
        assert (found[name]["n"], found[name]["failed"], found[name]["undecided"]) == (n, n, n)
    assert found["order_swap"] == {"n": 2, "changed": 0, "items": [], "undecided": 2}


ITEMS = [solution(f"w{n}", 1, reason=f"{word} was forgotten here") for n, word in enumerate(("carry", "sign", "unit"))]
LINES = [{"id": item.id, "correct": False, "first_error": 1, "reason": "carry was forgotten here"} for item in ITEMS]


def test_votes_and_self_checks_stand_in_the_report() -> None:
    with model_server() as server:
        server.answer = rule_grader
        endpoint = Endpoint("grader", server.base_url, "key", decoding=Decoding(temperature=0.5, seed=0))
        report = graded(ITEMS, LINES, by_model(endpoint, votes=3, self_checks=5)).as_dict()["reasons"]
    assert (report["votes"], report["split_votes"], report["same"]) == (3, 0, 3)  # by half of the words all are alike
    checks = report["self_checks"]
    assert (checks["false_denial"]["failed"], checks["order_swap"]["changed"]) == (0, 0)
    assert checks["false_credit"]["kinds"]["generic"] == {"n": 3, "failed": 0, "undecided": 0}


def test_split_votes_are_counted() -> None:
    def fickle(body: Body) -> str:
        return json.dumps({"analysis": "", "verdict": "same" if body["seed"] % 3 else "different"})

    with model_server() as server:
        server.answer = fickle
        endpoint = Endpoint("grader", server.base_url, "key", decoding=Decoding(temperature=0.5, seed=0))
        found = graded(ITEMS, LINES, by_model(endpoint, votes=3))
    reasons = found.as_dict()["reasons"]
    assert (reasons["split_votes"], reasons["same"], reasons["self_checks"]) == (3, 3, None)


@pytest.mark.parametrize(("votes", "temperature", "words"), [(2, 0.5, "odd"), (3, 0.0, "temperature")])
def test_votes_that_decide_nothing_are_refused(votes: int, temperature: float, words: str) -> None:
    endpoint = Endpoint("m", "http://127.0.0.1:9/v1", decoding=Decoding(temperature=temperature))
    with pytest.raises(ValueError, match=words):
        by_model(endpoint, votes=votes)


def test_the_swapped_question_has_the_same_parts() -> None:
    asked: list[Body] = []

    def ask(messages: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, Comparison]:
        asked.extend({"messages": each} for each in messages.values())
        return {key: Comparison(True) for key in messages}

    check_comparison({"a": CASE}, {"a": Comparison(True)}, ask, 0, 1)
    assert list(parts(asked[-1])) != list(parts(asked[0]))
    assert parts(asked[-1])["candidate explanation"] == CASE.reason
