"""The records of labelling: people, campaigns, problems, solutions, steps, slots, labels, jobs."""

from annotation.models.audit import Event
from annotation.models.jobs import Job, JobState, Upload
from annotation.models.labels import Annotation, Assignment, StepLabel, StepValue, Verdict, verdict_constraints
from annotation.models.people import Role, User
from annotation.models.problems import (
    AfterError,
    AnswerKey,
    Problem,
    Project,
    Solution,
    Standing,
    Step,
    StepKind,
    TextFormat,
)
from annotation.models.work import Acknowledgement, Draft, Guideline, Report, ReportKind, Skip

__all__ = [
    "Acknowledgement",
    "AfterError",
    "Annotation",
    "AnswerKey",
    "Assignment",
    "Draft",
    "Event",
    "Guideline",
    "Job",
    "JobState",
    "Problem",
    "Project",
    "Report",
    "ReportKind",
    "Role",
    "Skip",
    "Solution",
    "Standing",
    "Step",
    "StepKind",
    "StepLabel",
    "StepValue",
    "TextFormat",
    "Upload",
    "User",
    "Verdict",
    "verdict_constraints",
]
