"""The one client of model endpoints: structured replies, retries, a cache, many requests at once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from annotation.replies import MODES, Mode, Reply, ReplyCache, Schema, object_in

if TYPE_CHECKING:
    from openai import OpenAI

Message = Mapping[str, str]

_REFUSES_FORMAT = (400, 422, 500)


class EndpointError(Exception):
    """A model gave no reply. `fatal`: the endpoint itself is at fault, so asking on is useless."""

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


class _RefusedError(EndpointError):
    """A status with which endpoints also refuse a form of structured output they do not know."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model; `key` is the caller's name for it."""

    key: str
    messages: Sequence[Message]
    schema: Schema | None = None


class Endpoint:
    """One model behind an endpoint that speaks the OpenAI protocol.

    `base_url` and `api_key` default to OPENAI_BASE_URL and OPENAI_API_KEY; `timeout` is in seconds per attempt;
    `retries` counts further attempts after 429 (Retry-After is honoured up to two minutes), 5xx, a timeout or a lost
    connection; `cache` is a folder.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 5,
        temperature: float = 0.0,
        cache: Path | None = None,
    ) -> None:
        self.model = model
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self.timeout = timeout
        self.retries = retries
        self.temperature = temperature
        self._api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
        self._cache = ReplyCache(cache) if cache else None
        self._client: OpenAI | None = None
        self._first = threading.Lock()
        self._accepted: dict[bool, Mode] = {}  # by whether a schema was asked for
        self._takes_temperature = True

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Reply:
        """The model's reply, from the cache when the same was asked before.

        Raises: EndpointError.
        """
        if self._cache is None:
            return self._ask(messages, schema)
        key = self.cache_key(messages, schema)
        reply = self._cache.get(key)
        if reply is None:
            reply = self._ask(messages, schema)
            self._cache.put(key, reply)
        return reply

    def cache_key(self, messages: Sequence[Message], schema: Schema | None) -> str:
        """sha256 over model, messages, schema and decoding settings."""
        asked = {"model": self.model, "messages": list(messages), "schema": schema, "temperature": self.temperature}
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def complete_many(
        self,
        requests: Iterable[Request],
        *,
        concurrency: int = 8,
        progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[Request, Reply | EndpointError]]:
        """Each request with its outcome, in the order of arrival; `progress` gets the count so far.

        What was already sent when the caller stops is waited for, so that it reaches the cache.
        Raises: EndpointError when the endpoint itself is at fault.
        """
        coming, done = iter(requests), 0
        running: dict[Future[Reply | EndpointError], Request] = {}
        pool = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="model")
        try:
            while True:
                if not (should_stop and should_stop()):
                    for request in islice(coming, concurrency - len(running)):
                        running[pool.submit(self._attempt, request)] = request
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    request, outcome = running.pop(future), future.result()
                    if isinstance(outcome, EndpointError) and outcome.fatal:
                        raise outcome
                    done += 1
                    if progress:
                        progress(done)
                    yield request, outcome
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _attempt(self, request: Request) -> Reply | EndpointError:
        try:
            return self.complete(request.messages, request.schema)
        except EndpointError as error:
            return error

    def _ask(self, messages: Sequence[Message], schema: Schema | None) -> Reply:
        """Until one request was answered they go one by one: the first finds out what the endpoint accepts."""
        structured = schema is not None
        if structured not in self._accepted:
            with self._first:
                if structured not in self._accepted:
                    reply = self._first_reply(messages, schema)
                    self._accepted[structured] = reply.mode
                    return reply
        return self._send(self._accepted[structured], messages, schema)

    def _first_reply(self, messages: Sequence[Message], schema: Schema | None) -> Reply:
        refusal: EndpointError | None = None
        for mode in MODES if schema is not None else MODES[-1:]:
            try:
                return self._send(mode, messages, schema)
            except _RefusedError as error:
                refusal = error
            except EndpointError as error:
                raise EndpointError(str(error), fatal=True) from error
        raise EndpointError(str(refusal), fatal=True) from refusal

    def _send(self, mode: Mode, messages: Sequence[Message], schema: Schema | None) -> Reply:
        client, options = self._opened(), self._options(mode, schema)
        try:
            answer = client.chat.completions.create(model=self.model, messages=messages, **options)
            choice, usage = answer.choices[0], answer.usage
            text = choice.message.content or ""
        except (ValueError, AttributeError, TypeError, IndexError) as error:  # a page of another kind of server
            raise EndpointError(f"{self._where()} answers, but not in the OpenAI protocol. {_CHECK_URL}") from error
        except import_module("openai").APIError as error:
            if "temperature" in options and getattr(error, "status_code", 0) == 400 and "temperature" in str(error):
                self._takes_temperature = False
                return self._send(mode, messages, schema)
            self._explain(error)
        parsed = object_in(text, schema) if schema is not None and choice.finish_reason != "length" else None
        return Reply(text, parsed, mode, (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0))

    def _options(self, mode: Mode, schema: Schema | None) -> dict[str, Any]:
        options: dict[str, Any] = {"temperature": self.temperature} if self._takes_temperature else {}
        if mode == "json_schema":
            described = {"name": "reply", "schema": schema, "strict": True}
            options["response_format"] = {"type": mode, "json_schema": described}
        elif mode == "json_object":
            options["response_format"] = {"type": mode}
        return options

    def _opened(self) -> Any:
        """The client. Imported here: half a second that a command without a model must not pay."""
        if self._client is None:
            if not self._api_key and not self.base_url:
                message = "No key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
                raise EndpointError(message, fatal=True)
            self._client = import_module("openai").OpenAI(
                base_url=self.base_url,
                api_key=self._api_key or "none",
                timeout=self.timeout,
                max_retries=self.retries,
            )
        return self._client

    def _where(self) -> str:
        return self.base_url or "The OpenAI endpoint"

    def _explain(self, error: Exception) -> NoReturn:
        """Turn the library's error into a sentence that says what to do."""
        library = import_module("openai")
        status = getattr(error, "status_code", None)
        if isinstance(error, library.APITimeoutError):
            raise EndpointError(f"{self._where()} did not answer within {self.timeout:g} s.") from error
        if isinstance(error, library.APIConnectionError):
            raise EndpointError(f"{self._where()} cannot be reached. {_CHECK_URL}", fatal=True) from error
        if status in (401, 403):
            message = f"{self._where()} refuses the key ({status}): check OPENAI_API_KEY."
            raise EndpointError(message, fatal=True) from error
        if status == 404:
            message = f"{self._where()} has no model {self.model!r}, or is not the right address. {_CHECK_URL}"
            raise EndpointError(message, fatal=True) from error
        message = f"{self._where()} answers {status or 'unreadably'}: {str(error)[:300]}"
        raise (_RefusedError if status in _REFUSES_FORMAT else EndpointError)(message) from error


_CHECK_URL = "Check OPENAI_BASE_URL (it usually ends in /v1) and the model's name."
