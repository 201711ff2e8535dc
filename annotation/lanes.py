"""How many calls a server is given at once: fewer when it is too slow for so many, more again as it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from annotation.protocols import TooSlow

_TOO_OFTEN = 0.1  # the share of calls without an answer in time that tells a burdened server from a lost packet


class Lanes:
    """At most `most` calls at once, within one event loop.

    Half as many as were too slow go on, and then one more after each round that went well, up to one less than was
    too many before: a server that works on one request at a time would never finish what it began for the others.
    """

    def __init__(self, most: int) -> None:
        self.open = most
        self._too_many = most + 1
        self._busy = self._good = self._slow = self._changes = 0
        self._freed = asyncio.Event()

    async def run[Result](self, call: Callable[[], Awaitable[Result]]) -> Result:
        """The result of the call, which begins when there is room. Raises: what the call raises."""
        while self._busy >= self.open:
            self._freed.clear()
            await self._freed.wait()
        self._busy += 1
        changes = self._changes
        try:
            result = await call()
        except TooSlow:
            if changes == self._changes:  # else the burden was another when it began
                self._narrow()
            raise
        else:
            self._widen()
            return result
        finally:
            self._busy -= 1
            self._freed.set()

    def _narrow(self) -> None:
        self._slow += 1
        if self._busy > 1 and self._slow >= _TOO_OFTEN * (self._good + self._slow):
            self._too_many = self.open
            self._change(self._too_many // 2)

    def _widen(self) -> None:
        self._good += 1
        if self._good >= 4 * self.open:
            self._good, self._slow = self._good // 2, self._slow // 2
        if self._good >= self.open and not self._slow and self.open + 1 < self._too_many:
            self._change(self.open + 1)

    def _change(self, lanes: int) -> None:
        self.open = lanes
        self._good = self._slow = 0
        self._changes += 1
