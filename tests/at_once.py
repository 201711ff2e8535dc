"""Acts that start together, each in a thread with a database connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def at_once(*acts: Callable[[], object], refusals: type[Exception] | tuple[type[Exception], ...] = ()) -> list[object]:
    """What each act returned, or the refusal it raised, in the order of the acts."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        gate.wait()
        try:
            return act()
        except refusals as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
