"""The pages where judges are compared, their answers tagged and their reasons checked."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.models import User
from exports.compared_judges import NotComparable
from exports.judging import grade_run
from exports.models import ErrorTag, JudgeRun, Release, RunComparison
from exports.views import comparing
from tests.exports.campaigns import Campaign
from tests.pages import words

BASE = "/p/trial/releases/1.0.0/"


@pytest.fixture
def desk(release: Release, lead: User, as_user: Callable[[User], Client]) -> Client:
    """A lead's browser, with two judges graded against the release."""
    ids = [item.item_id for item in release.items.order_by("position")]
    for name, said in (("one", {"correct": True}), ("two", {"correct": False, "first_error": 1, "reason": "=HACK()"})):
        answers = "\n".join(json.dumps({"id": item, **said}) for item in ids)
        grade_run(release, name, answers.encode(), lead)
    return as_user(lead)


def test_the_first_visit_has_the_comparison_computed(desk: Client, release: Release) -> None:
    page = desk.get(BASE + "compare/")
    assert RunComparison.objects.count() == 1
    assert b"Repaired" in page.content
    first, second = release.runs.order_by("pk")
    part = desk.get(f"{BASE}compare/?run={first.pk}&run={second.pk}", headers={"HX-Request": "true"})
    assert b"<html" not in part.content
    kept = RunComparison.objects.latest("pk")
    assert release.content_hash in page.content.decode()
    assert kept.report["how"]["scorer_version"] == "2"
    assert kept.report["release"]["hash"] == release.content_hash
    assert desk.get(f"/api/projects/trial/releases/1.0.0/comparisons/{kept.pk}/").json()["report"] == kept.report


def test_public_and_private_stand_side_by_side_and_gaps_are_tested(desk: Client, release: Release) -> None:
    first, second = release.runs.order_by("pk")
    query = f"run={first.pk}&run={second.pk}"
    page = words(desk.get(f"{BASE}compare/?{query}"))
    assert "Right verdicts on the public half" in page
    assert "Which of these judges cannot have seen the release?" in page
    tested = desk.get(f"{BASE}compare/?{query}&reference={first.pk}")
    rows = tested.context["report"]["split"]["judges"]
    assert [(row["judge"], row["reference"], row["p_holm"] is None) for row in rows] == [
        ("one", True, True), ("two", False, False)
    ]  # fmt: skip
    assert RunComparison.objects.count() == 2


def test_the_halves_are_handed_out(desk: Client, release: Release) -> None:
    halves = [desk.get(f"{BASE}as/stepmark?half={half}").getvalue().decode() for half in ("public", "private")]
    lines = [line for half in halves for line in half.splitlines()]
    assert {json.loads(line)["id"] for line in lines} == {item.item_id for item in release.items.all()}
    assert len(lines) == 3
    assert desk.get(f"{BASE}as/stepmark?half=third").status_code == 404


def test_one_judge_alone_is_told_so(release: Release, lead: User, as_user: Callable[[User], Client]) -> None:
    assert b"Two judges" in as_user(lead).get(BASE + "compare/").content


@pytest.mark.parametrize("query", ["?run=x", "?run=999999", "?run=1&run=1", "?run=99999999999999999999"])
def test_runs_that_are_none_do_no_harm(desk: Client, query: str) -> None:
    assert desk.get(BASE + "compare/" + query).status_code == 200


