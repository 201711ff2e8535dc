"""Calls to a model server through the openai library: it waits, tries again and heeds the environment's proxies.

The library's transport over aiohttp is used: with 64 calls in the air its own takes twice the processor time. A
fifth of what is left went into reading the same address three times a call and into headers that tell the vendor about
this machine, so the address is read once and those headers stay at home.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, override

import httpx2
import openai

from annotation.protocols import BESIDE_V1, Answer, TooSlow, Unreachable

_TELLS_NOTHING = {
    f"X-Stainless-{name}": openai.Omit()
    for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
}


class _NoAnswerInTime(openai.OpenAIError):
    """Not tried again by the library, which would keep a burdened server as busy as before."""


class _Transport(openai.DefaultAioHttpClient):
    """Sends whole requests as they are: whole addresses, every header given, no cookies."""

    @override
    def build_request(self, method: str, url: httpx2.URL | str, **given: Any) -> httpx2.Request:
        headers = [("accept-encoding", self.headers["accept-encoding"]), *given["headers"]]
        extensions = {"timeout": httpx2.Timeout(given["timeout"]).as_dict()}
        return httpx2.Request(
            method, _read_address(url), headers=headers, content=given["content"], extensions=extensions
        )

    @override
    async def send(self, request: httpx2.Request, **given: Any) -> httpx2.Response:
        try:
            return await super().send(request, **given)
        except httpx2.TimeoutException as error:
            if isinstance(_first_cause(error), TimeoutError):  # a lost connection comes as a timeout too
                raise _NoAnswerInTime from error
            raise


@lru_cache(maxsize=64)
def _read_address(url: httpx2.URL | str) -> httpx2.URL:
    return httpx2.URL(url)


class Server:
    """One base address (None is the library's own), asked within one event loop.

    `timeout` is in seconds without a byte. Raises: ValueError for an address that is none.
    """

    def __init__(self, base_url: str | None, api_key: str, timeout: float) -> None:
        if base_url is not None and httpx2.URL(base_url).scheme not in ("http", "https"):
            raise ValueError(f"{base_url!r} is no address of a server: it starts with http:// or https://.")
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            http_client=_Transport(follow_redirects=False),
        )
        self._address = str(self._client.base_url).rstrip("/")
        self._root = self._address.removesuffix("/v1")

    async def post(self, path: str, body: Mapping[str, Any], retries: int) -> Answer:
        """The answer, after up to `retries` more attempts when it is 408, 409, 429 or 5xx, or a connection is lost.

        Raises: Unreachable, TooSlow.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")  # halves of characters would stop it
        try:
            response = await self._client.post(
                (self._root if path in BESIDE_V1 else self._address) + path,
                cast_to=httpx2.Response,
                content=data,
                options={"max_retries": retries, "headers": _TELLS_NOTHING},
            )
        except _NoAnswerInTime as error:
            raise TooSlow from error
        except openai.APIConnectionError as error:
            cause = _first_cause(error)
            raise Unreachable(str(cause) or type(cause).__name__) from error
        except openai.APIStatusError as error:
            response = error.response
        try:
            read = json.loads(response.text)
        except (ValueError, RecursionError):
            read = None
        return Answer(response.status_code, response.headers, response.text, read)

    async def close(self) -> None:
        """Hang up."""
        await self._client.close()


def _first_cause(error: BaseException) -> BaseException:
    """What the network said; the layers above it say it in other words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
