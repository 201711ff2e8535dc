"""What a model answered: the reply, the object inside it, and a cache of replies on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Literal, Self

from annotation.control_words import first_turn

Mode = Literal["json_schema", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
Schema = Mapping[str, Any]

_THINKING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """`parsed` is the object asked for, or None when the text holds none; `tokens` is (prompt, completion).

    `finish` says why it ended: "stop", "length" when it was cut off, or the server's own word.
    """

    text: str
    parsed: Mapping[str, Any] | None
    mode: Mode
    tokens: tuple[int, int] = (0, 0)
    finish: str = "stop"
    refused: bool = False


def object_in(text: str, schema: Schema) -> Mapping[str, Any] | None:
    """The JSON object a reply consists of (fences and thinking aside), if it has all that the schema requires.

    One that says two things under one name says nothing: models held to JSON go on to the other answer as well.
    """
    text = first_turn(_THINKING.sub("", text))
    for candidate in (text, *reversed(_FENCED.findall(text))):
        try:
            found = json.loads(candidate, object_pairs_hook=_at_one)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and all(name in found for name in schema.get("required", ())):
            return found
    return None


def _at_one(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if any(found[name] is not value and found[name] != value for name, value in pairs):
        raise ValueError("a name stands for two different values")
    return found


class ReplyCache:
    """Replies on disk by the hash of everything that shapes them; a damaged entry counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> str:
        return f"{self.folder}/{key[:2]}/{key}.json"

    def get(self, key: str) -> Reply | None:
        try:
            with open(self._path(key), "rb") as file:
                stored = json.loads(file.read())
            prompt, completion = stored["tokens"]
            ended = stored.get("finish", "stop"), stored.get("refused", False)
            return Reply(stored["text"], stored["parsed"], stored["mode"], (prompt, completion), *ended)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Store a reply in one write; what a kill leaves of it is no JSON, and so counts as absent.

        Hundreds of replies a second come here, so it is not written under another name first.
        """
        stored = {name: getattr(reply, name) for name in Reply.__slots__}
        data = json.dumps(stored, ensure_ascii=False).encode("utf-8", "replace")
        path = self._path(key)
        try:
            _write(path, data)
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            _write(path, data)


class ReplyWriter:
    """Puts replies into a cache in a thread of its own: who waits for many answers does not wait for the disk.

    All of them are on disk when the block ends. Raises: OSError at the next `put` or at the end when one cannot be.
    """

    def __init__(self, cache: ReplyCache) -> None:
        self._cache = cache
        self._coming: SimpleQueue[tuple[str, Reply] | None] = SimpleQueue()
        self._failure: OSError | None = None
        self._thread = Thread(target=self._run, name="reply cache", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._coming.put(None)
        self._thread.join()
        if self._failure and kind is None:
            raise self._failure

    def put(self, key: str, reply: Reply) -> None:
        if self._failure:
            raise self._failure
        self._coming.put((key, reply))

    def _run(self) -> None:
        while (entry := self._coming.get()) is not None:
            try:
                self._cache.put(*entry)
            except OSError as error:
                self._failure = error


def _write(path: str, data: bytes) -> None:
    with open(path, "wb", buffering=0) as file:
        file.write(data)
