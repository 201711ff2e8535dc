"""The client of model endpoints, against a server on loopback."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.llm import Endpoint, EndpointError, Request, TimedOut
from annotation.protocols import Decoding
from annotation.replies import object_in
from tests.model_server import Body, ModelServer, Trouble, model_server

SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
ASKED = [{"role": "user", "content": "same?"}]
SAME = '{"verdict": "same"}'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        model.answer = lambda _: SAME
        yield model


def endpoint(server: ModelServer, model: str = "grader", **options: Any) -> Endpoint:
    return Endpoint(model, server.base_url, "key", **{"retries": 1, "timeout": 5.0, **options})


def test_asks_for_the_schema_and_gives_back_the_object_and_the_tokens(server: ModelServer) -> None:
    reply = endpoint(server).complete(ASKED, SCHEMA)
    assert (reply.parsed, reply.text, reply.mode, reply.tokens) == ({"verdict": "same"}, SAME, "json_schema", (11, 7))
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert server.requests[0]["temperature"] == 0


@pytest.mark.parametrize("status", [400, 422, 500])
def test_falls_back_where_a_format_is_refused_and_remembers_it(server: ModelServer, status: int) -> None:
    server.refuses = {"json_schema": status}
    one = endpoint(server, retries=0)
    assert one.complete(ASKED, SCHEMA).mode == "json_object"
    assert one.complete([{"role": "user", "content": "again"}], SCHEMA).parsed == {"verdict": "same"}
    assert server.formats() == ["json_schema", "json_object", "json_object"]


def test_falls_back_to_plain_text_and_reads_the_object_in_it(server: ModelServer) -> None:
    server.refuses = {"json_schema": 400, "json_object": 400}
    server.answer = lambda _: f"Let me see.\n```json\n{SAME}\n```"
    reply = endpoint(server).complete(ASKED, SCHEMA)
    assert (reply.mode, reply.parsed) == ("text", {"verdict": "same"})


def test_a_model_that_only_writes_empty_objects_is_asked_for_text(server: ModelServer) -> None:
    server.refuses = {"json_schema": 400}
    empty = iter(["{}", SAME, "{}", "{}", "{}"])
    server.answer = lambda _: next(empty, SAME)
    one = endpoint(server)
    for n in range(6):
        reply = one.complete([{"role": "user", "content": f"question {n}"}], SCHEMA)
    assert server.formats() == ["json_schema", *["json_object"] * 5, "text"], "three in a row, not three in all"
    assert reply.parsed == {"verdict": "same"}


def test_a_400_of_one_request_does_not_lower_the_mode(server: ModelServer) -> None:
    one = endpoint(server)
    one.complete(ASKED, SCHEMA)
    server.troubles = [Trouble(400)]
    with pytest.raises(EndpointError, match="answers 400"):
        one.complete([{"role": "user", "content": "too long"}], SCHEMA)
    assert one.complete([{"role": "user", "content": "next"}], SCHEMA).mode == "json_schema"


def test_temperature_is_left_out_where_the_model_refuses_it(server: ModelServer) -> None:
    server.refuses_settings = ("temperature",)
    one = endpoint(server)
    assert one.complete(ASKED, SCHEMA).mode == "json_schema"
    one.complete([{"role": "user", "content": "again"}], SCHEMA)
    assert ["temperature" in request for request in server.requests] == [True, False, False]


def test_the_limit_of_tokens_goes_under_the_name_that_the_model_takes(server: ModelServer) -> None:
    server.refuses_settings = ("max_tokens",)
    one = endpoint(server, decoding=Decoding(max_tokens=50, top_p=0.9))
    for question in ("one", "two"):
        one.complete([{"role": "user", "content": question}])
    assert [request.get("max_tokens") for request in server.requests] == [50, None, None]
    assert [request.get("max_completion_tokens") for request in server.requests] == [None, 50, 50]
    assert server.requests[-1]["top_p"] == 0.9


def test_the_responses_api_is_used_where_it_is_offered(server: ModelServer) -> None:
    server.offers = ("/v1/chat/completions", "/v1/responses")
    reply = endpoint(server, api="responses", decoding=Decoding(max_tokens=9)).complete(ASKED, SCHEMA)
    assert (reply.parsed, reply.tokens, reply.mode) == ({"verdict": "same"}, (11, 7), "json_schema")
    assert server.paths == ["/v1/responses"]
    asked = server.requests[0]
    assert (asked["input"], asked["max_output_tokens"]) == (ASKED, 9)
    assert asked["text"]["format"] == {"type": "json_schema", "name": "reply", "schema": SCHEMA, "strict": True}


def test_chat_completions_take_over_where_there_is_no_responses_api(server: ModelServer) -> None:
    one = endpoint(server, api="responses")
    for question in ("one", "two"):
        assert one.complete([{"role": "user", "content": question}]).text == SAME
    assert server.paths == ["/v1/responses", "/v1/chat/completions", "/v1/chat/completions"]


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_refusal_and_a_cut_are_told(server: ModelServer, api: Any) -> None:
    server.offers = ("/v1/chat/completions", "/v1/responses")
    server.finish_reason, server.refusal = "length", "I will not."
    reply = endpoint(server, api=api).complete(ASKED, SCHEMA)
    assert (reply.text, reply.refused, reply.finish, reply.parsed) == ("I will not.", True, "length", None)


def test_samples_differ_in_seed_and_in_the_cache(server: ModelServer, tmp_path: Path) -> None:
    one = endpoint(server, decoding=Decoding(temperature=1, seed=40), cache=tmp_path)
    for sample in (0, 1, 2, 1):
        one.complete(ASKED, sample=sample)
    assert [request["seed"] for request in server.requests] == [40, 41, 42]
    assert one.is_cached(ASKED, sample=2)
    assert not one.is_cached(ASKED, sample=3)


def test_one_slow_first_reply_does_not_end_a_run_and_three_do(server: ModelServer) -> None:
    server.delay = 0.6
    one = endpoint(server, timeout=0.1, retries=0)
    fatal = []
    for _ in range(3):
        with pytest.raises(TimedOut) as caught:
            one.complete(ASKED)
        fatal.append(caught.value.fatal)
    assert fatal == [False, False, True]


def test_waits_as_long_as_retry_after_says(server: ModelServer) -> None:
    server.troubles = [Trouble(429, {"Retry-After": "0.7"})]
    began = time.monotonic()
    assert endpoint(server).complete(ASKED, SCHEMA).parsed == {"verdict": "same"}
    assert time.monotonic() - began >= 0.7  # the shortest that is allowed, not a measure of speed
    assert len(server.requests) == 2


def test_retries_after_a_server_error(server: ModelServer) -> None:
    server.troubles = [Trouble(503)]
    assert endpoint(server).complete(ASKED).text == SAME


def test_a_slow_server_is_a_plain_error(server: ModelServer) -> None:
    server.delay = 1.0
    with pytest.raises(EndpointError, match=r"did not answer within 0\.2 s"):
        endpoint(server, timeout=0.2, retries=0).complete(ASKED)


def test_a_server_that_answers_only_few_at_once_answers_all_in_the_end(server: ModelServer) -> None:
    def burdened(_body: Body) -> str:
        time.sleep(0.5 if server.busy > 2 else 0)  # also with those that nobody waits for any more
        return SAME

    server.answer = burdened
    one = endpoint(server, timeout=0.25, retries=8)
    asked = [Request(str(n), [{"role": "user", "content": str(n)}]) for n in range(12)]
    outcomes = [outcome for _, outcome in one.complete_many(asked, concurrency=6)]
    assert [outcome for outcome in outcomes if isinstance(outcome, EndpointError)] == []
    assert len(outcomes) == 12


def test_without_a_key_it_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(EndpointError, match="OPENAI_API_KEY") as caught:
        Endpoint("grader").complete(ASKED)
    assert caught.value.fatal


def test_the_environment_names_the_endpoint(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert Endpoint("grader").complete(ASKED).text == SAME


def test_wrong_settings_are_fatal_and_say_what_to_check(server: ModelServer) -> None:
    cases = {
        "OPENAI_API_KEY": Endpoint("grader", server.base_url, "other key", retries=0),
        "no model 'unheard-of'": endpoint(server, "unheard-of", retries=0),
        "OPENAI_BASE_URL": Endpoint("grader", server.base_url.replace("/v1", ""), "key", retries=0),
        "cannot be reached": Endpoint("grader", "http://127.0.0.1:9/v1", "key", retries=0),
    }
    for words, wrong in cases.items():
        with pytest.raises(EndpointError, match=words) as caught:
            wrong.complete(ASKED, SCHEMA)
        assert caught.value.fatal, words


def test_another_kind_of_server_is_told_apart_from_a_model(server: ModelServer) -> None:
    server.troubles = [Trouble(200, body="<html>hello</html>", content_type="text/html"), Trouble(200, body="{}")]
    for _ in range(2):
        with pytest.raises(EndpointError, match="not in the OpenAI protocol"):
            endpoint(server, retries=0).complete(ASKED)


def test_a_cut_off_reply_has_no_object(server: ModelServer) -> None:
    server.finish_reason = "length"
    assert endpoint(server).complete(ASKED, SCHEMA).parsed is None


def test_what_was_answered_is_never_asked_again(server: ModelServer, tmp_path: Path) -> None:
    first = endpoint(server, cache=tmp_path).complete(ASKED, SCHEMA)
    assert endpoint(server, cache=tmp_path).complete(ASKED, SCHEMA) == first
    assert len(server.requests) == 1


def test_the_cache_tells_apart_model_messages_schema_and_temperature(server: ModelServer) -> None:
    one = endpoint(server)
    keys = {
        one.cache_key(ASKED, SCHEMA),
        one.cache_key(ASKED, None),
        one.cache_key([{"role": "user", "content": "same? "}], SCHEMA),
        endpoint(server, "other").cache_key(ASKED, SCHEMA),
        endpoint(server, decoding=Decoding(temperature=0.5)).cache_key(ASKED, SCHEMA),
    }
    assert len(keys) == 5


def requests(number: int) -> list[Request]:
    return [Request(str(n), [{"role": "user", "content": f"question {n}"}], SCHEMA) for n in range(number)]


def test_many_requests_run_at_once_within_the_limit(server: ModelServer) -> None:
    server.delay = 0.05
    counts: list[int] = []
    found = list(endpoint(server).complete_many(requests(12), concurrency=3, progress=counts.append))
    assert sorted(request.key for request, _ in found) == sorted(map(str, range(12)))
    assert counts == list(range(1, 13))
    assert 1 < server.busiest <= 3


def test_one_failing_request_does_not_stop_the_others(server: ModelServer) -> None:
    one = endpoint(server, retries=0)
    one.complete(ASKED, SCHEMA)
    server.troubles = [Trouble(400)]
    outcomes = {request.key: outcome for request, outcome in one.complete_many(requests(4), concurrency=1)}
    assert isinstance(outcomes["0"], EndpointError)
    assert not any(isinstance(outcomes[key], EndpointError) for key in "123")


def test_a_fault_of_the_endpoint_stops_all(server: ModelServer) -> None:
    with pytest.raises(EndpointError, match="no model"):
        list(endpoint(server, "unheard-of").complete_many(requests(50), concurrency=2))
    assert len(server.requests) <= 4


def test_who_waits_for_the_first_request_does_not_try_a_dead_endpoint_again(server: ModelServer) -> None:
    server.troubles = [Trouble(500)] * 20
    one = endpoint(server, retries=1)
    with pytest.raises(EndpointError, match="answers 500"):
        list(one.complete_many(Request(str(n), ASKED) for n in range(20)))
    assert len(server.requests) == 2  # one request, tried again once
    server.troubles = []
    assert not one.complete(ASKED).refused  # who comes later asks again


def test_leaving_keeps_what_was_answered_and_a_resume_asks_only_the_rest(server: ModelServer, tmp_path: Path) -> None:
    arriving = endpoint(server, cache=tmp_path).complete_many(requests(10), concurrency=2)
    for _ in range(4):
        next(arriving)
    arriving.close()
    answered = len(server.requests)
    assert 4 <= answered <= 8, "the four that were taken, and at most twice as many as go at once"
    assert len(list(endpoint(server, cache=tmp_path).complete_many(requests(10)))) == 10
    assert len(server.requests) == 10


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SAME, True),
        (f"<think>maybe {{}}</think>{SAME}", True),
        (f"{SAME}<end_of_turn>\n<start_of_turn>user", True),
        (f"<s> {SAME} </s>", True),
        ('{"analysis": "no verdict"}', False),
        ('["verdict"]', False),
        (f"The answer is {SAME}", False),
        ('{"verdict": "same", "analysis": "a", "verdict": "different"}', False),  # as models held to JSON write
        ('{"verdict": "same", "verdict": "same", "analysis": "a"}', True),
        ('{"verdict": ' * 100_000, False),
        ("", False),
    ],
)
def test_an_object_counts_only_when_the_reply_consists_of_it(text: str, found: bool) -> None:
    assert (object_in(text, SCHEMA) is not None) == found
