"""Which step a judge means: "3", "Step 3: ...", "**Step 3**", "\\text{paragraph_3}", a code line, "Steps 3-4"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.sources.records import StepRecord

MINUS_SIGNS = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"))

_WRAPPED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boxed)\s*\{([^{}]*)\}")
_NOTHING = re.compile(
    r"(?:n/?a|none|null|nil|no (?:such )?(?:error|mistake|step)s?|no first error|not applicable|-1|-*)[. ]*"
)
_NUMBERED = re.compile(
    r"(?:(?:the )?(?:first )?(?:(?:error|mistake) )?(?:is |occurs |appears )?(?:in |at |on )?(?:the )?)"
    r"(?P<noun>(?:step|paragraph|line)s?(?: number| no\.?)?)?[\s_#:]*"
    r"(?P<sign>-?)(?P<label>\d+(?:\.(?!0+\b)\d+)*[a-z]?)(?:\.0+)?(?![\w/%*^=])(?P<rest>.*)",
    re.DOTALL,
)
_BARE = re.compile(
    r"(?:(?:the )?(?:first )?(?:error|mistake) (?:is |occurs |appears )?(?:in |at |on ))?"
    r"(?:step|paragraph|line)s?(?![a-z]).*|[\d.,\s&-]+|\d+[a-z]"
)
_SUM = re.compile(r"\s*[+*/=^%<>]")
_MORE = re.compile(r"(?:,|-|to\b|and\b|or\b|&|/|through\b)\s*(?:(?:step|paragraph|line)s?[\s_]*)?\d")


@dataclass(frozen=True, slots=True)
class StepReference:
    """`position` is 0-based, None when no single step is meant; `given` tells whether anything was named at all."""

    position: int | None
    given: bool
    flags: tuple[str, ...] = ()


NO_STEP = StepReference(None, given=False)


def find_step(text: str, steps: Sequence[StepRecord], base: int | None = None) -> StepReference:
    """The step a text names, found among the steps of the item.

    A number is a printed label, else the position + 1; with a declared `base` (0 or 1) it is a position from there.
    Flags: step_out_of_range, ambiguous_step (several are named), step_unclear, repeated_label (the first is taken).
    """
    found = _same_line(text, steps)
    plain = _plain(text)
    labels = [] if base is not None else [_plain(step.label) for step in steps]
    if found is None and plain and plain in labels:
        found = _first(labels, plain)
    if found is None:
        found = (
            NO_STEP if _NOTHING.fullmatch(plain) else _numbered(plain, labels, 1 if base is None else base, len(steps))
        )
    return found


def _numbered(plain: str, labels: Sequence[str], base: int, n_steps: int) -> StepReference:
    found = _NUMBERED.match(plain)
    if found is None or _SUM.match(found["rest"]):
        return StepReference(None, given=True, flags=("step_unclear",))
    if _MORE.match(found["rest"].strip()):
        return StepReference(None, given=True, flags=("ambiguous_step",))
    number = found["sign"] + found["label"]
    return _first(labels, number) if number in labels else at_position(_position(number, base), n_steps)


def is_bare_step(text: str) -> bool:
    """Whether a text is a step and nothing else: "3" and "Step 3: wrong sum", but not "3 apples"."""
    return bool(_BARE.fullmatch(_plain(text)))


def at_position(position: int | None, n_steps: int) -> StepReference:
    """The step at a 0-based position, if there is one."""
    if position is None or not 0 <= position < n_steps:
        return StepReference(None, given=True, flags=("step_out_of_range",))
    return StepReference(position, given=True)


def _same_line(text: str, steps: Sequence[StepRecord]) -> StepReference | None:
    """Judges of code repeat the faulty line itself."""
    wanted = text.strip().strip("`").strip()
    lines = [step.text.strip() if step.kind == "code" else "" for step in steps]
    return _first(lines, wanted) if wanted and wanted in lines else None


def _first(names: Sequence[str], wanted: str) -> StepReference:
    flags = ("repeated_label",) if names.count(wanted) > 1 else ()
    return StepReference(names.index(wanted), given=True, flags=flags)


def seen(text: str) -> str:
    """A text without the characters that nobody sees and that would part a word in two."""
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf")


def _plain(text: str) -> str:
    """Lower case without mark-up, with one kind of minus and of digits."""
    plain = unicodedata.normalize("NFKC", seen(text)).translate(MINUS_SIGNS)
    for _ in range(3):  # \boxed{\text{...}} is as deep as it gets
        plain = _WRAPPED.sub(r"\1", plain)
    return re.sub(r"[*`$\"'{}\[\]()<>\\]|(?<!\w)_|_(?!\w)", "", plain).strip().lower()


def _position(label: str, base: int) -> int | None:
    return int(label) - base if re.fullmatch(r"-?\d{1,6}", label) else None
