"""Small made-up solutions with gold labels, for tests of grading."""

from __future__ import annotations

from annotation.sources.records import GoldRecord, SolutionRecord, StepRecord
from annotation.sources.records import ProblemRecord as Problem
from annotation.verdicts import Verdict


def steps(*labels: str, kind: str = "step") -> tuple[StepRecord, ...]:
    """One short step for each printed label ("" prints none)."""
    made, start = [], 0
    for position, label in enumerate(labels):
        text = f"Step {label}: line {position}" if label else f"line {position}"
        made.append(StepRecord(text, start, start + len(text), label, "code" if kind == "code" else "step"))
        start += len(text) + 1
    return tuple(made)


def numbered(n: int) -> tuple[StepRecord, ...]:
    """Steps printed as 1 to n."""
    return steps(*(str(number) for number in range(1, n + 1)))


def solution(
    name: str,
    first_error: int | None,
    *,
    subject: str = "math",
    n_steps: int = 4,
    problem: str = "",
    reason: str = "the sum is wrong",
    answer_keys: tuple[tuple[str, ...], ...] = (),
    final_answer: str | None = None,
) -> SolutionRecord:
    """A solution with a gold label; `first_error` is 0-based, None for a correct one. The id comes from `name`."""
    wrong = first_error is not None
    gold = Verdict(not wrong, first_error, reason=reason if wrong else "", rectified="so it goes" if wrong else "")
    cut = numbered(n_steps)
    return SolutionRecord(
        problem=Problem("small", problem or name, f"What is {name}?", subject=subject, answer_keys=answer_keys),
        sampled_from=name,
        raw_text="\n".join(step.text for step in cut),
        steps=cut,
        where="made up",
        final_answer=final_answer,
        gold=GoldRecord(gold, ((gold.reason, gold.rectified),) if gold.reason else ()),
    )
