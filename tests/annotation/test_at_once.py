"""Work in threads: all of it, not more at once than asked for, and an end that waits for what was begun."""

import threading
import time
from collections.abc import Iterator

import pytest

from annotation.at_once import work_through


def test_everything_is_done_once() -> None:
    found = dict(work_through(range(200), lambda n: n * n, concurrency=7))
    assert found == {n: n * n for n in range(200)}


def test_nothing_to_do() -> None:
    assert list(work_through([], str, concurrency=3)) == []


def test_a_slow_caller_holds_back_the_workers() -> None:
    begun: list[int] = []
    arriving = work_through(range(50), begun.append, concurrency=3)
    next(arriving)
    time.sleep(0.1)
    assert len(begun) <= 3
    arriving.close()
    assert len(begun) <= 4


def test_what_was_begun_is_finished_when_the_caller_leaves() -> None:
    finished: list[int] = []
    release = threading.Event()

    def work(n: int) -> None:
        if n:
            release.wait(5)
        finished.append(n)

    arriving = work_through(range(10), work, concurrency=2)
    next(arriving)
    threading.Timer(0.1, release.set).start()
    arriving.close()
    assert finished[:2] == [0, 1]
    assert len(finished) <= 3


def test_an_exception_of_the_work_or_of_its_source_reaches_the_caller() -> None:
    def broken(n: int) -> int:
        if n == 3:
            raise KeyError(n)
        return n

    def source() -> Iterator[int]:
        yield 1
        raise RuntimeError("no more")

    with pytest.raises(KeyError):
        list(work_through(range(10), broken, concurrency=2))
    with pytest.raises(RuntimeError, match="no more"):
        list(work_through(source(), broken, concurrency=2))
