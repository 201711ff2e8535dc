"""A small campaign decided up to a release, for tests of what comes after."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import Project, Solution, User
from exports.models import Release
from exports.releases import freeze
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import RIGHT, say_all, wrong


@dataclass(frozen=True)
class Campaign:
    """Six solutions: gold correct, gold wrong at the second step twice, discarded, kept open, undecided."""

    project: Project
    solutions: list[Solution]
    lead: User

    def freeze(self, version: str = "1.0.0") -> Release:
        return freeze(self.project, version, "Notes.", self.lead)


def decided_campaign(
    make_project: Callable[..., Project], annotators: list[User], lead: User, slug: str = "trial"
) -> Campaign:
    """Label and decide a campaign."""
    ana, ben, _chen = annotators
    project = make_project(6, slug=slug)
    solutions = say_all(
        project,
        {
            0: {ana: RIGHT, ben: RIGHT},
            1: {ana: wrong(1, reason="One and one is two."), ben: wrong(1, reason="It should be two.")},
            2: {ana: RIGHT, ben: wrong(1, reason="The sign is lost.")},
            3: {ana: RIGHT, ben: wrong(0)},
            4: {ana: wrong(0), ben: wrong(1)},
            5: {ana: RIGHT},
        },
    )
    decide(solutions[0], lead, Decision(Outcome.GOLD, RIGHT))
    decide(solutions[1], lead, Decision(Outcome.GOLD, wrong(1, reason="One and one is two.")))
    decide(solutions[2], lead, Decision(Outcome.GOLD, wrong(1, reason="The sign is lost."), cause="slip"))
    decide(solutions[3], lead, Decision(Outcome.DISCARDED, rationale="Cut off."))
    decide(solutions[4], lead, Decision(Outcome.OPEN, rationale="Ask the physicist."))
    return Campaign(project, solutions, lead)
