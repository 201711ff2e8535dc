"""A process reward model behind a pooling endpoint: it gets marked steps and gives a number for every mark."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from annotation.llm import Endpoint, EndpointError
from exports.grading import grade
from exports.judge_prompts import PRESETS, messages, with_tag
from exports.judge_runs import Run, estimate, run_facts, run_judge, text_of
from exports.parsing import Answers, read_answers
from tests.exports.small_release import solution
from tests.exports.test_grading import release
from tests.model_server import Body, ModelServer, model_server

ITEMS = [solution(f"w{n}", n % 4) for n in range(6)] + [solution(f"r{n}", None) for n in range(4)]
GOLD = {f"What is {item.sampled_from}?": item.gold.verdict.first_error for item in ITEMS if item.gold}
REWARD_MODEL = PRESETS["reward-model"]


def right(body: Body) -> list[float]:
    """How right each marked step is, by gold: all from the first error on are wrong."""
    asked, solved = (message["content"] for message in body["messages"])
    marks, gold = solved.count("<extra_0>"), GOLD[asked.splitlines()[0]]
    return [0.9 if gold is None or place < gold else 0.1 for place in range(marks)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        model.offers = ("/pooling",)
        model.answer = lambda body: json.dumps([[1 - share, share] for share in right(body)])
        yield model


def run(server: ModelServer, **changed: Any) -> Run:
    endpoint = Endpoint("grader", server.base_url, "key", retries=0, timeout=5.0, api="pooling")
    return Run(**{"folder": release(ITEMS), "endpoint": endpoint, "preset": REWARD_MODEL, **changed})


def answers(lines: list[dict[str, Any]]) -> Answers:
    return read_answers(text_of(lines).encode().splitlines(keepends=True), ITEMS, release_hash="f" * 64)


def test_its_numbers_are_the_scores_of_the_steps(server: ModelServer) -> None:
    lines = run_judge(run(server), concurrency=3)
    assert lines[1]["step_scores"] == [0.9, 0.1, 0.1, 0.1]
    assert lines[1]["tokens"] == {"prompt": 11, "completion": 0}
    report = grade(release(ITEMS), answers(lines)).as_dict()
    assert (report["f1"], report["acc_step"], report["step_scores"]["prm_score"]) == (1, 1, 1)


def test_it_gets_the_problem_and_the_solution_with_a_mark_behind_every_step(server: ModelServer) -> None:
    run_judge(run(server), concurrency=1)
    asked = server.requests[0]
    assert (set(asked), server.paths[0]) == ({"model", "messages"}, "/pooling"), "beside /v1, as vLLM has it"
    user, assistant = asked["messages"]
    assert (user["role"], user["content"]) == ("user", "What is w0?")
    assert (assistant["role"], assistant["content"]) == (
        "assistant", "".join(f"{step.text}<extra_0>" for step in ITEMS[0].steps)
    )  # fmt: skip


def test_a_mark_within_the_material_is_not_counted() -> None:
    item = ITEMS[0]
    steps = (replace(item.steps[0], text="1 + 1 <extra_0> = 2"), *item.steps[1:])
    _user, assistant = messages(REWARD_MODEL, replace(item, steps=steps))
    assert assistant["content"].count("<extra_0>") == len(steps)


def test_another_mark_for_another_model(server: ModelServer) -> None:
    _user, assistant = messages(with_tag(REWARD_MODEL, "\n\n"), ITEMS[0])
    assert assistant["content"] == "".join(f"{step.text}\n\n" for step in ITEMS[0].steps)
    assert run_facts(run(server), [])["step_tag"] == "<extra_0>"


@pytest.mark.parametrize(
    ("numbers", "scores"),
    [
        ([0.25, -3, [0.5], [2]], [0.25, -3, 0.5, 2]),  # one number is the score
        ([[0.25, 0.75], [1, 0], [0.4, 0.599], [0.0, 1.0]], [0.75, 0, 0.599, 1]),  # probabilities of wrong and right
        ([[0, 0], [3, 0], [0, 3], [800, 0]], [0.5, 0.0474, 0.9526, 0]),  # logits
    ],
)
def test_one_number_or_two_tell_how_right_a_step_is(server: ModelServer, numbers: Any, scores: list[float]) -> None:
    server.answer = lambda _body: json.dumps(numbers)
    assert run_judge(run(server))[0]["step_scores"] == pytest.approx(scores, abs=5e-5)


def test_a_number_for_every_token_is_not_understood(server: ModelServer) -> None:
    server.answer = lambda _body: json.dumps([0.5] * 40)
    read = answers(run_judge(run(server))).answers[0].reading
    assert (read.status, read.flags) == ("unparsed", ("wrong_number_of_scores",))


@pytest.mark.parametrize("numbers", [[[0.1] * 4096], [[]], [["high"]], [[None, 1]], "[NaN]"])
def test_an_answer_without_scores_ends_the_run_with_a_sentence(server: ModelServer, numbers: Any) -> None:
    server.answer = lambda _body: numbers if isinstance(numbers, str) else json.dumps(numbers)
    with pytest.raises(EndpointError, match="answers, but") as caught:
        run_judge(run(server))
    assert caught.value.fatal


def test_only_prompts_are_paid_for(server: ModelServer) -> None:
    expected = estimate(run(server))
    assert (expected.requests, expected.completion_tokens) == (10, 0)
    assert expected.prompt_tokens > 0
