"""Many pieces of work at once in threads, results as they come, and never more in the air than asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import SimpleQueue


def work_through[Piece, Result](
    pieces: Iterable[Piece],
    work: Callable[[Piece], Result],
    *,
    concurrency: int,
    should_stop: Callable[[], bool] | None = None,
) -> Generator[tuple[Piece, Result]]:
    """Each piece with its result, in the order of completion.

    A piece is taken when fewer than `concurrency` are being worked on or wait to be handed out. What was begun when the
    caller stops is finished first. An exception of `pieces` or `work` ends the whole.
    """
    crew = _Crew(iter(pieces), work, concurrency, should_stop or (lambda: False))
    try:
        yield from crew.results()
    finally:
        crew.dismiss()


class _Crew[Piece, Result]:
    def __init__(
        self, coming: Iterator[Piece], work: Callable[[Piece], Result], size: int, should_stop: Callable[[], bool]
    ) -> None:
        self._coming, self._work, self._should_stop = coming, work, should_stop
        self._taking = threading.Lock()
        self._places = threading.Semaphore(size)
        self._done: SimpleQueue[tuple[Piece, Result] | BaseException | None] = SimpleQueue()
        self._dismissed = False
        self._threads = [threading.Thread(target=self._run, name=f"model-{n}", daemon=True) for n in range(size)]

    def results(self) -> Iterator[tuple[Piece, Result]]:
        started, ended = 0, 0
        for thread in self._threads:
            thread.start()
            started += 1
        while ended < started:
            outcome = self._done.get()
            if outcome is None:
                ended += 1
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome
                self._places.release()

    def dismiss(self) -> None:
        """Take nothing more, and wait for what was begun."""
        self._dismissed = True
        for _ in self._threads:
            self._places.release()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _run(self) -> None:
        try:
            while True:
                self._places.acquire()
                piece = self._next()
                if piece is None:
                    return
                self._done.put((piece[0], self._work(piece[0])))
        except BaseException as error:
            self._done.put(error)
        finally:
            self._places.release()
            self._done.put(None)

    def _next(self) -> tuple[Piece] | None:
        with self._taking:
            if self._dismissed or self._should_stop():
                return None
            for piece in self._coming:
                return (piece,)
            return None
