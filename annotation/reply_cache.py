"""Replies of models kept on disk, so that nothing is paid for twice: one SQLite file that many processes may share."""

from __future__ import annotations

import json
import sqlite3
import time
import weakref
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self

from annotation.replies import Reply

_BATCH, _ATTEMPTS = 200, 100
_GATHER = 0.02  # seconds between two batches: to wake this thread for each of many replies costs more than the writing


class ReplyCache:
    """Replies by the hash of everything that shapes them; a damaged entry counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "replies.sqlite3"
        self._reading: sqlite3.Connection | None = None

    def get(self, key: str) -> Reply | None:
        """The kept reply. Raises: OSError when the file cannot be used."""
        if self._reading is None:
            self._reading = self.opened()
            weakref.finalize(self, self._reading.close)
        try:
            row = self._reading.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self.fault(error) from error
        return _read(row[0]) if row else None

    def opened(self) -> sqlite3.Connection:
        """A connection; the file is made at the first. Raises: OSError."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        try:
            connection = sqlite3.connect(self.file, timeout=60, check_same_thread=False)
            _prepare(connection)
        except sqlite3.Error as error:
            raise self.fault(error) from error
        return connection

    def fault(self, error: sqlite3.Error) -> OSError:
        """In words, with what to do."""
        return OSError(f"The kept replies in {self.file} cannot be used ({error}). Move the file away or name another.")


def _prepare(connection: sqlite3.Connection) -> None:
    """A killed process loses nothing that was committed; only a power failure could."""
    for _attempt in range(_ATTEMPTS):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:  # somebody else is switching a new file over, for which SQLite does not wait
            time.sleep(0.05)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID")


class ReplyWriter:
    """Puts replies into a cache in a thread of its own: who waits for many answers does not wait for the disk.

    All of them are on disk when the block ends. Raises: OSError at the next `put` or at the end when one cannot be.
    """

    def __init__(self, cache: ReplyCache) -> None:
        self._cache = cache
        self._coming: SimpleQueue[tuple[str, Reply] | None] = SimpleQueue()
        self._failure: OSError | None = None
        self._written = 0.0
        self._thread = Thread(target=self._run, name="reply cache", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._coming.put(None)
        self._thread.join()
        if kind is None:
            self._check()

    def put(self, key: str, reply: Reply) -> None:
        self._check()
        self._coming.put((key, reply))

    def _check(self) -> None:
        if self._failure:
            raise OSError(str(self._failure)) from self._failure

    def _run(self) -> None:
        try:
            with closing(self._cache.opened()) as connection:
                while batch := self._batch():
                    _write(connection, batch)
                    self._written = time.monotonic()
        except OSError as error:
            self._failure = error
        except sqlite3.Error as error:
            self._failure = self._cache.fault(error)

    def _batch(self) -> list[tuple[str, Reply]]:
        """A reply that comes alone at once, of many what comes within a moment; empty at the end."""
        entry = self._coming.get()
        batch: list[tuple[str, Reply]] = []
        if entry is not None:
            time.sleep(max(0.0, self._written + _GATHER - time.monotonic()))
        while entry is not None:
            batch.append(entry)
            try:
                entry = self._coming.get_nowait() if len(batch) < _BATCH else None
            except Empty:
                return batch
        if batch and len(batch) < _BATCH:
            self._coming.put(None)  # it was the end, which comes again after this batch
        return batch


_WRITE = """
    INSERT OR REPLACE INTO replies
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)
"""


def _write(connection: sqlite3.Connection, batch: Iterable[tuple[str, Reply]]) -> None:
    """In one statement: between two of them the interpreter changes threads, which costs more than the writing."""
    rows = [[key, json.dumps({name: getattr(reply, name) for name in Reply.__slots__})] for key, reply in batch]
    with connection:
        connection.execute(_WRITE, (json.dumps(rows),))


def _read(text: str) -> Reply | None:
    try:
        stored = json.loads(text)
        prompt, completion = stored["tokens"]
        ended = stored["finish"], stored["refused"]
        return Reply(stored["text"], stored["parsed"], stored["mode"], (prompt, completion), *ended)
    except (ValueError, KeyError, TypeError):
        return None
