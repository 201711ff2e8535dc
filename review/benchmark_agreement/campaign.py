"""A large made-up campaign: solutions of 8 to 12 steps, three to a problem, labelled by 3 of 12 annotators."""

import random
import uuid
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from annotation.models import Annotation, Assignment, Problem, Project, Solution, Step, StepLabel, User

STEPS, ANNOTATORS, PER_PROBLEM, PER_ITEM, BATCH = 8, 12, 3, 3, 5_000
CATEGORIES = ("logic", "fact", "calculation")


def make_campaign(items: int, by_chance: float = 0.25) -> Project:
    """The campaign with all its labels, some of which are by chance."""
    chance = random.Random(1)  # noqa: S311 - made-up labels, not a secret
    people = [User.objects.create(username=f"annotator {n}") for n in range(ANNOTATORS)]
    project = Project.objects.create(slug="large", name="Large", overlap=PER_ITEM)
    for start in range(0, items, BATCH):
        solutions = _solutions(project, start, min(BATCH, items - start))
        slots = Assignment.objects.bulk_create(
            Assignment(solution=solution, annotator=person, submitted_at=timezone.now())
            for solution in solutions
            for person in chance.sample(people, PER_ITEM)
        )
        labels = Annotation.objects.bulk_create(_label(slot, chance, by_chance) for slot in slots)
        # Seven weeks of work, so that there is something to cut by.
        at = timezone.now() - timedelta(days=7 * (start // BATCH % 7))
        Annotation.objects.filter(pk__gte=labels[0].pk).update(created_at=at)
    _make_steps()
    return project


def _solutions(project: Project, start: int, size: int) -> list[Solution]:
    problems = Problem.objects.bulk_create(
        Problem(
            project=project, source=f"file {start // 20_000}", external_id=str(start + n), question="?",
            subject=f"subject {n % 7}", level=str(n % 5),
        )
        for n in range(0, size, PER_PROBLEM)
    )  # fmt: skip
    return Solution.objects.bulk_create(
        Solution(
            problem=problems[n // PER_PROBLEM], item_id=f"i{start + n}", sampled_from=f"model {n % PER_PROBLEM}",
            raw_text="?",
        )
        for n in range(size)
    )  # fmt: skip


def _make_steps() -> None:
    """A million rows, made by the database itself: through the models they would take minutes."""
    names = {name: connection.ops.quote_name(name) for name in ("position", "label", "kind", "text", "start", "end")}
    columns = ", ".join(names.values())
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n < {STEPS + 3}) "  # noqa: S608
            f"INSERT INTO {Step._meta.db_table} (solution_id, {columns}) "
            f"SELECT id, n, '', 'step', '?', 0, 1 FROM {Solution._meta.db_table}, place WHERE n < {STEPS} + id % 5"
        )


def label_every_step(project: Project) -> None:
    """Millions of labels of steps, made by the database itself: right up to the first error, wrong there."""
    label, slot, step = (each._meta.db_table for each in (Annotation, Assignment, Step))
    value = connection.ops.quote_name("value")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {StepLabel._meta.db_table} (annotation_id, position, {value}) "  # noqa: S608
            f"SELECT l.id, s.position, CASE WHEN l.first_error = s.position THEN -1 "
            f"WHEN (l.id * 31 + s.position * 17) % 23 = 0 THEN 0 ELSE 1 END "
            f"FROM {label} l JOIN {slot} a ON a.id = l.assignment_id JOIN {step} s ON s.solution_id = a.solution_id "
            f"WHERE l.first_error IS NULL OR s.position <= l.first_error"
        )
    project.every_step = True
    project.save()


def _label(slot: Assignment, chance: random.Random, by_chance: float) -> Annotation:
    truth = slot.solution_id * 7919 % 13
    place = truth if chance.random() >= by_chance else chance.randrange(13)
    key = uuid.UUID(int=chance.getrandbits(128))
    if place >= STEPS:
        return Annotation(assignment=slot, key=key, correct=True)
    category = CATEGORIES[(truth + (chance.random() < 0.3)) % 3]
    return Annotation(assignment=slot, key=key, correct=False, first_error=place, category=category, reason="No.")
