"""Calls to a server: kept connections, waits, proxies, what a server says is wrong."""

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Iterator, Mapping

import pytest

from annotation.model_calls import Server
from annotation.protocols import Answer, TooSlow, Unreachable


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
            said = _request(connection)
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
            body = gzip.compress(json.dumps({"said": action}).encode())
            head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            if action == "last":
                return


def _request(connection: socket.socket) -> str:
    """A whole request, however many pieces it comes in; "" when the other side is gone."""
    said = b""
    while not said.endswith(b"}"):
        piece = connection.recv(65536)
        if not piece:
            return ""
        said += piece
    return said.decode()


def post(url: str, *bodies: Mapping[str, object], retries: int = 0, timeout: float = 60) -> list[Answer]:
    """The answers to some requests, one after the other over one server."""

    async def calls() -> list[Answer]:
        server = Server(url, "y", timeout)
        try:
            return [await server.post("/chat", body, retries) for body in bodies]
        finally:
            await server.close()

    return asyncio.run(calls())


@pytest.fixture
def raw() -> Iterator[list[Raw]]:
    made: list[Raw] = []
    yield made
    for server in made:
        server.listening.close()


def test_a_connection_is_kept_and_renewed_when_the_server_closed_it(raw: list[Raw]) -> None:
    raw.append(Raw(["one", "last", "three"]))
    answers = post(raw[0].url, *[{"a": "é"}] * 3, retries=1)
    assert [answer.body["said"] for answer in answers] == ["one", "last", "three"]
    assert raw[0].connections == 2
    assert raw[0].heard[0].startswith("POST /v1/chat HTTP/1.1")
    assert "authorization: bearer y" in raw[0].heard[0].lower()
    assert raw[0].heard[0].endswith('{"a": "é"}')


def test_a_packed_answer_is_asked_for_and_this_machine_is_not_told_about(raw: list[Raw]) -> None:
    raw.append(Raw(["packed"]))
    assert post(raw[0].url, {})[0].body == {"said": "packed"}
    head = raw[0].heard[0].lower()
    assert "\r\naccept-encoding: gzip" in head
    assert "\r\ncontent-type: application/json\r\n" in head
    assert "x-stainless-os" not in head
    assert "x-stainless-runtime" not in head


def test_a_lost_connection_and_silence_are_told_apart(raw: list[Raw]) -> None:
    raw.append(Raw(["hang up", "silence"]))
    with pytest.raises(Unreachable):
        post(raw[0].url, {})
    with pytest.raises(TooSlow):
        post(raw[0].url, {}, timeout=0.2)


def test_a_lost_connection_is_tried_again(raw: list[Raw]) -> None:
    raw.append(Raw(["hang up", "fine"]))
    assert post(raw[0].url, {}, retries=1)[0].body == {"said": "fine"}


def test_a_server_that_is_not_there_is_said_in_the_systems_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(Unreachable, match="Connect call failed"):
        post(url, {})


def test_the_proxy_of_the_environment_is_used(raw: list[Raw], monkeypatch: pytest.MonkeyPatch) -> None:
    raw.append(Raw(["by proxy"]))
    monkeypatch.setenv("http_proxy", raw[0].url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert post("http://models.example/v1", {})[0].body == {"said": "by proxy"}
    assert raw[0].heard[0].startswith("POST http://models.example/v1/chat HTTP/1.1")


def test_text_that_is_no_unicode_is_sent_all_the_same(raw: list[Raw]) -> None:
    raw.append(Raw(["fine"]))
    assert post(raw[0].url, {"a": "half \ud83d"})[0].body == {"said": "fine"}


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
        Server("localhost:8000/v1", "y", 5)
