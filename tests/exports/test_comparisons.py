"""Stored runs compared, tagged and doubted: the same numbers as from the files, and ways back to the leads."""

import json
from typing import Any

import pytest

from annotation.models import Event, Solution, User
from exports.comparisons import compare_runs, doubt_gold, kept, tag
from exports.grading import grade
from exports.judging import grade_run, read_run
from exports.models import ErrorTag, JudgeRun, Release
from exports.stored_runs import graded_items
from review.contests import contested
from tests.exports.campaigns import Campaign


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
