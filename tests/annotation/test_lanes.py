"""How many calls go at once: fewer for a server that is too slow for so many, more again as it answers."""

import asyncio
from collections.abc import Awaitable, Callable

from annotation.lanes import Lanes
from annotation.protocols import TooSlow


async def good() -> str:
    return "fine"


async def slow() -> str:
    raise TooSlow


def together(lanes: Lanes, *calls: Callable[[], Awaitable[str]]) -> Awaitable[list[str | BaseException]]:
    """All calls at once: none ends before all that have room have begun."""

    def held(call: Callable[[], Awaitable[str]]) -> Callable[[], Awaitable[str]]:
        async def waits() -> str:
            await asyncio.sleep(0.01)
            return await call()

        return waits

    return asyncio.gather(*(lanes.run(held(call)) for call in calls), return_exceptions=True)


def test_no_more_go_at_once_than_there_are_lanes() -> None:
    busy, most = 0, 0

    async def counted() -> str:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0)
        busy -= 1
        return "fine"

    async def all_of_them() -> list[str | BaseException]:
        return await together(Lanes(3), *[counted] * 10)

    assert asyncio.run(all_of_them()) == ["fine"] * 10
    assert most <= 3


def test_a_burst_without_answers_halves_the_lanes_once() -> None:
    async def burst() -> int:
        lanes = Lanes(8)
        await together(lanes, *[good] * 4, *[slow] * 4)
        return lanes.open

    assert asyncio.run(burst()) == 4


def test_lanes_open_again_but_not_to_what_was_too_many() -> None:
    async def recover() -> list[int]:
        lanes, seen = Lanes(8), []
        await together(lanes, *[slow] * 8)
        for _ in range(6):
            seen.append(lanes.open)
            await together(lanes, *[good] * lanes.open)
        return seen

    assert asyncio.run(recover()) == [4, 5, 6, 7, 7, 7]


def test_one_lost_answer_among_many_or_a_call_alone_closes_no_lane() -> None:
    async def lost() -> tuple[int, int]:
        many, alone = Lanes(8), Lanes(8)
        await together(many, *[good] * 20)
        await together(many, *[good] * 4, slow)
        for _ in range(3):
            await together(alone, slow)
        return many.open, alone.open

    assert asyncio.run(lost()) == (8, 8)
