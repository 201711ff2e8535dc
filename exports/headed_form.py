"""The headed form of an answer: which text stands under which heading."""

from __future__ import annotations

import re

_HEADING = re.compile(
    r"^[ \t>#*_\-]{0,12}(?:\d{1,2}[.)][ \t]{0,4})?[*_]{0,3}(?:"
    r"(?P<reason>error reason|error analysis|reason(?: for the error)?)|"
    r"(?P<rectified>(?:rectified|corrected)(?: first error)? step)|"
    r"(?P<correct>(?:solution )?correctness|(?:final )?(?:judge?ment|verdict))|"
    r"(?P<step>first (?:error|erroneous|incorrect|wrong) (?:step|line|paragraph)|error step)|"
    r"(?P<analysis>(?:solution )?analysis))\b[*_]{0,3}[ \t]{0,4}(?P<colon>[:\uff1a])?[*_]{0,3}[ \t]*(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT_LINE = re.compile(r"^[^\n\w]{0,12}solution correctness[^\n]*", re.IGNORECASE | re.MULTILINE)
_NEXT_HEADING = re.compile(  # where all of the form stands on the line of the verdict
    r"[ \t,;|]+(?=[*_]{0,3}(first error step|error reason|rectified(?: first error)? step)"
    r"[*_]{0,3}[ \t]{0,4}[:\uff1a])",
    re.IGNORECASE,
)
_FIELDS = ("correct", "step", "reason", "rectified", "analysis")


def _parted(line: re.Match[str]) -> str:
    """A line that holds the whole form, with a line for each heading; one that comes again is the reason's."""
    met = set[str]()

    def part(heading: re.Match[str]) -> str:
        name = heading[1].lower()
        again = name in met
        met.add(name)
        return heading[0] if again else "\n"

    return _NEXT_HEADING.sub(part, line[0])


def fields_of(text: str) -> dict[str, list[str]]:
    """All values under each of `correct`, `step`, `reason`, `rectified` and `analysis`, in order."""
    text = _VERDICT_LINE.sub(_parted, text)
    fields: dict[str, list[str]] = {name: [] for name in _FIELDS}
    heads = [(name, match) for match in _HEADING.finditer(text) if (name := _heading(match))]
    ends = [*(match.start() for _, match in heads[1:]), len(text)]
    for (name, match), end in zip(heads, ends, strict=False):  # without heads there is one end too many
        fields[name].append(text[match.start("rest") : end].strip())
    return fields


def _heading(match: re.Match[str]) -> str:
    """Which field a line heads; without a colon it must be alone, or followed by nothing but a value."""
    name = next(field for field in _FIELDS if match[field])
    rest = match["rest"].strip()
    if match["colon"] or not rest or (name == "correct" and re.fullmatch(r"(?:in)?correct\W*", rest, re.IGNORECASE)):
        return name
    return (
        name
        if len(rest.split()) <= 2 and name != "correct" and re.match(r"[*_]*(?:step \d|n/a|\d)", rest, re.I)
        else ""
    )
