"""Work on one event loop: all of it, not more at once than asked for, and an end that waits for what was begun."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from annotation.at_once import Work, _Crew, work_through

opened: list[str] = []


@asynccontextmanager
async def doing[Piece, Result](work: Work[Piece, Result]) -> AsyncIterator[Work[Piece, Result]]:
    opened.append("open")
    try:
        yield work
    finally:
        opened.append("closed")


async def squared(n: int) -> int:
    await asyncio.sleep(0)
    return n * n


def test_everything_is_done_once_and_what_was_opened_is_closed() -> None:
    opened.clear()
    found = dict(work_through(range(200), doing(squared), concurrency=7))
    assert found == {n: n * n for n in range(200)}
    assert opened == ["open", "closed"]


def test_nothing_to_do() -> None:
    assert list(work_through([], doing(squared), concurrency=3)) == []


def test_a_slow_caller_holds_back_the_work() -> None:
    begun: list[int] = []

    async def work(n: int) -> None:
        begun.append(n)

    arriving = work_through(range(50), doing(work), concurrency=3)
    next(arriving)
    deadline = time.monotonic() + 60
    while len(begun) < 6 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    assert len(begun) == 6
    arriving.close()
    assert len(begun) == 6


def test_what_was_begun_is_finished_when_the_caller_leaves() -> None:
    begun: list[int] = []
    finished: list[int] = []
    release = threading.Event()

    async def work(n: int) -> None:
        begun.append(n)
        if n:
            await asyncio.to_thread(release.wait, 60)
        finished.append(n)

    arriving = work_through(range(10), doing(work), concurrency=2)
    next(arriving)
    threading.Timer(0.1, release.set).start()
    arriving.close()
    assert sorted(finished) == sorted(begun)
    assert 2 <= len(begun) < 10


def test_who_waits_for_room_is_not_forgotten_when_another_finds_some() -> None:
    """The caller makes room, another takes it before the caller has looked whether anybody waits."""

    async def meeting() -> bool:
        crew = _Crew(iter(range(9)), doing(squared), 1)
        crew._room, crew._loop = asyncio.Event(), asyncio.get_running_loop()
        crew._taken = 2
        first = asyncio.create_task(crew._has_room())
        await asyncio.sleep(0)
        crew._handed += 1
        await crew._has_room()
        crew._taken += 1
        crew._wake()
        crew.handed_out()
        await asyncio.wait([first], timeout=5)
        return first.done()

    assert asyncio.run(meeting())


def test_a_caller_that_is_on_an_event_loop_may_ask_too() -> None:
    async def caller() -> dict[int, int]:
        return dict(work_through(range(3), doing(squared), concurrency=2))

    assert asyncio.run(caller()) == {0: 0, 1: 1, 2: 4}


def test_an_exception_of_the_work_or_of_its_source_reaches_the_caller() -> None:
    async def broken(n: int) -> int:
        if n == 3:
            raise KeyError(n)
        return n

    def source() -> Iterator[int]:
        yield 1
        raise RuntimeError("no more")

    with pytest.raises(KeyError):
        list(work_through(range(10), doing(broken), concurrency=2))
    with pytest.raises(RuntimeError, match="no more"):
        list(work_through(source(), doing(squared), concurrency=2))
