"""Two texts compared word by word."""

import re
from difflib import SequenceMatcher

TOKEN = re.compile(r"\s+|[\u3400-\u9fff]|[A-Za-z0-9_$\\]+|\S")
LONGEST = 4_000  # tokens; longer texts are given as all different


def compared(first: str, second: str) -> list[tuple[str, bool]]:
    """The pieces of the second text in order, each with whether the first text has it at that place too."""
    a, b = TOKEN.findall(first), TOKEN.findall(second)
    if len(a) > LONGEST or len(b) > LONGEST:
        return [(second, False)]
    pieces = []
    for tag, _i1, _i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if j2 > j1:
            pieces.append(("".join(b[j1:j2]), tag == "equal"))
    return pieces
