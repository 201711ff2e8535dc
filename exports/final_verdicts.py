"""From decisions and labels to the records of a release."""

import re
from collections.abc import Iterator
from typing import Any

from django.db.models import Prefetch, QuerySet

from annotation.models import Annotation, AnswerKey, Project, Solution, Step, User
from annotation.sources.records import (
    GoldRecord,
    Option,
    ProblemRecord,
    SolutionRecord,
    StepRecord,
)
from review.discussion import NAMED
from review.models import AcceptedReason, Adjudication, Comment, Outcome

CHUNK = 500


def gold_decisions(project: Project) -> QuerySet[Adjudication]:
    """The standing gold decisions of a campaign with all that a release copies, in the order of import."""
    return (
        Adjudication.objects.current()
        .filter(solution__problem__project=project, solution__settled_at__isnull=False, outcome=Outcome.GOLD)
        .select_related("solution__problem")
        .prefetch_related(
            Prefetch("solution__steps", Step.objects.order_by("position")),
            Prefetch("solution__problem__answer_keys", AnswerKey.objects.order_by("version")),
            Prefetch("accepted_reasons", AcceptedReason.objects.order_by("ordinal")),
        )
        .order_by("solution_id")
    )


def gold_records(project: Project) -> Iterator[SolutionRecord]:
    """Every gold solution as a plain record."""
    for decision in gold_decisions(project).iterator(chunk_size=CHUNK):
        yield record_of(decision)


def record_of(decision: Adjudication) -> SolutionRecord:
    """One decided solution as a plain record; the decision's own reason comes first among the accepted ones."""
    solution, verdict = decision.solution, decision.verdict
    further = [(more.reason, more.rectified) for more in decision.accepted_reasons.all()]
    own = [(verdict.reason, verdict.rectified)] if verdict.reason or verdict.rectified else []
    return SolutionRecord(
        problem=_problem(solution),
        sampled_from=solution.sampled_from,
        raw_text=solution.raw_text,
        steps=tuple(_step(step) for step in solution.steps.all()),
        where=solution.item_id,
        ordinal=solution.ordinal,
        final_answer=solution.final_answer,
        provenance=solution.provenance,
        gold=GoldRecord(verdict, tuple(own + further), decision.basis),
    )


def _problem(solution: Solution) -> ProblemRecord:
    problem = solution.problem
    return ProblemRecord(
        source=problem.source,
        external_id=problem.external_id,
        question=problem.question,
        subject=problem.subject,
        level=problem.level,
        options=tuple(Option(option["label"], option["text"]) for option in problem.options),
        answer_keys=tuple(tuple(key.accepted) for key in problem.answer_keys.all()),
        reference_solution=problem.reference_solution,
        text_format=problem.text_format,  # type: ignore[arg-type]
        extra=problem.extra,
    )


def _step(step: Step) -> StepRecord:
    return StepRecord(step.text, step.start, step.end, step.label, step.kind)  # type: ignore[arg-type]


def votes(project: Project) -> Iterator[dict[str, Any]]:
    """Every annotator's current label of the decided solutions, under pseudonyms that stay within the campaign."""
    rows = Annotation.objects.current().filter(
        assignment__solution__problem__project=project, assignment__solution__settled_at__isnull=False
    )
    people = rows.order_by("assignment__annotator_id").values_list("assignment__annotator_id", flat=True).distinct()
    pseudonyms = {pk: f"a{n}" for n, pk in enumerate(people, start=1)}
    ordered = rows.select_related("assignment__solution").order_by(
        "assignment__solution_id", "assignment__annotator_id"
    )
    for row in ordered.iterator(chunk_size=CHUNK):
        slot = row.assignment
        yield {
            "id": slot.solution.item_id, "annotator": pseudonyms[slot.annotator_id or 0], **row.verdict.as_dict()
        }  # fmt: skip


def left_out(project: Project) -> Iterator[dict[str, str]]:
    """Every solution that the release does not hold as an item, and why."""
    standing = {
        row.solution_id: row for row in Adjudication.objects.current().filter(solution__problem__project=project)
    }
    for solution in Solution.objects.filter(problem__project=project).order_by("pk").iterator(chunk_size=CHUNK):
        decision = standing.get(solution.pk)
        if decision is None:
            yield {"id": solution.item_id, "outcome": "undecided", "why": ""}
        elif decision.outcome != Outcome.GOLD:
            yield {"id": solution.item_id, "outcome": decision.outcome, "why": decision.rationale}


def discussion(project: Project) -> Iterator[dict[str, str]]:
    """What was said of the released items, under pseudonyms, when the policy wants it."""
    if not project.export_discussion:
        return
    rows = Comment.objects.filter(project=project, solution__settled_at__isnull=False).select_related("solution")
    said = {name for text in rows.values_list("text", flat=True).iterator() for name in NAMED.findall(text)}
    logins = dict(User.objects.filter(username__in=said).values_list("username", "pk"))
    people = sorted({*rows.values_list("author_id", flat=True), *logins.values()})
    pseudonyms = {pk: f"p{n}" for n, pk in enumerate(people, start=1)}

    def hidden(named: re.Match[str]) -> str:
        return f"@{pseudonyms[logins[named[1]]]}" if named[1] in logins else named[0]

    for row in rows.order_by("solution_id", "pk").iterator(chunk_size=CHUNK):
        if row.solution:
            text = NAMED.sub(hidden, row.text)
            yield {"id": row.solution.item_id, "author": pseudonyms[row.author_id], "text": text}