def test_judges_that_are_too_many_are_counted_however_they_were_named(
    desk: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exports.views.comparing.MOST_RUNS", 1)
    named = "&".join(f"run={run.pk}" for run in release.runs.all())
    for query in ("", f"?{named}", "?run=x"):
        assert desk.get(f"{BASE}compare/{query}").context["left_out"] == 1, query
    monkeypatch.undo()
    assert desk.get(f"{BASE}compare/?{named}").context["left_out"] == 0


def test_runs_are_of_the_release_each_once_and_the_best_first(
    desk: Client, campaign: Campaign, release: Release, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = release.runs.order_by("name")
    said = json.dumps({"id": release.items.all()[0].item_id, "correct": True}).encode()
    foreign = grade_run(campaign.freeze("1.0.1"), "foreign", said, lead)
    query = f"run={one.pk}&run={one.pk}&run={foreign.pk}&run={two.pk}"
    assert desk.get(f"{BASE}compare/?{query}").context["runs"] == [one, two]
    JudgeRun.objects.filter(pk=one.pk).update(report=one.report | {"mr_score": None, "f1": 0.1})
    JudgeRun.objects.filter(pk=two.pk).update(report=two.report | {"mr_score": None, "f1": 0.9})
    assert desk.get(f"{BASE}compare/").context["runs"] == [two, one]
    mute = grade_run(release, "mute", said, lead)
    JudgeRun.objects.filter(pk=mute.pk).update(report=mute.report | {"mr_score": None, "f1": 0.5})
    monkeypatch.setattr(comparing, "MOST_RUNS", 2)
    page = desk.get(f"{BASE}compare/")
    assert (page.context["runs"], page.context["left_out"]) == ([two, mute], 1)


def test_a_part_that_asks_again_computes_nothing(desk: Client, release: Release) -> None:
    first, second = release.runs.all()
    desk.get(f"{BASE}compare/?run={first.pk}&run={second.pk}", headers={"HX-Request": "true"})
    assert not RunComparison.objects.exists()


def test_judges_whose_reasons_were_compared_in_different_ways_are_compared_by_f1(
    desk: Client, release: Release
) -> None:
    for run in release.runs.all():
        run.report["reasons"] |= {"why_null": "", "mode": "llm", "model": f"grader {run.name}", "compared": 1}
        run.save()
    page = words(desk.get(BASE + "compare/"))
    assert "Ranking by F1" in page
    assert "judged in different ways, whose figures are not comparable: grader one" in page


def test_a_refusal_is_kept_and_shown(desk: Client, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise NotComparable("These judges were not graded on the same items.")

    monkeypatch.setattr("exports.comparisons.compare", refuse)
    assert "not graded on the same items" in words(desk.get(BASE + "compare/"))
    assert "refused" in RunComparison.objects.get().report


def test_a_number_of_the_ledger_opens_to_as_many_items(desk: Client, release: Release) -> None:
    first, second = release.runs.order_by("pk")
    query = f"run={first.pk}&run={second.pk}"
    desk.get(f"{BASE}compare/?{query}")
    flips = RunComparison.objects.get(runs=f"{first.pk},{second.pk}").report["pairs"][0]["flips"]
    for kind, part in flips.items():
        for flip, n in part["total"]["counts"].items():
            page = desk.get(f"{BASE}compare/items/?{query}&kind={kind}&flip={flip}")
            assert page.context["page_obj"].paginator.count == n
    assert desk.get(f"{BASE}compare/items/?{query}&kind=nonsense&flip=more").status_code == 200


def test_every_pair_that_is_corrected_for_is_shown(desk: Client, release: Release, lead: User) -> None:
    ids = [item.item_id for item in release.items.all()]
    answers = "\n".join(json.dumps({"id": item, "correct": False, "first_error": 0}) for item in ids)
    grade_run(release, "three", answers.encode(), lead)
    shown = desk.get(BASE + "compare/")
    text = words(shown)
    assert "Claims on F1" in text
    best, *others = shown.context["runs"]
    assert len(others) == 2
    for run in others:
        assert f"{run} against {best}, same items" in text
    assert f"F1 is compared, because the reasons of these judges were not: {best}" in text
    # a number of the second pair opens although that pair was never compared by itself
    first, second = (release.runs.get(name=name) for name in ("two", "three"))
    page = desk.get(f"{BASE}compare/items/?run={first.pk}&run={second.pk}&kind=step&flip=broken")
    assert page.context["page_obj"].paginator.count == 2


def test_items_of_one_judge_alone_lead_back_to_the_comparison(desk: Client, release: Release) -> None:
    page = desk.get(f"{BASE}compare/items/?run={release.runs.first().pk}")  # type: ignore[union-attr]
    assert (page.status_code, page["Location"]) == (302, f"{BASE}compare/")


def test_an_answer_is_tagged_and_found_in_the_file(desk: Client, release: Release) -> None:
    run = release.runs.get(name="two")
    verdict = run.verdicts.order_by("item__position")[0]
    url = f"{BASE}runs/{run.pk}/"
    desk.post(url + "tag/", {"verdict": verdict.pk, "tag": "=sign", "query": "outcome=verdict-wrong"})
    assert ErrorTag.objects.get().tag == "=sign"
    table = desk.get(url + "answers.csv").getvalue().decode()
    assert "'=sign" in table, "a spreadsheet must not take a tag for a formula"
    assert desk.post(url + "tag/", {"verdict": 0, "tag": "x"}).status_code == 404


def test_doubted_gold_is_said_to_be_under_way(desk: Client, release: Release) -> None:
    run = release.runs.get(name="two")
    verdict = run.verdicts.order_by("item__position")[0]
    answer: Any = desk.post(f"{BASE}runs/{run.pk}/doubt/", {"verdict": verdict.pk}, follow=True)
    assert "Sent to adjudication" in answer.content.decode()


def test_checks_need_a_model_that_compared_reasons(desk: Client, release: Release) -> None:
    run = release.runs.get(name="two")
    page = words(desk.get(f"{BASE}runs/{run.pk}/checks/"))
    assert "there is nothing to check" in page
    assert "Draw my sample" not in page
    answer = desk.post(f"{BASE}runs/{run.pk}/checks/", follow=True)
    assert "No model compared reasons" in answer.content.decode()
    assert "not" in desk.post(f"{BASE}runs/{run.pk}/correct/", follow=True).content.decode()
