"""Counts that are slow on large campaigns, remembered for a while in proportion to what they cost."""

from collections.abc import Callable
from hashlib import sha256
from time import perf_counter

from django.core.cache import cache

WORTH_REMEMBERING = 1.0  # seconds; quicker counts are always fresh
TIMES_AS_LONG = 60


def remembered[T](key: str, count: Callable[[], T]) -> T:
    """The count, fresh when it is quick; one that took t seconds is given out again for up to 60 t seconds."""
    key = "count-" + sha256(key.encode()).hexdigest()
    kept: T | None = cache.get(key)
    if kept is not None:
        return kept
    begun = perf_counter()
    found = count()
    took = perf_counter() - begun
    if took > WORTH_REMEMBERING:
        cache.set(key, found, took * TIMES_AS_LONG)
    return found
