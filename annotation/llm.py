"""The one client of model endpoints: structured replies, retries, a cache, many requests at once."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from annotation.at_once import Work, work_through
from annotation.lanes import Lanes
from annotation.protocols import PATHS, Answer, Api, Decoding, TooSlow, Unreachable, read_answer, request_body
from annotation.replies import MODES, Mode, Reply, Schema, object_in
from annotation.reply_cache import ReplyCache, ReplyWriter

if TYPE_CHECKING:
    from annotation.model_calls import Server

Message = Mapping[str, str]

GREEDY = Decoding()
_REFUSES_FORMAT = (400, 422, 500)
_MOST_SLOW_FIRSTS = 3
_MOST_USELESS = 3


class EndpointError(Exception):
    """A model gave no reply. `fatal`: the endpoint itself is at fault, so asking on is useless."""

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal


class TimedOut(EndpointError):
    """The model took longer than the time limit, in every attempt."""


class _RefusedError(EndpointError):
    """A status with which endpoints also refuse a form of structured output they do not know."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model; `key` is the caller's name for it, `sample` tells apart several replies to the same."""

    key: str
    messages: Sequence[Message]
    schema: Schema | None = None
    sample: int = 0


class Endpoint:
    """One model behind an endpoint that speaks the OpenAI protocol.

    `base_url` and `api_key` default to OPENAI_BASE_URL and OPENAI_API_KEY; `timeout` is in seconds per attempt;
    `retries` counts further attempts after 429 (Retry-After is honoured up to two minutes), 5xx, a timeout or a lost
    connection, and after timeouts fewer calls go at once; `cache` is a folder; `api` "responses" is used where it is
    offered, else chat completions; "pooling" asks a reward model for a number at each mark in the messages.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 5,
        decoding: Decoding = GREEDY,
        cache: Path | None = None,
        api: Api = "chat",
    ) -> None:
        self.model = model
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self.timeout = timeout
        self.retries = retries
        self.decoding = decoding
        self._asked_api: Api = api
        self._api: Api = api
        self._api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
        self._cache = ReplyCache(cache) if cache else None
        self._server: Server | None = None
        self._accepted: dict[bool, Mode] = {}  # by whether a schema was asked for
        self._slow_firsts = 0
        self._useless = 0  # how many objects in a row lacked what the schema requires
        self._renamed: dict[str, str] = {}  # settings this model refuses, and what it wants instead ("" is nothing)

    def complete(self, messages: Sequence[Message], schema: Schema | None = None, sample: int = 0) -> Reply:
        """The model's reply, from the cache when the same was asked before.

        Raises: EndpointError.
        """
        ((_, outcome),) = self.complete_many([Request("", messages, schema, sample)], concurrency=1)
        if isinstance(outcome, EndpointError):
            raise outcome
        return outcome

    def is_cached(self, messages: Sequence[Message], schema: Schema | None = None, sample: int = 0) -> bool:
        """Whether a reply is at hand without asking."""
        return self._cache is not None and self._cache.get(self.cache_key(messages, schema, sample)) is not None

    def cache_key(self, messages: Sequence[Message], schema: Schema | None, sample: int = 0) -> str:
        """sha256 over model, messages, schema, decoding settings and the number of the sample."""
        asked = {"model": self.model, "messages": list(messages), "schema": schema, **asdict(self.decoding)}
        further = {"sample": sample or None, "api": None if self._asked_api == "chat" else self._asked_api}
        named = {name: value for name, value in {**asked, **further}.items() if value is not None or name == "schema"}
        return hashlib.sha256(json.dumps(named, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def complete_many(
        self,
        requests: Iterable[Request],
        *,
        concurrency: int = 8,
        progress: Callable[[int], None] | None = None,
    ) -> Generator[tuple[Request, Reply | EndpointError]]:
        """Each request with its outcome, in the order of arrival; `progress` gets the count so far.

        What was already sent when the caller leaves is waited for, so that it reaches the cache.
        Raises: EndpointError when the endpoint itself is at fault.
        """
        with closing(work_through(requests, self._opened(concurrency), concurrency=concurrency)) as arriving:
            for done, (request, outcome) in enumerate(arriving, start=1):
                if isinstance(outcome, EndpointError) and outcome.fatal:
                    raise outcome
                if progress:
                    progress(done)
                yield request, outcome

    @asynccontextmanager
    async def _opened(self, concurrency: int) -> AsyncIterator[Work[Request, Reply | EndpointError]]:
        self._first, self._lanes = asyncio.Lock(), Lanes(concurrency)
        self._fault: EndpointError | None = None
        with ReplyWriter(self._cache) if self._cache else nullcontext() as self._writer:
            try:
                yield self._attempt
            finally:
                server, self._server = self._server, None
                if server is not None:
                    await server.close()

    async def _attempt(self, request: Request) -> Reply | EndpointError:
        """The model's reply, from the cache when the same was asked before."""
        asked = request.messages, request.schema, request.sample
        key = self.cache_key(*asked) if self._cache else ""
        known = self._cache.get(key) if self._cache else None
        if known is not None:
            return known
        try:
            reply = await self._ask(*asked)
        except EndpointError as error:
            return error
        if self._writer:
            self._writer.put(key, reply)
        return reply

    async def _ask(self, messages: Sequence[Message], schema: Schema | None, sample: int) -> Reply:
        """Until one request was answered they go one by one: the first finds out what the endpoint accepts."""
        structured = schema is not None
        if structured not in self._accepted:
            async with self._first:
                if structured not in self._accepted:
                    return await self._found_out(messages, schema, sample)
        reply = await self._send(self._accepted[structured], messages, schema, sample)
        self._weigh(reply)
        return reply

    async def _found_out(self, messages: Sequence[Message], schema: Schema | None, sample: int) -> Reply:
        """What one request told is told to all that wait for it, also that the endpoint is at fault."""
        if self._fault:
            raise self._fault
        try:
            reply = await self._first_reply(messages, schema, sample)
        except EndpointError as error:
            self._fault = error if error.fatal else None
            raise
        self._accepted[schema is not None] = reply.mode
        return reply

    def _weigh(self, reply: Reply) -> None:
        """A model that is made to write objects and only writes empty ones may say more in plain text."""
        if reply.mode == "json_object" and reply.finish != "length":
            self._useless = 0 if reply.parsed is not None else self._useless + 1
            if self._useless >= _MOST_USELESS:
                self._accepted[True] = "text"

    async def _first_reply(self, messages: Sequence[Message], schema: Schema | None, sample: int) -> Reply:
        refusal: EndpointError | None = None
        for mode in MODES if schema is not None and self._api != "pooling" else MODES[-1:]:
            try:
                return await self._send(mode, messages, schema, sample)
            except _RefusedError as error:
                refusal = error
            except TimedOut as error:
                self._slow_firsts += 1
                raise TimedOut(str(error), fatal=self._slow_firsts >= _MOST_SLOW_FIRSTS) from error
            except EndpointError as error:
                raise EndpointError(str(error), fatal=True) from error
        raise EndpointError(str(refusal), fatal=True) from refusal

    async def _send(self, mode: Mode, messages: Sequence[Message], schema: Schema | None, sample: int) -> Reply:
        seed = self.decoding.seed
        decoding = replace(self.decoding, seed=None if seed is None else seed + sample)
        body = request_body(self._api, self.model, messages, decoding, mode, schema)
        for name, instead in self._renamed.items():
            if name in body:
                value = body.pop(name)
                body |= {instead: value} if instead else {}
        # a server that cannot do a structured form may say so with 500; asking five more times would not help
        retries = self.retries if mode == "text" or mode in self._accepted.values() else min(self.retries, 1)
        try:
            answer = await self._posted(body, retries)
        except TooSlow:
            raise TimedOut(f"{self._where()} did not answer within {self.timeout:g} s.") from None
        except Unreachable as error:
            raise EndpointError(f"{self._where()} cannot be reached ({error}). {_CHECK_URL}", fatal=True) from error
        if answer.status != 200:
            if self._adapted(answer, body):
                return await self._send(mode, messages, schema, sample)
            self._explain(answer)
        return self._read(answer, mode, schema)

    async def _posted(self, body: Mapping[str, object], retries: int) -> Answer:
        """Raises: TooSlow when that was so in every attempt, Unreachable, EndpointError."""
        while True:
            try:
                return await self._lanes.run(partial(self._at_hand().post, PATHS[self._api], body, retries))
            except TooSlow:
                if not retries:
                    raise
                retries -= 1

    def _read(self, answer: Answer, mode: Mode, schema: Schema | None) -> Reply:
        try:
            said = read_answer(self._api, answer.body)
        except ValueError as error:
            raise EndpointError(f"{self._where()} answers, but {error}. {_CHECK_URL}") from None
        whole = schema is not None and said.finish != "length" and not said.refused
        parsed = object_in(said.text, schema) if whole and schema is not None else None
        return Reply(said.text, parsed, mode, said.tokens, said.finish, said.refused)

    def _adapted(self, answer: Answer, body: Mapping[str, object]) -> bool:
        """Whether the server refused something that another request can do without; it is remembered."""
        if self._api == "responses" and answer.status in (404, 405, 501):
            self._api = "chat"
            return True
        instead = {"max_tokens": "max_completion_tokens", "temperature": "", "top_p": "", "seed": ""}
        for name, other in instead.items():
            if answer.status == 400 and name in body and name in answer.message and name not in self._renamed:
                self._renamed[name] = other
                return True
        return False

    def _at_hand(self) -> Server:
        if self._server is None:
            if not self._api_key and not self.base_url:
                message = "No key for the model: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
                raise EndpointError(message, fatal=True)
            calls = import_module("annotation.model_calls")  # the client library takes half a second to load
            try:
                self._server = calls.Server(self.base_url, self._api_key or "none", self.timeout)
            except ValueError as error:
                raise EndpointError(str(error), fatal=True) from error
        return self._server

    def _where(self) -> str:
        return self.base_url or "The OpenAI endpoint"

    def _explain(self, answer: Answer) -> NoReturn:
        """Turn an answer that is no reply into a sentence that says what to do."""
        status = answer.status
        if status in (401, 403):
            raise EndpointError(f"{self._where()} refuses the key ({status}): check OPENAI_API_KEY.", fatal=True)
        if status == 404:
            message = f"{self._where()} has no model {self.model!r}, or is not the right address. {_CHECK_URL}"
            raise EndpointError(message, fatal=True)
        if 300 <= status < 400:
            where = answer.headers.get("location", "elsewhere")
            raise EndpointError(f"{self._where()} has moved to {where}. {_CHECK_URL}", fatal=True)
        message = f"{self._where()} answers {status}: {answer.message}"
        raise (_RefusedError if status in _REFUSES_FORMAT else EndpointError)(message)


_CHECK_URL = "Check OPENAI_BASE_URL (it usually ends in /v1) and the model's name."
