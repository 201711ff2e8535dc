"""The example campaign: imported, labelled, partly decided, released and graded, as a visitor would have done it."""

import json
from typing import Any

from django.utils.translation import gettext as _

from annotation import guidelines
from annotation.models import Project, Role, Solution, User
from annotation.projects import create_project
from annotation.verdicts import Verdict
from exports.judging import grade_run
from exports.models import Release
from exports.releases import freeze
from fixtures.files import DECISIONS, EXAMPLE, GUIDELINE, JUDGE_REASONS, JUDGES
from review import adjudication, published
from review.adjudication import Decision, decide
from review.disagreements import current_labels
from review.models import Outcome, SampleLook

SLUG = "example"
ANNOTATORS = ("ana", "ben", "chen")
LEAD, ADMIN = "lena", "admin"


def make_accounts(password: str) -> dict[str, User]:
    """The example logins; what exists already keeps its password."""
    roles = {**dict.fromkeys(ANNOTATORS, Role.ANNOTATOR), LEAD: Role.LEAD, ADMIN: Role.ADMIN}
    people = {}
    for name, role in roles.items():
        person, made = User.objects.get_or_create(username=name, defaults={"role": role})
        if made:
            person.set_password(password)
            person.save()
        people[name] = person
    return people


def load(people: dict[str, User]) -> Project:
    """Make the example campaign if it is not there."""
    project = Project.objects.filter(slug=SLUG).first()
    if project:
        return project
    project = Project(
        slug=SLUG, name=_("Example: science, step by step"), overlap=3, daily_goal=20,
        description=_("A small set of our own: problems from seven subjects, solved by three made-up models."),
    )  # fmt: skip
    create_project(project, [people[name] for name in ANNOTATORS])
    lead = people[LEAD]
    guidelines.publish(project, GUIDELINE.read_text(encoding="utf-8"), _("First version."), lead)
    reading = published.read(EXAMPLE.read_bytes(), EXAMPLE.name, "stepmark")
    published.import_file(project, reading, lead, labels="annotations")
    _confirm_consensus(project, lead)
    _decide(project, lead)
    release = freeze(project, "1.0.0", _("First release of the example."), lead)
    _grade(release, lead)
    return project


def _confirm_consensus(project: Project, lead: User) -> None:
    confirmation = adjudication.begin_confirmation(project, lead)
    for look in confirmation.looks.all():
        adjudication.record_look(look, SampleLook.Finding.AGREES)
    adjudication.confirm(confirmation)


def _decide(project: Project, lead: User) -> None:
    for line in DECISIONS.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            stated = json.loads(line)
            solution = Solution.objects.get(problem__project=project, item_id=stated["id"])
            decide(solution, lead, _decision(solution, stated))


def _decision(solution: Solution, stated: dict[str, Any]) -> Decision:
    outcome = Outcome(stated["outcome"])
    labels = {label.assignment.annotator.username: label for label in current_labels([solution])[solution.pk]}  # type: ignore[union-attr]
    adopted = labels.get(stated.get("adopt") or "")
    verdict = Verdict.from_mapping(stated) if "correct" in stated else adopted.verdict if adopted else None
    if outcome != Outcome.GOLD:
        adopted = verdict = None
    return Decision(
        outcome, verdict, adopted, cause=stated.get("cause", ""), rationale=stated.get("rationale", "")
    )  # fmt: skip


def _grade(release: Release, lead: User) -> None:
    for name, path in JUDGES.items():
        grade_run(release, name, path.read_bytes(), lead, reasons_file=JUDGE_REASONS[name].read_bytes())
