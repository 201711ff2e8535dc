"""People check a model's comparison of reasons: blind, at random, twice where they differ."""

import json
from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from annotation.models import Project, Role, User
from exports import checking
from exports.comparisons import compare_runs, flipped, kept
from exports.judging import grade_run
from exports.models import HumanCheck, JudgeRun
from exports.releases import freeze
from exports.templatetags.scores import score
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import say, solutions_of, wrong
from tests.model_server import model_server, rule_grader
from tests.pages import words

N = 50


@pytest.fixture
def run(
    make_project: Callable[..., Project], annotators: list[User], lead: User, monkeypatch: pytest.MonkeyPatch
) -> Iterator[JudgeRun]:
    """Fifty errors found at the right step; the judge's reason is gold's in half of them."""
    project = make_project(N, overlap=1)
    for solution in solutions_of(project):
        say(solution, annotators[0], wrong(1))
        decide(solution, lead, Decision(Outcome.GOLD, wrong(1, reason="The sign is lost on the way.")))
    release = freeze(project, "1.0.0", "", lead)
    answers = [
        {"id": item.item_id, "correct": False, "first_error": 1,
         "reason": "The sign is lost on the way." if n % 2 else "Bananas are yellow."}
        for n, item in enumerate(release.items.order_by("position"))
    ]  # fmt: skip
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        yield grade_run(release, "judge", "\n".join(map(json.dumps, answers)).encode(), lead, model="grader")


def test_every_checker_gets_the_same_sample(run: JudgeRun, lead: User, make_user: Callable[..., User]) -> None:
    mine, theirs = checking.begin(run, lead), checking.begin(run, make_user("luis", Role.LEAD))
    assert [row.verdict_id for row in mine] == [row.verdict_id for row in theirs]
    assert len(mine) == N
    assert checking.begin(run, lead) == mine


def test_the_corrected_score_follows_from_the_checks(run: JudgeRun, lead: User) -> None:
    rows = checking.begin(run, lead)
    assert checking.correct(run) != "", "nothing is checked yet"
    for row in rows:
        checking.answer(row, same=bool(row.verdict.reason_same))
    assert checking.correct(run) == ""
    assert run.trust["status"] == "checked"
    raw = run.report["reasons"]["same"] / N
    assert raw == 0.5


def test_pages_and_files_show_the_corrected_score_once_people_have_checked(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client]
) -> None:
    desk, here = as_user(lead), f"/p/trial/releases/1.0.0/runs/{run.pk}/"
    shown = [here, "/p/trial/releases/1.0.0/"]
    assert all("unchecked" in words(desk.get(page)) for page in shown)
    assert "unchecked" in desk.get(f"{here}report.md").content.decode().lower()
    for row in checking.begin(run, lead):
        checking.answer(row, same=row.position < 10 and bool(row.verdict.reason_same))
    assert checking.correct(run) == ""
    run.refresh_from_db()
    corrected = run.trust["corrected"]["macro"]["mr_score"]
    assert corrected < run.report["mr_score"]
    for page in shown:
        text = words(desk.get(page))
        assert score(corrected) in text
        assert score(run.report["mr_score"]) in text
        assert "unchecked" not in text
    file = desk.get(f"{here}report.md").content.decode()
    assert "unchecked" not in file.lower()
    assert "macro, corrected" in file
    assert desk.get(f"{here}report.json").json()["reasons"]["trust"]["status"] == "checked"


def test_a_comparison_is_made_again_when_people_have_checked(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        said = {"correct": False, "first_error": 1, "reason": "The sign is lost on the way."}
        lines = [json.dumps({"id": row.item_id, **said}) for row in run.release.items.all()]
        other = grade_run(run.release, "other", "\n".join(lines).encode(), lead, model="grader")
        lines = [json.dumps({"id": row.item_id, "correct": True}) for row in run.release.items.all()]
        blind = grade_run(run.release, "blind", "\n".join(lines).encode(), lead, model="grader")
    runs = [run, other]
    before = compare_runs(run.release, runs)
    assert before.report["leaderboard"]["word"] == "unchecked"
    for kind, found in before.report["pairs"][0]["flips"].items():
        rows = {flip: flipped(run, other, kind, flip).count() for flip in found["total"]["counts"]}
        assert rows == found["total"]["counts"], kind
    page = words(as_user(lead).get(f"/p/trial/releases/1.0.0/compare/?run={run.pk}&run={other.pk}"))
    assert "people have not checked its verdicts on these judges: judge , other" in page
    for row in checking.begin(run, lead):
        checking.answer(row, same=bool(row.verdict.reason_same))
    assert checking.correct(run) == ""
    assert kept(run.release, runs) is None
    assert compare_runs(run.release, runs).report["leaderboard"]["word"] == "unchecked", "one of them is"
    # of a judge that found no step there is nothing to check
    assert compare_runs(run.release, [run, blind]).report["leaderboard"]["word"] == "corrected"


def test_where_checkers_differ_a_lead_settles(run: JudgeRun, lead: User, make_user: Callable[..., User]) -> None:
    other = make_user("luis", Role.LEAD)
    mine, theirs = checking.begin(run, lead)[0], checking.begin(run, other)[0]
    checking.answer(mine, same=True)
    checking.answer(theirs, same=False)
    (differing,) = checking.differing(run)
    checking.settle(differing, other, same=True)
    assert checking.differing(run) == []
    assert HumanCheck.objects.get(adjudicated=True).same is True


def test_a_run_whose_reasons_no_model_compared_has_nothing_to_check(run: JudgeRun, lead: User) -> None:
    answer = json.dumps({"id": run.release.items.all()[0].item_id, "correct": True})
    plain = grade_run(run.release, "plain", answer.encode(), lead)
    with pytest.raises(checking.CannotCheck):
        checking.begin(plain, lead)
