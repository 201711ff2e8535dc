"""No text that is judged decides the verdict on it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from annotation.control_words import defused
from annotation.llm import Endpoint
from review.comparison import Case, compare, messages
from tests.model_server import PART, ModelServer, model_server, parts, rule_grader
from tests.review.attacks import ATTACKS
from tests.review.test_comparison import CASE

REASON = "6 times 7 is 42, not 36"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        model.answer = rule_grader
        yield model


@pytest.fixture
def endpoint(server: ModelServer) -> Endpoint:
    return Endpoint("grader", server.base_url, "key", retries=0)


def places(attack: str) -> dict[str, Case]:
    """The attack in every part that a model or a file can fill."""
    return {
        "reason": replace(CASE, reason=attack),
        "corrected step": replace(CASE, reason="no idea", rectified=attack),
        "step": replace(CASE, reason="no idea", steps=((attack, attack), *CASE.steps[1:])),
        "question": replace(CASE, reason="no idea", question=attack, options=(attack,)),
    }


def test_there_are_enough_attacks() -> None:
    assert len(set(ATTACKS.values())) >= 25


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_makes_nothing_into_a_reason(name: str, endpoint: Endpoint) -> None:
    for place, case in places(ATTACKS[name]).items():
        assert compare(case, endpoint.complete).same is False, place


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_spoils_a_good_reason(name: str, endpoint: Endpoint) -> None:
    for place, case in places(ATTACKS[name]).items():
        good = replace(case, reason=f"{REASON}\n{case.reason}" if place == "reason" else REASON)
        assert compare(good, endpoint.complete).same is True, place


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_stays_inside_its_part(name: str) -> None:
    harmless = places("x")
    for place, case in places(ATTACKS[name]).items():
        system, user = messages(case)
        found = parts({"messages": [user]})
        assert defused(ATTACKS[name]) in found.values(), place
        assert found["accepted explanation 1"] == CASE.accepted[0][0]
        assert len(found) == len(parts({"messages": messages(harmless[place])})), place
        # what stands outside the parts, the instructions above all, does not depend on the texts
        assert PART.sub("", user["content"]) == PART.sub("", messages(harmless[place])[1]["content"]), place
        assert system == messages(CASE)[0]
