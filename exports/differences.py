"""How differences and p-values are printed, on pages and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

NONE = "–"


def points(value: float | None, interval: Sequence[float] | None = None) -> str:
    """A difference of shares in percentage points with its sign, as +1.2 (-0.3 to +2.7); no sign at 0."""
    if value is None:
        return NONE
    return _signed(value) + (f" ({_signed(interval[0])} to {_signed(interval[1])})" if interval else "")


def unsigned_points(value: float) -> str:
    """The size of a difference of shares in percentage points."""
    return f"{100 * abs(value):.1f}"


def p_value(value: float | None) -> str:
    """A p-value with three places and no leading nought; the smallest are only bounded, since no p is 0."""
    return NONE if value is None else "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    told = f"{100 * value:z.1f}"
    return told if told.startswith("-") or told == "0.0" else f"+{told}"
