"""A server on loopback that speaks the OpenAI protocol, to be programmed by tests."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


@dataclass
class Trouble:
    """An answer that is none: a status with headers, or a body that is not what the protocol says."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "trouble", "type": "trouble"}}'
    content_type: str = "application/json"


@dataclass
class ModelServer:
    """What the server does, and what it was asked.

    `answer` makes the text of a reply from a request body; `refuses` maps types of response_format to a status;
    `troubles` are given out first, one a request.
    """

    base_url: str = ""
    answer: Callable[[Body], str] = field(default=lambda _: "{}")
    refuses: dict[str, int] = field(default_factory=dict)
    refuses_settings: tuple[str, ...] = ()
    offers: tuple[str, ...] = ("/v1/chat/completions",)
    troubles: list[Trouble] = field(default_factory=list)
    delay: float = 0.0
    models: tuple[str, ...] = ("grader",)
    key: str = "key"
    finish_reason: str = "stop"
    refusal: str | None = None
    paths: list[str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    busiest: int = 0
    busy: int = 0
    _lock: Any = field(default_factory=threading.Lock)

    def formats(self) -> list[str]:
        """The response_format types asked for, in order; "text" where none was."""
        return [request.get("response_format", {}).get("type", "text") for request in self.requests]

    def reply(self, path: str, authorization: str, body: dict[str, Any]) -> Trouble:
        with self._lock:
            self.requests.append(body)
            self.paths.append(path)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
            trouble = self.troubles.pop(0) if self.troubles else None
        try:
            time.sleep(self.delay)
            return (
                trouble or self._refusal(path, authorization, body) or Trouble(body=json.dumps(self._made(path, body)))
            )
        finally:
            with self._lock:
                self.busy -= 1

    def _refusal(self, path: str, authorization: str, body: Body) -> Trouble | None:
        wanted = body.get("response_format", {}).get("type", "text")
        if path not in self.offers:
            return Trouble(404, body="<html>not here</html>", content_type="text/html")
        if authorization != f"Bearer {self.key}":
            return Trouble(401)
        if body["model"] not in self.models:
            return Trouble(404)
        if wanted in self.refuses:
            return Trouble(self.refuses[wanted], body=json.dumps({"error": {"message": f"no {wanted} here"}}))
        for name in self.refuses_settings:
            if name in body:
                return Trouble(400, body=json.dumps({"error": {"message": f"Unsupported parameter: '{name}'"}}))
        return None

    def _made(self, path: str, body: Body) -> dict[str, Any]:
        text = self.answer(body)
        if path == "/pooling":
            data = [{"index": 0, "object": "pooling", "data": json.loads(text)}]
            return {"object": "list", "data": data, "usage": {"prompt_tokens": 11, "total_tokens": 11}}
        if path.endswith("/responses"):
            part = (
                {"type": "refusal", "refusal": self.refusal} if self.refusal else {"type": "output_text", "text": text}
            )
            output = [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": [part]}]
            cut = {"reason": "max_output_tokens"} if self.finish_reason == "length" else None
            usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
            return {"id": "r1", "object": "response", "output": output, "incomplete_details": cut, "usage": usage}
        message = {"role": "assistant", "content": None if self.refusal else text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        named = {"id": "c1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return {**named, "choices": [choice], "usage": usage}


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A running server; programme it through the object that is handed out."""
    model = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made = model.reply(self.path, self.headers.get("Authorization", ""), body)
            data = made.body.encode()
            self.send_response(made.status)
            for name, value in {"Content-Type": made.content_type, **made.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Tests want no log."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that left before the reply (a timeout, a kill) is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    model.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


PART = re.compile(
    r"<<<(?P<name>[^<>\n]+) (?P<code>[0-9a-f]{16})>>>\n(?P<text>.*?)\n<<<end (?P=name) (?P=code)>>>", re.S
)


def parts(body: Body) -> dict[str, str]:
    """The delimited parts of a comparison prompt, by name."""
    return {part["name"]: part["text"] for part in PART.finditer(body["messages"][-1]["content"])}


def rule_grader(body: Body) -> str:
    """A grader by rule: "same" when the candidate shares its words with an accepted explanation, by half at least."""
    found = parts(body)
    candidate = _words(found["candidate explanation"])
    accepted = [_words(text) for name, text in found.items() if re.fullmatch(r"accepted explanation \d+", name)]
    same = any(2 * len(candidate & words) >= len(words) for words in accepted)
    return json.dumps({"analysis": "compared word by word", "verdict": "same" if same else "different"})


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
