"""Every agreement figure opens to exactly the items it was computed from; kept figures are a cache that can be lost."""

import random
from collections.abc import Callable

import pytest

from annotation.models import Project, User
from annotation.verdicts import Verdict
from review import kept_figures
from review.agreement import measure
from review.disagreements import first_pass_labels
from review.models import AgreementSnapshot
from tests.labels import RIGHT, revise, say, say_all, solutions_of, wrong

CATEGORIES = ("logic", "fact", "")


def by_chance(chance: random.Random) -> Verdict:
    """Any verdict; small numbers of steps and categories, so that every kind of agreement comes up."""
    if chance.random() < 0.3:
        return RIGHT
    return wrong(chance.choice((0, 0, 1, 2)), category=chance.choice(CATEGORIES))


@pytest.fixture
def mixed(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Sixty solutions with none to three labels by chance; some labels were revised afterwards."""
    project, chance = make_project(60, overlap=3, ask_category=False), random.Random(20)
    for solution in solutions_of(project):
        for annotator in chance.sample(annotators, chance.choice((0, 1, 2, 2, 3, 3))):
            label = say(solution, annotator, by_chance(chance))
            if chance.random() < 0.2:
                revise(label, by_chance(chance))
    return project


@pytest.mark.parametrize("question", list(kept_figures.QUESTIONS))
def test_a_figure_opens_to_the_items_that_make_it(mixed: Project, question: str) -> None:
    asked = getattr(measure(first_pass_labels(mixed), seed=1, resamples=10), question)
    for name, figure in asked.figures.items():
        rows = kept_figures.items_of(mixed, question, name)
        entered = set(rows.values_list("pk", flat=True))
        differ = set(rows.filter(differs=True).values_list("pk", flat=True))
        assert differ == set(figure.disagreeing), name
        assert entered == set(figure.agreeing) | set(figure.disagreeing), name
        assert rows.count() == len(entered), "no item is listed twice"
        assert set(figure.agreeing), name
        assert set(figure.disagreeing), name


def test_a_subjects_figures_open_to_its_items(mixed: Project) -> None:
    mixed.problems.filter(pk__in=[s.problem_id for s in solutions_of(mixed)[:20]]).update(subject="biology")
    asked = measure(first_pass_labels(mixed, "biology"), seed=1, resamples=10).first_error.figures["percent"]
    rows = kept_figures.items_of(mixed, "first_error", "percent", "biology").filter(differs=True)
    assert set(rows.values_list("pk", flat=True)) == set(asked.disagreeing)


def test_kept_figures_can_be_thrown_away_and_come_back_the_same(
    make_project: Callable[..., Project], annotators: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_figures, "RESAMPLES", 200)
    project, (ana, ben, _chen) = make_project(3), annotators
    say_all(project, {0: {ana: RIGHT, ben: RIGHT}, 1: {ana: RIGHT, ben: wrong(1)}, 2: {ana: wrong(0), ben: wrong(1)}})
    kept_figures.refresh(project)
    kept = list(AgreementSnapshot.objects.values("dimension", "value", "through", "labels", "seed", "report"))
    assert len(kept) >= 2, "the whole campaign and its one subject"
    AgreementSnapshot.objects.all().delete()
    kept_figures.refresh(project)
    assert list(AgreementSnapshot.objects.values("dimension", "value", "through", "labels", "seed", "report")) == kept
    (percent,) = {each["report"]["correctness"]["figures"]["percent"]["value"] for each in kept}
    assert percent == pytest.approx(2 / 3)


def test_a_new_label_makes_kept_figures_old_and_a_revision_does_not(
    make_project: Callable[..., Project], annotators: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_figures, "RESAMPLES", 200)
    project, (ana, ben, _chen) = make_project(1), annotators
    (solution,) = solutions_of(project)
    label = say(solution, ana, RIGHT)

    def fresh() -> bool:
        return kept_figures.is_fresh(project, list(project.agreement_snapshots.all()))

    assert not fresh(), "nothing is kept yet"
    kept_figures.refresh(project)
    assert fresh()
    revise(label, wrong(0))
    assert fresh(), "only blind first labels count"
    say(solution, ben, RIGHT)
    assert not fresh()
