"""Many waits at once on one event loop, results as they come, and never more in the air than asked for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from queue import SimpleQueue

type Work[Piece, Result] = Callable[[Piece], Awaitable[Result]]


def work_through[Piece, Result](
    pieces: Iterable[Piece], opened: AbstractAsyncContextManager[Work[Piece, Result]], *, concurrency: int
) -> Generator[tuple[Piece, Result]]:
    """Each piece with its result, in the order of completion; `opened` gives the work for as long as it is open.

    The loop runs in a thread of its own, so the caller may have one already, and may take its time: a piece is taken
    while fewer than `concurrency` are being worked on and fewer than twice that many were taken and not handed out.
    What was begun when the caller leaves is finished first. An exception of `pieces` or of the work ends the whole.
    """
    crew = _Crew(iter(pieces), opened, concurrency)
    thread = threading.Thread(target=asyncio.run, args=(crew.run(),), name="model calls", daemon=True)
    thread.start()
    try:
        while batch := crew.done.get():
            for outcome in batch:
                if isinstance(outcome, BaseException):
                    raise outcome
                yield outcome
                crew.handed_out()
    finally:
        crew.dismiss()
        thread.join()


class _Crew[Piece, Result]:
    def __init__(
        self, coming: Iterator[Piece], opened: AbstractAsyncContextManager[Work[Piece, Result]], size: int
    ) -> None:
        self._coming, self._opened, self._size = coming, opened, size
        self._taken, self._handed, self._waiting, self._dismissed = 0, 0, 0, False
        self._ready: list[tuple[Piece, Result] | BaseException] = []
        self.done: SimpleQueue[list[tuple[Piece, Result] | BaseException]] = SimpleQueue()

    async def run(self) -> None:
        self._room, self._loop = asyncio.Event(), asyncio.get_running_loop()
        try:
            async with self._opened as work:
                await asyncio.gather(*(self._go_on(work) for _ in range(self._size)))
        except BaseException as error:
            self._hand_over(error)
        self._put()
        self.done.put([])

    def handed_out(self) -> None:
        """The caller took a result; the loop is woken only if it waits for that, which a quick caller spares it."""
        self._handed += 1
        self._wake()

    def dismiss(self) -> None:
        """Take nothing more."""
        self._dismissed = True
        self._wake()

    def _wake(self) -> None:
        if self._waiting:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._room.set)

    def _full(self) -> bool:
        return not self._dismissed and self._taken - self._handed >= 2 * self._size

    async def _has_room(self) -> None:
        """Whoever makes room looks at `_waiting` afterwards, so it is raised before the last look, each for itself."""
        while self._full():
            self._waiting += 1
            self._room.clear()
            if self._full():
                await self._room.wait()
            self._waiting -= 1

    async def _go_on(self, work: Work[Piece, Result]) -> None:
        try:
            while True:
                await self._has_room()
                taken = None if self._dismissed else next(((piece,) for piece in self._coming), None)
                if taken is None:
                    return
                self._taken += 1
                self._hand_over((taken[0], await work(taken[0])))
        except BaseException as error:
            self._dismissed = True
            self._room.set()
            self._hand_over(error)

    def _hand_over(self, outcome: tuple[Piece, Result] | BaseException) -> None:
        """What comes in one turn of the loop goes to the caller's thread in one piece: a switch of threads is dear."""
        self._ready.append(outcome)
        if len(self._ready) == 1:
            self._loop.call_soon(self._put)

    def _put(self) -> None:
        if self._ready:
            self.done.put(self._ready)
            self._ready = []
