"""Gentle doubts about a reason: it copies the step, or speaks of another step than the one chosen."""

import re
from collections.abc import Container
from difflib import SequenceMatcher

NAMED_STEP = re.compile(r"(?:step|line|步骤|第)\s*(\d+[a-z]?)", re.IGNORECASE)
ALIKE = 0.9
LONGEST = 4_000  # comparing longer texts letter by letter would hold the page up


def copies(reason: str, step: str) -> bool:
    """Whether the reason is little more than the step's own words."""
    said, read = " ".join(reason.split()), " ".join(step.split())
    if len(said) < 20 or not read or len(said) > LONGEST or len(read) > LONGEST:
        return False
    return SequenceMatcher(None, said.casefold(), read.casefold(), autojunk=False).ratio() > ALIKE


def other_steps(reason: str, chosen: str, labels: Container[str]) -> list[str]:
    """The numbers of steps the reason names, when the chosen step is not among them; `labels` are those that exist."""
    named = [number for number in NAMED_STEP.findall(reason) if number in labels]
    return [] if chosen in named else sorted(set(named), key=named.index)
