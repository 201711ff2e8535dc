"""Every address of the site, and a small world in which each of them leads somewhere."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLResolver, get_resolver

from annotation import reports
from annotation.assignments import claim_next
from annotation.models import Project, ReportKind, Role, Solution, User
from annotation.submission import Submission, submit
from annotation.uploads import keep
from exports.models import HumanCheck, JudgeRun, RunComparison
from exports.releases import freeze
from exports.tasks import start_grading
from fixtures.files import EXAMPLE
from review import keys, rechecks
from review.adjudication import Decision, begin_confirmation, decide
from review.models import Outcome
from review.tasks import start_import
from tests.labels import RIGHT, say, wrong

SECRET = "Seven times eight is fifty-six."
SECRET_STEP = "Write fifty-six instead."
HIDDEN = "what-the-file-said-of-the-first-error"
NAMES = {
    "/files/": "items.jsonl", "/as/": "mr-ben", "/formats/": "mr-ben", "/tables/": "correctness",
    "/pictures/": "correctness", "/report.": "json", "/plots/": "subjects",
}  # fmt: skip
A_FLIP = "api/projects/<slug:slug>/releases/<str:version>/comparisons/<int:pk>/items/"
OF_A_QUESTION = ("units.csv", "coincidences.csv", "agreement/items/")


def addresses(resolver: URLResolver | None = None, prefix: str = "") -> list[str]:
    """Every route of the site as it is written in the url modules."""
    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        found += addresses(pattern, route) if isinstance(pattern, URLResolver) else [route]
    return found


@dataclass
class World:
    """One campaign `trial` at work.

    Solution 0: ben has submitted SECRET, ana holds it. 1: ana and ben agree. 2: ben and chen differ.
    3: decided, and released as 1.0.0 with one judge's run. `pks` names the rows that addresses ask for.
    """

    project: Project
    people: dict[str, User]
    solutions: list[Solution]
    pks: dict[str, int] = field(default_factory=dict)

    def filled(self, route: str, pk: str = "") -> str:
        """The address of a route; `pk` names the row it is about."""
        values = {
            "<slug:slug>": "trial", "<str:version>": "1.0.0", "<slug:item_id>": self.solutions[0].item_id,
            "<path:rest>": "no/such",
            "<str:name>": next((name for part, name in NAMES.items() if part in route), ""),
        }  # fmt: skip
        if "<int:check_pk>" in route:
            values["<int:check_pk>"] = str(self.pks["check"])
        if "<int:pk>" in route:
            values["<int:pk>"] = str(self.pks[pk])
        query = "?question=correctness" if route.endswith(OF_A_QUESTION) else ""
        query = "?kind=verdict&flip=broken" if route == A_FLIP else query
        for part, value in values.items():
            route = route.replace(part, value)
        assert "<" not in route, f"no value for a part of {route}"
        return f"/{route}{query}"


def make_world(
    make_project: Callable[..., Project], annotators: list[User], make_user: Callable[..., User], run_jobs: Any
) -> World:
    """Make the world; `run_jobs` is a context in which what a transaction starts at its end is done."""
    ana, ben, chen = annotators
    people = {"member": ana, "other": make_user("nora"), "lead": make_user("lena", Role.LEAD)}
    people["admin"] = make_user("ada", Role.ADMIN)
    project = make_project(4)
    solutions = list(Solution.objects.filter(problem__project=project).order_by("pk"))
    world = World(project, people, solutions)
    solutions[0].problem.extra = {HIDDEN: 1}
    solutions[0].problem.save()
    Solution.objects.filter(pk=solutions[0].pk).update(provenance={"unplaced_label": {HIDDEN: 1}})
    _label(world, ben, chen)
    with run_jobs():
        _lead(world)
    run = JudgeRun.objects.get()
    check = HumanCheck.objects.create(verdict=run.verdicts.get(), checker=people["lead"], position=0)
    kept = RunComparison.objects.create(release=run.release, runs=str(run.pk), report={"refused": "One judge alone."})
    world.pks |= {"run": run.pk, "check": check.pk, "comparison": kept.pk}
    return world


def _label(world: World, ben: User, chen: User) -> None:
    ana, solutions = world.people["member"], world.solutions
    slot = claim_next(ana, world.project)
    world.pks |= {"slot": slot.pk, "solution": slot.solution_id, "problem": slot.solution.problem_id}
    world.pks["account"] = ben.pk
    say(solutions[0], ben, wrong(1, reason=SECRET, rectified=SECRET_STEP))
    own = solutions[1].assignments.filter(annotator=None).first()
    assert own is not None
    world.pks["own label"] = submit(own.pk, ana, Submission(uuid.uuid4(), RIGHT)).assignment_id
    say(solutions[1], ben, RIGHT)
    for solution in solutions[2:]:
        say(solution, ben, wrong(0))
        say(solution, chen, RIGHT)
    world.pks["report"] = reports.report(chen, solutions[0], ReportKind.CANNOT_JUDGE, "Too hard for me.").pk
    world.pks["skip"] = reports.skip(chen, solutions[1], "No time.").pk


def _lead(world: World) -> None:
    lead, project = world.people["lead"], world.project
    world.pks["dispute"] = world.solutions[2].pk
    world.pks["decision"] = decide(world.solutions[3], world.people["admin"], Decision(Outcome.GOLD, RIGHT)).pk
    world.pks["look"] = begin_confirmation(project, lead).looks.get().pk
    world.pks["recheck"] = rechecks.begin(project, lead, 1).items.get().pk
    problem = world.solutions[2].problem
    world.pks["key"] = keys.propose(problem, lead, ["B"], problem.standing, "The table says B.").pk
    upload = keep(project, SimpleUploadedFile(EXAMPLE.name, EXAMPLE.read_bytes()), lead)
    world.pks["upload"] = upload.pk
    options = {"format": "stepmark", "labels": "ignore", "text_format": "", "skip_bad": False}
    release = freeze(project, "1.0.0", "", lead)
    answer = json.dumps({"id": world.solutions[3].item_id, "correct": True})
    answers = SimpleUploadedFile("answers.jsonl", answer.encode())
    start_grading(release, lead, name="judge", answers=answers, people=None, model="")
    world.pks["job"] = start_import(upload, lead, options).pk


def logged_in(user: User | None) -> Client:
    """A browser of somebody, or of a visitor; a failing page answers 500, as in earnest."""
    client = Client(raise_request_exception=False)
    if user:
        client.force_login(user)
    return client
