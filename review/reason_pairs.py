"""Do two annotators' reasons say the same? A model may hint, a lead says; the hint never decides."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from django.utils import timezone

from annotation.llm import Endpoint
from annotation.models import Annotation, Solution, User
from review.comparison import PROMPT_VERSION, Case, compare
from review.models import ReasonPair


def pairs_of(labels: Sequence[Annotation]) -> list[tuple[Annotation, Annotation]]:
    """The pairs of labels that name the same step and both give a reason."""
    wrong = [label for label in labels if not label.correct and label.reason.strip()]
    return [(a, b) for a, b in combinations(wrong, 2) if a.first_error == b.first_error]


def case_of(solution: Solution, first: Annotation, second: Annotation) -> Case:
    """The second reason as the candidate against the first."""
    problem = solution.problem
    return Case(
        question=problem.question,
        options=tuple(f"{option['label']}: {option['text']}" for option in problem.options),
        steps=tuple((step.label or str(step.position + 1), step.text) for step in solution.steps.all()),
        first_error=first.first_error or 0,
        placement=first.placement,
        accepted=((first.reason, first.rectified),),
        reason=second.reason,
        rectified=second.rectified,
    )


def hint(solution: Solution, labels: Sequence[Annotation], endpoint: Endpoint) -> list[ReasonPair]:
    """Ask the model about every pair that has no hint yet."""
    return [_hint(solution, first, second, endpoint.model, endpoint.complete) for first, second in pairs_of(labels)]


def _hint(
    solution: Solution, first: Annotation, second: Annotation, model: str, complete: Callable[..., Any]
) -> ReasonPair:  # fmt: skip
    row, _made = ReasonPair.objects.get_or_create(first=first, second=second)
    if row.hinted_at is None:
        found = compare(case_of(solution, first, second), complete)
        row.hint_same, row.hint_explanation = found.same, found.explanation
        row.model, row.prompt_version, row.hinted_at = model, PROMPT_VERSION, timezone.now()
        row.save()
    return row


def judge(first: Annotation, second: Annotation, lead: User, *, same: bool) -> ReasonPair:
    """Record what a lead says of a pair, and whether a hint was on the screen when they said it."""
    row, _made = ReasonPair.objects.get_or_create(first=first, second=second)
    row.lead_same, row.lead, row.judged_at = same, lead, timezone.now()
    row.hint_was_shown = row.hinted_at is not None
    row.save()
    return row
