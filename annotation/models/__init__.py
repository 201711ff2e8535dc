"""The records of labelling: people, campaigns, problems, solutions, steps, slots, labels, jobs."""

from annotation.models.jobs import Job, JobState, Upload
from annotation.models.labels import Annotation, Assignment, Verdict, verdict_constraints
from annotation.models.people import Role, User
from annotation.models.problems import AnswerKey, Problem, Project, Solution, Standing, Step, StepKind, TextFormat

__all__ = [
    "Annotation",
    "AnswerKey",
    "Assignment",
    "Job",
    "JobState",
    "Problem",
    "Project",
    "Role",
    "Solution",
    "Standing",
    "Step",
    "StepKind",
    "TextFormat",
    "Upload",
    "User",
    "Verdict",
    "verdict_constraints",
]
