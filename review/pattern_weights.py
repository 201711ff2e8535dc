"""Bootstrap samples by distinct patterns: how often each is drawn. Needs numpy alone, for a quick console script."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from review.counting import Counts, Floats

CELLS_AT_ONCE = 2_000_000


def pattern_weights(frequencies: Counts, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """How often each pattern occurs in each resample, in blocks of resamples x patterns."""
    n_patterns, total = len(frequencies), int(frequencies.sum())
    # One multinomial draw costs a binomial draw per pattern: with few repeats, drawing clusters one by one is faster.
    by_pattern = n_patterns * 10 <= total
    block = max(1, CELLS_AT_ONCE // n_patterns)
    members = np.repeat(np.arange(n_patterns), frequencies)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if by_pattern:
            yield rng.multinomial(total, frequencies / total, size=size).astype(np.float64)
            continue
        weights = np.empty((size, n_patterns))
        # One resample at a time, so that its counts stay in the processor's cache.
        for row in weights:
            row[:] = np.bincount(members[rng.integers(total, size=total)], minlength=n_patterns)
        yield weights
