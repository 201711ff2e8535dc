"""Whether a phrase of a judge calls the solution correct. "incorrect" contains "correct", so only whole words count."""

from __future__ import annotations

import re
from typing import Literal

from exports.step_names import seen

_ABSTAINS = re.compile(
    r"(?:cannot|can't|can not|could not|couldn't|unable to|impossible to) (?:\w+ )?"
    r"(?:decide|determine|tell|judge|verify|say)|"
    r"\b(?:undecided|undetermined|uncertain|unsure|not sure|abstain\w*|unknown|insufficient information|"
    r"do not know|don't know)\b"
)
_HALF = re.compile(r"\b(?:partially|partly|mostly|almost|nearly|half)[ -]+(?:in)?correct\b")
_EITHER = re.compile(r"\b(?:in)?correct ?(?:/|\||\bor\b|\bnor\b) ?(?:in)?correct\b|\bnot (?:incorrect|wrong)\b")
_INCORRECT = r"(?:incorrect|wrong|false|invalid|flawed|erroneous|(?:not|isn't|never) (?:\w+ ){0,2}?correct)\b"
_LEADS_NO = re.compile(rf"(?:(?:the |this )?(?:\w+ ){{0,2}}is )?{_INCORRECT}|no\b(?! (?:error|mistake))")
_NO = re.compile(rf"\b{_INCORRECT}")
_YES = re.compile(r"\b(?:correct|right|true|valid)\b|^yes\b|\bno (?:error|mistake)s?\b")


def read_correct(text: str) -> bool | Literal["abstained"] | None:
    """True, False, "abstained" when the judge says that it cannot tell, None when it says neither or both."""
    plain = seen(text).replace("\u2019", "'").lower()
    plain = re.sub(r"\\text|[*_`\"$\\{}\[\]]", " ", plain).strip(" \t\n.:-")
    if _ABSTAINS.search(plain):
        return "abstained"
    if _HALF.search(plain) or _EITHER.search(plain):
        return None
    if _LEADS_NO.match(plain):  # "Incorrect, the correct answer is B"
        return False
    no, yes = bool(_NO.search(plain)), bool(_YES.search(_NO.sub(" ", plain)))
    return None if no == yes else yes
