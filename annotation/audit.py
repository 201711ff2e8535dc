"""The log of acts: written by the rules, read by leads, changed by nobody."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import Event, Problem, Project, Solution, User

ACTS = {
    "submitted": _("submitted a label"),
    "revised": _("revised their label"),
    "skipped": _("skipped it"),
    "skip-taken-back": _("offered a skipped item again"),
    "reported": _("reported it"),
    "report-closed": _("answered a report"),
    "decided": _("decided it"),
    "seconded": _("seconded the decision"),
    "confirmed": _("confirmed the consensus"),
    "returned": _("returned it with a question"),
    "return-closed": _("ended the wait for answers"),
    "asked-for-more": _("asked for one more blind label"),
    "rechecked": _("decided it again, blind"),
    "commented": _("commented"),
    "key-proposed": _("proposed another answer key"),
    "key-accepted": _("accepted the answer key"),
    "key-refused": _("refused the answer key"),
    "reopened": _("reopened it"),
    "imported": _("imported a file"),
    "policy-changed": _("changed the policy"),
    "guideline-published": _("put a guideline in force"),
    "released": _("froze a release"),
    "graded": _("graded a judge"),
    "checked": _("settled a check of reasons"),
}
PARTICULARS = {
    "accepted": _("accepted answers"),
    "annotator": _("annotator"),
    "answer": _("answer"),
    "basis": _("basis"),
    "batch_size": _("items at once"),
    "category": _("category"),
    "changed": _("changed"),
    "changes": _("what changed"),
    "clause": _("guideline clause"),
    "comment": _("comment"),
    "confirmation": _("confirmation"),
    "content_hash": _("content hash"),
    "correct": _("correct"),
    "first_error": _("first erroneous step"),
    "item": _("item"),
    "judge": _("judge"),
    "kind": _("what is wrong"),
    "labels": _("published labels"),
    "missing_labels": _("labels missing"),
    "new": _("new solutions"),
    "note": _("note"),
    "outcome": _("outcome"),
    "placement": _("where the fault is"),
    "question": _("question"),
    "reason": _("reason"),
    "records": _("records"),
    "rectified": _("rectified step"),
    "release": _("release"),
    "revision": _("revision"),
    "same": _("the same"),
    "standing": _("standing"),
    "text": _("text"),
    "version": _("version"),
    "why": _("why"),
}


def record(
    act: str, actor: User, project: Project, *, solution: Solution | None = None, problem: Problem | None = None,
    **detail: Any,
) -> Event:  # fmt: skip
    """Write one act down, in the transaction of the rule that does it."""
    if act not in ACTS:
        raise ValueError(f"{act!r} is no act of the log.")
    about = solution.problem if solution else problem
    return Event.objects.create(
        act=act, actor=actor, project=project, solution=solution, problem=about, detail=detail
    )  # fmt: skip


def record_many(act: str, actor: User, project: Project, solutions: Iterable[int], **detail: Any) -> None:
    """Write the same act down for many solutions."""
    rows = Solution.objects.filter(pk__in=list(solutions)).values_list("pk", "problem")
    Event.objects.bulk_create(
        (
            Event(act=act, actor=actor, project=project, solution_id=pk, problem_id=problem, detail=detail)
            for pk, problem in rows
        ),
        batch_size=500,
    )


def of_item(solution: Solution) -> QuerySet[Event]:
    """What happened to an item and to its problem as a whole, newest first."""
    about = Q(solution=solution) | Q(problem=solution.problem_id, solution=None)
    return Event.objects.filter(about).select_related("actor").order_by("-pk")
