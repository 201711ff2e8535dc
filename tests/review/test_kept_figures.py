"""Every agreement figure opens to exactly the items it was computed from; kept figures are a cache that can be lost."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Annotation, Guideline, Project, Step, StepLabel, User
from annotation.verdicts import Verdict
from review import kept_figures, label_rows
from review.agreement import measure
from review.every_step import every_step
from review.intervals import NoInterval
from review.label_columns import Mask
from review.models import AgreementSnapshot, ReasonPair
from review.questions import Figure, Question
from review.reason_agreement import reason
from review.reason_pairs import judge
from review.slices import DIMENSIONS, parts_of
from tests.labels import RIGHT, revise, say, solutions_of, wrong

CATEGORIES = ("logic", "logic", "fact", "fact", "")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "RESAMPLES", 50)


def by_chance(chance: random.Random) -> Verdict:
    """Any verdict; small numbers of steps and categories, so that every kind of agreement comes up."""
    if chance.random() < 0.3:
        return RIGHT
    return wrong(chance.choice((0, 0, 0, 1, 2)), category=chance.choice(CATEGORIES))


@pytest.fixture
def mixed(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Sixty solutions with none to three labels by chance, some revised, some asked for after a dispute; every step
    labelled by chance, and pairs of reasons compared by chance."""
    project, chance = make_project(60, overlap=3, ask_category=False), random.Random(20)
    for solution in solutions_of(project):
        labels = []
        for annotator in chance.sample(annotators, chance.choice((0, 1, 2, 2, 3, 3))):
            labels.append(say(solution, annotator, by_chance(chance)))
            steps = chance.sample(range(4), chance.choice((2, 4)))
            StepLabel.objects.bulk_create(
                StepLabel(annotation=labels[-1], position=step, value=chance.choice((-1, 0, 1, 1))) for step in steps
            )
            if chance.random() < 0.2:
                revise(labels[-1], by_chance(chance))
        if len(labels) > 1:
            said = {name: chance.choice((True, False, None)) for name in ("lead_same", "hint_same")}
            shown = chance.random() < 0.3
            ReasonPair.objects.create(first=labels[0], second=labels[1], hint_was_shown=shown, **said)
            if chance.random() < 0.2:
                labels[0].assignment.extra = True
                labels[0].assignment.save()
    project.every_step = True
    project.save()
    return project


def measured(project: Project, question: str, part: Mask | None = None) -> Question:
    """A question of all labels or some of them, with the ids of its items."""
    labels, _versions, pks = label_rows.label_columns(project)
    if question == "every_step":
        steps = label_rows.step_labels(project, pks).counts(labels, label_rows.step_scheme(project), part)
        return every_step(steps, ["incorrect", "neutral", "correct"], seed=1, resamples=10)
    if question == "reason":
        return reason(label_rows.reason_pairs(project), seed=1, resamples=10)
    found = getattr(measure(labels if part is None else labels.only(part), seed=1, resamples=10), question)
    assert isinstance(found, Question)
    return found


def assert_opens(rows: Any, figure: Figure) -> None:
    """The items of a list are those of the figure, each once, and they differ where the figure's do."""
    found = list(rows.values_list("pk", flat=True))
    assert len(found) == len(set(found))
    assert set(found) == {*figure.agreeing, *figure.disagreeing}, figure.name
    assert set(rows.filter(differs=True).values_list("pk", flat=True)) == set(figure.disagreeing), figure.name


def test_a_figure_opens_to_the_items_that_make_it(mixed: Project) -> None:
    for question in kept_figures.QUESTIONS:
        for name, figure in measured(mixed, question).figures.items():
            assert_opens(kept_figures.items_of(mixed, question, name), figure)
            assert figure.agreeing, (question, name)
            assert figure.disagreeing, (question, name)


@pytest.fixture
def varied(mixed: Project) -> Project:
    """The same with solutions and labels that differ in all that they can be cut by."""
    for n, solution in enumerate(solutions_of(mixed)):
        problem = solution.problem
        problem.subject, problem.level = ("math", "", "biology")[n % 3], str(n % 4)
        problem.source, solution.sampled_from = f"file {n % 2}", f"model {n % 3}"
        problem.save()
        solution.save()
        if n % 3 == 0:
            Step.objects.bulk_create(
                Step(solution=solution, position=4 + more, text="more", start=0, end=1) for more in range(n % 9)
            )
    guideline = Guideline.objects.create(project=mixed, version=3, text="Read.", written_by=mixed.members.all()[0])
    at = timezone.now()
    for n, label in enumerate(Annotation.objects.filter(revision=1)):
        label.guideline = guideline if n % 3 else None
        label.save()
        Annotation.objects.filter(pk=label.pk).update(created_at=at - timedelta(days=9 * (n % 3)))
    return mixed


