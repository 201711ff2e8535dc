"""Labels as annotators give them, for tests of what comes after."""

import uuid
from collections.abc import Mapping

from annotation import submission
from annotation.models import Annotation, Assignment, Project, Solution, User
from annotation.submission import Submission, submit
from annotation.verdicts import Verdict

RIGHT = Verdict(correct=True)


def wrong(step: int, *, category: str = "logic", reason: str = "This does not follow.", rectified: str = "") -> Verdict:
    """An incorrect solution whose first error is at a step (0-based)."""
    return Verdict(correct=False, first_error=step, category=category, reason=reason, rectified=rectified)


def say(solution: Solution, annotator: User, verdict: Verdict, seconds: int = 30) -> Annotation:
    """Submit a label in a free slot of the solution."""
    slot = solution.assignments.filter(annotator=None).first()
    assert slot is not None, "every wanted label of this solution is in"
    return submit(slot.pk, annotator, Submission(uuid.uuid4(), verdict, seconds))


def revise(label: Annotation, verdict: Verdict) -> Annotation:
    """A later revision in the same slot."""
    annotator = label.assignment.annotator
    assert annotator is not None
    return submission.revise(label.assignment_id, annotator, Submission(uuid.uuid4(), verdict))


def solutions_of(project: Project) -> list[Solution]:
    """The solutions of a campaign in the order of import."""
    return list(Solution.objects.filter(problem__project=project).order_by("pk"))


def say_all(project: Project, said: Mapping[int, Mapping[User, Verdict]]) -> list[Solution]:
    """Submit what each annotator says, by the solution's place; returns the solutions."""
    solutions = solutions_of(project)
    for place, labels in said.items():
        for annotator, verdict in labels.items():
            say(solutions[place], annotator, verdict)
    return solutions


def open_slots_of(project: Project) -> int:
    """How many slots still want a label."""
    return Assignment.objects.filter(solution__problem__project=project, submitted_at=None).count()
