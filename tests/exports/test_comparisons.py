"""Stored runs compared, tagged and doubted: the same numbers as from the files, and ways back to the leads."""

import json
from typing import Any

import pytest

from annotation.models import Event, Solution, User
from exports import comparisons
from exports.answer_rows import waiting
from exports.comparisons import compare_runs, doubt_gold, kept, tag
from exports.grading import grade
from exports.judging import grade_run, read_run
from exports.models import ErrorTag, JudgeRun, Release
from exports.stored_runs import graded_items
from review.contests import contested
from tests.exports.campaigns import Campaign, decided_campaign


def lines(*objects: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(each) for each in objects).encode()


@pytest.fixture
def ids(release: Release) -> list[str]:
    return [item.item_id for item in release.items.order_by("position")]


@pytest.fixture
def runs(release: Release, ids: list[str], lead: User) -> tuple[JudgeRun, JudgeRun]:
    """The first recognises the correct one and finds one error of two; the second calls everything incorrect."""
    first = lines({"id": ids[0], "correct": True}, {"id": ids[1], "correct": False, "first_error": 1})
    second = lines(*({"id": item, "correct": False, "first_error": 1} for item in ids))
    return grade_run(release, "first", first, lead), grade_run(release, "second", second, lead)


def test_what_is_stored_gives_the_graded_items_back(
    release: Release, ids: list[str], runs: tuple[JudgeRun, JudgeRun]
) -> None:
    taken = read_run(
        release, lines({"id": ids[0], "correct": True}, {"id": ids[1], "correct": False, "first_error": 1})
    )
    assert graded_items(runs[0]) == grade(taken.folder, taken.answers).graded


def test_a_comparison_counts_what_was_repaired_and_broken(
    release: Release, ids: list[str], runs: tuple[JudgeRun, JudgeRun]
) -> None:
    report = compare_runs(release, runs).report
    flips = report["pairs"][0]["flips"]
    assert flips["verdict"]["total"]["broken"] == [ids[0]]
    assert flips["verdict"]["total"]["repaired"] == [ids[2]]
    assert flips["step"]["total"]["counts"] == {"repaired": 1, "broken": 0, "both_right": 1, "both_wrong": 0}
    assert kept(release, runs) is not None
    assert kept(release, runs[::-1]) is None


def test_a_comparison_has_the_noise_and_the_seed_of_its_release(
    release: Release, runs: tuple[JudgeRun, JudgeRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    release.manifest["gold_error"] = {"n": 8, "changed_verdict": 2, "changed_place": 3}
    how = compare_runs(release, runs).report["how"]
    assert (how["label_noise"], how["bootstrap"]["seed"]) == (0.25, int(release.content_hash[:8], 16))
    one, other = (run.pk for run in runs)
    compare_runs(release, runs, [other, one])
    assert kept(release, runs, [one, other]) is not None, "in whatever order references are named"
    monkeypatch.setattr(comparisons, "COMPARER_VERSION", "compare-0")
    assert kept(release, runs) is None, "another version compares otherwise"


def test_a_long_tag_is_cut_and_comes_off_again(runs: tuple[JudgeRun, JudgeRun], lead: User) -> None:
    verdict, word = runs[0].verdicts.all()[0], "x" * 99
    tag(verdict, word, lead)
    assert ErrorTag.objects.get().tag == "x" * 60
    tag(verdict, word, lead)
    assert not ErrorTag.objects.exists()


def test_gold_is_doubted_in_the_project_of_the_release(
    campaign: Campaign, make_project: Any, annotators: list[User], lead: User
) -> None:
    other = decided_campaign(make_project, annotators, lead, slug="other")
    release = other.freeze()
    item = release.items.order_by("position")[0].item_id
    run = grade_run(release, "first", lines({"id": item, "correct": False}), lead)
    assert Solution.objects.filter(item_id=item).count() == 2, "the same file has the same ids everywhere"
    assert doubt_gold(run.verdicts.get(item__item_id=item), lead) == other.solutions[0]
    assert waiting(release, [item]) == {item}
    assert waiting(campaign.freeze(), [item]) == set()


def test_the_same_tag_twice_is_off_again(runs: tuple[JudgeRun, JudgeRun], lead: User) -> None:
    verdict = runs[0].verdicts.order_by("item__position")[2]
    tag(verdict, "  sign error ", lead)
    assert ErrorTag.objects.get().tag == "sign error"
    tag(verdict, "sign error", lead)
    assert not ErrorTag.objects.exists()


def test_doubted_gold_goes_back_to_adjudication_and_the_release_stays(
    campaign: Campaign, release: Release, runs: tuple[JudgeRun, JudgeRun], lead: User
) -> None:
    verdict = runs[1].verdicts.order_by("item__position")[0]
    before = release.content_hash
    solution = doubt_gold(verdict, lead)
    assert solution is not None
    assert contested(campaign.project).filter(pk=solution.pk).exists()
    assert Event.objects.filter(act="reopened", solution=solution).exists()
    assert doubt_gold(verdict, lead) is None, "it waits already"
    assert Release.objects.get().content_hash == before
    assert Solution.objects.get(pk=solution.pk).settled_at is None
