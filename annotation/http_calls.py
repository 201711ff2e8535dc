"""JSON over HTTP to one server from many threads: kept connections, waits between attempts, time limits.

A run has dozens of requests in the air; the standard library's connections cost a tenth of a client library's time.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

LONGEST_WAIT = 120.0
_AGAIN = (408, 409, 425, 429)
_FIRST_WAIT, _MOST_WAIT = 0.5, 8.0
_random = secrets.SystemRandom()


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


class Server:
    """One base address; every thread keeps a connection of its own. `timeout` is in seconds without a byte."""

    def __init__(self, base_url: str, headers: Mapping[str, str], timeout: float) -> None:
        self.address = urlsplit(base_url.rstrip("/"))
        if self.address.scheme not in ("http", "https") or not self.address.hostname:
            raise ValueError(f"{base_url!r} is no address of a server: it starts with http:// or https://.")
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        self._timeout = timeout
        self._kept = threading.local()
        self._proxy = _proxy_for(self.address)
        self._tls = ssl.create_default_context() if self.address.scheme == "https" else None

    def post(self, path: str, body: Mapping[str, Any], retries: int) -> Answer:
        """The answer, after up to `retries` more attempts when it is 429, 5xx or the like, or there is none.

        Raises: Unreachable, TooSlow.
        """
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        for attempt in range(retries + 1):
            last = attempt == retries
            try:
                answer = self._once(path, data)
            except (Unreachable, TooSlow):
                if last:
                    raise
                time.sleep(_pause(attempt))
                continue
            if last or not (answer.status in _AGAIN or answer.status >= 500):
                return answer
            time.sleep(_asked_wait(answer.headers) or _pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, path: str, data: bytes) -> Answer:
        """A connection that was kept may have been closed by the server meanwhile: then once more on a new one."""
        kept = getattr(self._kept, "connection", None) is not None
        try:
            return self._exchange(path, data)
        except (http.client.HTTPException, OSError) as error:
            self._drop()
            if isinstance(error, TimeoutError):
                raise TooSlow from error
            if not (kept and isinstance(error, http.client.RemoteDisconnected | ConnectionError)):
                raise Unreachable(str(error)) from error
        try:
            return self._exchange(path, data)
        except TimeoutError as error:
            self._drop()
            raise TooSlow from error
        except (http.client.HTTPException, OSError) as error:
            self._drop()
            raise Unreachable(str(error)) from error

    def _exchange(self, path: str, data: bytes) -> Answer:
        connection = self._connection()
        connection.request("POST", self._target(path), data, self._headers)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, text, body)

    def _target(self, path: str) -> str:
        own = self.address.path + path
        if self._proxy is None or self._tls is not None:
            return own
        return f"http://{self.address.netloc}{own}"

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._kept, "connection", None)
        if connection is None:
            connection = self._kept.connection = self._opened()
        return connection

    def _opened(self) -> http.client.HTTPConnection:
        host, port = self.address.hostname or "", self.address.port
        where, at = (self._proxy.hostname or "", self._proxy.port) if self._proxy else (host, port)
        if self._tls is None:
            connection = http.client.HTTPConnection(where, at, timeout=self._timeout)
        else:
            connection = http.client.HTTPSConnection(where, at, timeout=self._timeout, context=self._tls)
            if self._proxy:
                connection.set_tunnel(host, port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _drop(self) -> None:
        connection = getattr(self._kept, "connection", None)
        self._kept.connection = None
        if connection is not None:
            connection.close()


def _proxy_for(address: SplitResult) -> SplitResult | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name for this address."""
    proxy = getproxies().get(address.scheme)
    if not proxy or proxy_bypass(address.netloc):
        return None
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}")


def _pause(attempt: int) -> float:
    """Twice as long every time, less a random part so that many do not come back at once."""
    return min(_FIRST_WAIT * 2.0**attempt, _MOST_WAIT) * (1 - 0.25 * _random.random())


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """What Retry-After asks for in seconds, at most two minutes; None when it asks for nothing."""
    wanted = headers.get("retry-after", "")
    try:
        seconds = float(wanted)
    except ValueError:
        date = email.utils.parsedate_tz(wanted)
        if date is None:
            return None
        seconds = email.utils.mktime_tz(date) - time.time()
    return min(max(seconds, 0.0), LONGEST_WAIT) or None
