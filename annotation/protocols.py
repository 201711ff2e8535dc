"""The forms of the OpenAI protocol, and scores of steps: what a request looks like, and what an answer says."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.replies import Mode, Schema

Api = Literal["chat", "responses", "pooling"]
PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses", "pooling": "/pooling"}
BESIDE_V1 = (PATHS["pooling"],)  # vLLM has it at its root, where the OpenAI protocol begins at /v1


class Unreachable(Exception):
    """No connection, or it broke; the message is the system's."""


class TooSlow(Exception):
    """No answer within the time limit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; `body` is the JSON value, or None when it is none."""

    status: int
    headers: Mapping[str, str]
    text: str
    body: Any

    @property
    def message(self) -> str:
        """What the server says is wrong, at most 300 characters."""
        error = self.body.get("error") or self.body.get("detail") if isinstance(self.body, dict) else None
        told = error.get("message") if isinstance(error, dict) else error
        return str(told or self.text).strip()[:300]


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a model chooses its words; None leaves it to the server. `seed` repeats a sample where servers support it."""

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """The text of an answer, why it ended (stop, length, ...), whether the model refused, tokens (prompt, reply)."""

    text: str
    finish: str
    refused: bool
    tokens: tuple[int, int]


def request_body(
    api: Api, model: str, messages: Sequence[Mapping[str, str]], decoding: Decoding, mode: Mode, schema: Schema | None
) -> dict[str, Any]:
    """The body of a request; settings that are None are left out. Scores of steps are read off, not generated."""
    if api == "pooling":
        return {"model": model, "messages": list(messages)}
    chat = api == "chat"
    settings = {
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "max_tokens" if chat else "max_output_tokens": decoding.max_tokens,
        "seed": decoding.seed if chat else None,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    return {"model": model, "messages" if chat else "input": list(messages), **given, **_format(api, mode, schema)}


def _format(api: Api, mode: Mode, schema: Schema | None) -> dict[str, Any]:
    if mode == "text" or schema is None:
        return {}
    described = {"name": "reply", "schema": schema, "strict": True}
    if api == "responses":
        return {"text": {"format": {"type": mode, **(described if mode == "json_schema" else {})}}}
    return {"response_format": {"type": mode, **({"json_schema": described} if mode == "json_schema" else {})}}


def read_answer(api: Api, body: Any) -> Said:
    """What an answer says. Raises: ValueError when the body is not in this protocol."""
    read = {"chat": _read_chat, "responses": _read_response, "pooling": _read_scores}[api]
    try:
        return read(body)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("not in the OpenAI protocol") from error


def _read_chat(body: Mapping[str, Any]) -> Said:
    choice = body["choices"][0]
    message, finish, usage = choice["message"], choice.get("finish_reason") or "stop", body.get("usage") or {}
    refusal = message.get("refusal")
    text = message.get("content") or refusal or ""
    if not isinstance(text, str):  # some servers give parts
        text = "".join(part.get("text", "") for part in text)
    tokens = (int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
    return Said(text, str(finish), bool(refusal) or finish == "content_filter", tokens)


def _read_response(body: Mapping[str, Any]) -> Said:
    parts = [part for item in body["output"] if item.get("type") == "message" for part in item["content"]]
    refused = any(part.get("type") == "refusal" for part in parts)
    text = "".join(part.get("text") or part.get("refusal") or "" for part in parts)
    usage, why = body.get("usage") or {}, (body.get("incomplete_details") or {}).get("reason")
    finish = {"max_output_tokens": "length", None: "stop"}.get(why, str(why))
    tokens = (int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))
    return Said(text, finish, refused or finish == "content_filter", tokens)


def _read_scores(body: Mapping[str, Any]) -> Said:
    """A reward model's numbers at the marks after the steps, as the object that a chat model would have written."""
    scores = [_score(value) for value in body["data"][0]["data"]]
    tokens = int((body.get("usage") or {}).get("prompt_tokens") or 0)
    return Said(json.dumps({"step_scores": scores}), "stop", False, (tokens, 0))


def _score(value: Any) -> float:
    """How right a step is: the number itself, or of two (wrong, right) the probability of the second.

    Two that are no probabilities are logits.
    """
    numbers = [float(number) for number in (value if isinstance(value, list) else [value])]
    if not all(map(math.isfinite, numbers)) or len(numbers) not in (1, 2):
        raise ValueError(f"with {len(numbers)} numbers at a place, where one or two tell how right a step is")
    if len(numbers) == 1:
        return numbers[0]
    wrong, right = numbers
    shares = min(numbers) >= 0 and abs(wrong + right - 1) < 0.01
    return right if shares else 1 / (1 + math.exp(min(wrong - right, 700.0)))
