"""Calls to a server: kept connections, waits, proxies, what a server says is wrong."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate

import pytest

from annotation.http_calls import LONGEST_WAIT, Answer, Server, TooSlow, Unreachable, _asked_wait


class Raw:
    """A server that answers each request as told and then closes the connection, or keeps it, or says nothing."""

    def __init__(self, script: list[str]) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.script, self.heard, self.connections = script, list[str](), 0
        threading.Thread(target=self._serve, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while self.script:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            self.connections += 1
            self._talk(connection)
            connection.close()

    def _talk(self, connection: socket.socket) -> None:
        while self.script:
            said = connection.recv(65536).decode()
            if not said:
                return
            self.heard.append(said)
            action = self.script.pop(0)
            if action == "silence":
                while connection.recv(65536):  # until the other side has had enough
                    pass
                return
            if action == "hang up":
                return
            body = json.dumps({"said": action})
            connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            if action == "last":
                return


@pytest.fixture
def raw() -> Iterator[list[Raw]]:
    made: list[Raw] = []
    yield made
    for server in made:
        server.listening.close()


def test_a_connection_is_kept_and_renewed_when_the_server_closed_it(raw: list[Raw]) -> None:
    raw.append(Raw(["one", "last", "three"]))
    server = Server(raw[0].url, {"X": "y"}, 60)
    said = []
    for _ in range(3):
        said.append(server.post("/chat", {"a": "é"}, 0).body["said"])
        time.sleep(0.05)
    assert said == ["one", "last", "three"]
    assert raw[0].connections == 2
    assert raw[0].heard[0].startswith("POST /v1/chat HTTP/1.1")
    assert "X: y" in raw[0].heard[0]


def test_a_lost_connection_and_silence_are_told_apart(raw: list[Raw]) -> None:
    raw.append(Raw(["hang up", "silence"]))
    with pytest.raises(Unreachable):
        Server(raw[0].url, {}, 60).post("/chat", {}, 0)
    with pytest.raises(TooSlow):
        Server(raw[0].url, {}, 0.2).post("/chat", {}, 0)


def test_a_lost_connection_is_tried_again(raw: list[Raw]) -> None:
    raw.append(Raw(["hang up", "fine"]))
    assert Server(raw[0].url, {}, 60).post("/chat", {}, 1).body == {"said": "fine"}


def test_the_proxy_of_the_environment_is_used(raw: list[Raw], monkeypatch: pytest.MonkeyPatch) -> None:
    raw.append(Raw(["by proxy"]))
    monkeypatch.setenv("http_proxy", raw[0].url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert Server("http://models.example/v1", {}, 5).post("/chat", {}, 0).body == {"said": "by proxy"}
    assert raw[0].heard[0].startswith("POST http://models.example/v1/chat HTTP/1.1")


@pytest.mark.parametrize(
    ("wanted", "least", "most"),
    [("3", 3, 3), ("0.5", 0.5, 0.5), ("9999", LONGEST_WAIT, LONGEST_WAIT), ("in a minute", 40, 61)],
)
def test_retry_after_is_seconds_or_a_date(wanted: str, least: float, most: float) -> None:
    wanted = formatdate(time.time() + 60) if wanted == "in a minute" else wanted
    wanted = formatdate(time.time() + 60) if wanted == "in a minute" else wanted
    assert least <= (_asked_wait({"retry-after": wanted}) or 0) <= most


def test_what_asks_for_no_wait() -> None:
    for headers in ({}, {"retry-after": "soon"}, {"retry-after": "-3"}, {"retry-after": formatdate(0)}):
        assert _asked_wait(headers) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "too long"}}, "too long"),
        ({"error": "too long"}, "too long"),
        ({"detail": "Not Found"}, "Not Found"),
        (None, "<html>"),
    ],
)
def test_what_a_server_says_is_wrong(body: object, message: str) -> None:
    assert Answer(400, {}, "<html>", body).message == message


def test_an_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="starts with http"):
        Server("localhost:8000/v1", {}, 5)