@pytest.mark.parametrize("dimension", list(DIMENSIONS))
def test_a_parts_figures_open_to_its_items(varied: Project, dimension: str) -> None:
    columns, versions, _pks = label_rows.label_columns(varied)
    parts = list(parts_of(varied, dimension, columns, versions))
    assert len(parts) >= 2
    kept_figures.refresh(varied, dimension)
    kept = {each.value: each.report for each in kept_figures.snapshots(varied, dimension)}
    assert list(kept) == [value for value, _of_part in parts]
    for question in ("correctness", "first_error", "given_both_incorrect", "category", "every_step"):
        for value, of_part in parts:
            rows = kept_figures.items_of(varied, question, "percent", by=dimension, part=value)
            percent = kept[value][question]["figures"]["percent"]
            assert rows.filter(differs=True).count() == percent["differing"]
            figure = measured(varied, question, of_part).figures["percent"]
            assert_opens(rows, figure)
            assert percent["value"] == figure.value


def test_steps_of_long_solutions_are_counted_at_their_place(
    make_project: Callable[..., Project], annotators: list[User]
) -> None:
    project = make_project(2, ask_category=False, after_error="realisation")
    said: dict[int, list[dict[int, int]]] = {0: [{0: 1, 19: 0, 20: -1, 47: 2}, {0: 1, 20: 1, 47: 2}], 1: [{3: -1}]}
    for place, of_item in said.items():
        for annotator, values in zip(annotators, of_item, strict=False):
            label = say(solutions_of(project)[place], annotator, RIGHT)
            StepLabel.objects.bulk_create(
                StepLabel(annotation=label, position=at, value=value) for at, value in values.items()
            )
    labels, _versions, pks = label_rows.label_columns(project)
    steps = label_rows.step_labels(project, pks).counts(labels, label_rows.step_scheme(project))
    first, second = (solution.pk for solution in solutions_of(project))
    assert steps.items.tolist() == [first, first, first, first, second]
    # Columns: incorrect, neutral, correct, realises the error; rows: places 0, 19, 20 and 47, then 3 of the other.
    assert steps.counts.tolist() == [[0, 0, 2, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 2], [1, 0, 0, 0]]


def test_kept_figures_can_be_thrown_away_and_come_back_the_same(varied: Project) -> None:
    views = ("", *DIMENSIONS, *kept_figures.VIEWS)

    def kept() -> list[Any]:
        for view in views:
            kept_figures.refresh(varied, view)
        rows = AgreementSnapshot.objects.order_by("dimension", "value")
        return list(rows.values("dimension", "value", "through", "labels", "seed", "report"))

    first = kept()
    assert {each["dimension"] for each in first} == set(views)
    AgreementSnapshot.objects.all().delete()
    assert kept() == first


def test_parts_that_are_no_more_are_dropped(mixed: Project) -> None:
    kept_figures.refresh(mixed, "subject")
    mixed.problems.update(subject="biology")
    kept_figures.refresh(mixed, "subject")
    assert [each.value for each in kept_figures.snapshots(mixed, "subject")] == ["biology"]


def test_large_campaigns_get_their_intervals_second(mixed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "MANY_ITEMS", 10)
    monkeypatch.setattr(kept_figures, "RESAMPLES_OF_MANY", 50)
    seen = []
    for _stage in kept_figures.stages(mixed):
        (kept,) = kept_figures.snapshots(mixed)
        alpha = kept.report["first_error"]["figures"]["alpha"]
        seen.append((alpha["value"], alpha["interval"]["missing"], kept.report["resamples"]))
        assert kept_figures.is_fresh(mixed, [kept]) is bool(kept.report["resamples"])
    (first, waits, none), (second, missing, resamples) = seen
    assert first == second
    assert (waits, none) == (NoInterval.NOT_YET, 0)
    assert (missing, resamples) == ("", 50)


def test_what_makes_kept_figures_old(
    make_project: Callable[..., Project], annotators: list[User], lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, (ana, ben, chen) = make_project(1), annotators
    (solution,) = solutions_of(project)

    def fresh(view: str = "") -> bool:
        return kept_figures.is_fresh(project, kept_figures.snapshots(project, view))

    def refresh() -> None:
        for view in ("", "consensus"):
            kept_figures.refresh(project, view)

    label = say(solution, ana, wrong(0))
    assert not fresh(), "nothing is kept yet"
    refresh()
    assert fresh()
    revise(label, RIGHT)
    assert fresh(), "only blind first labels count"
    other = say(solution, ben, wrong(0))
    assert not fresh()
    refresh()
    judge(label, other, lead, same=True)
    assert not fresh(), "a pair of reasons was compared"
    refresh()
    assert fresh()
    solution.assignments.create(extra=True)
    say(solution, chen, RIGHT)
    assert fresh(), "a label asked for after a dispute is no blind first one"
    assert not fresh("consensus"), "but consensus counts it"
