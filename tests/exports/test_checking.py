"""People check a model's comparison of reasons: blind, at random, twice where they differ."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from annotation.models import Event, Project, Role, User
from exports import checking
from exports.comparisons import compare_runs, flipped, kept
from exports.human_checks import RANDOM
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


def test_a_later_checker_gets_what_the_first_one_drew(
    run: JudgeRun, lead: User, make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "SIZE", 46)
    mine = checking.begin(run, lead, RANDOM)
    monkeypatch.setattr(checking, "SIZE", 10)  # as another version may draw otherwise
    other = make_user("luis", Role.LEAD)
    with pytest.raises(checking.CannotCheck, match="a plain random sample"):
        checking.begin(run, other, "by verdict")
    assert [row.verdict_id for row in checking.begin(run, other)] == [row.verdict_id for row in mine]
    run.refresh_from_db()
    assert run.checks_design == RANDOM
    checking.answer(mine[0], same=True)
    (line,) = map(json.loads, checking.lines(run))
    assert (line["design"], line["checker"]) == (RANDOM, f"p{lead.pk}"), "a pseudonym, no name"


@pytest.mark.parametrize(("design", "powered"), [("random", True), ("by verdict", False), ("rubbish", False)])
def test_a_plain_sample_gives_a_prediction_powered_figure_too(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch,
    design: str, powered: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(checking, "SIZE", 46)  # of 25 and 25: at least 21 of each, and 4 are left
    desk, here = as_user(lead), f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"
    assert "How is the sample drawn?" in words(desk.get(here))
    desk.post(here, {"design": design})
    for row in checking.own_checks(run):
        checking.take(row, lead, same=bool(row.verdict.reason_same))
    run.refresh_from_db()
    assert (run.trust["ppi"] is not None) is powered
    page = words(desk.get(here))
    assert ("prediction-powered inference" in page) is powered
    assert "How is the sample drawn?" not in page


def checked(run: JudgeRun, by: User, *, confirmed: int, given: int) -> None:
    """Everything is checked: of 25 "same" people confirm so many, and they give so many of 25 "different" ones."""
    rows = checking.begin(run, by)
    left = {True: confirmed, False: given}
    for row in rows:
        verdict = row.verdict.reason_same is True
        left[verdict] -= 1
        if row == rows[-1]:
            run.refresh_from_db()
            assert not run.trust, "nothing is computed before the last check"
        checking.take(row, by, same=left[verdict] >= 0)
    run.refresh_from_db()


@pytest.mark.parametrize(
    ("confirmed", "given", "shown"),
    [
        # agreement .7, of which .5 by chance; people .4 against the model's .5; McNemar of 10 against 5
        (15, 5, ["15 10 25 60.0 % PPV, 15 / 25", "5 20 25 80.0 % NPV, 20 / 25", "Cohen’s kappa .400", "+10.0 points",
                 "neither generous nor strict for sure", "p, exact McNemar .302", "mean over subjects .500 .400"]),
        (10, 0, ["10 15 25 40.0 % PPV", "100.0 % NPV", "+30.0 points", "too generous"]),
        (25, 10, ["100.0 % PPV", "10 15 25 60.0 % NPV", "-20.0 points", "too strict"]),
    ],
)  # fmt: skip
def test_the_page_shows_what_makes_the_figures(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], confirmed: int, given: int, shown: list[str]
) -> None:
    checked(run, lead, confirmed=confirmed, given=given)
    page = words(as_user(lead).get(f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"))
    for text in shown:
        assert text in page
    assert "nothing was checked by two" in page
    assert "lena 50 / 50" in page
    assert "Still wanted" not in page


def test_two_checkers_show_how_far_people_agree(
    run: JudgeRun, lead: User, make_user: Callable[..., User], as_user: Callable[[User], Client]
) -> None:
    other, desk = make_user("luis", Role.LEAD), as_user(lead)
    here = f"/p/trial/releases/1.0.0/runs/{run.pk}/"
    checked(run, lead, confirmed=25, given=0)
    before = run.trust
    for n, row in enumerate(checking.begin(run, other)):
        checking.take(row, other, same=bool(row.verdict.reason_same) != (n == 0))
    run.refresh_from_db()
    assert run.trust == before, "people differ: nothing can be computed"
    page = desk.get(f"{here}checks/")
    assert "Checks were made or changed since" in words(page)
    (differing,) = page.context["differing"]
    assert differing.checker == other, "to answer one's own check would hide that people differ"
    assert "what you say counts" in words(desk.get(f"{here}checks/{differing.pk}/"))
    assert "Settle these first" in words(desk.post(f"{here}correct/", follow=True))
    desk.post(f"{here}checks/{differing.pk}/", {"same": "yes" if differing.verdict.reason_same else "no"})
    page = desk.get(f"{here}checks/")
    assert "Checks were made or changed since" not in words(page)
    # 49 of 50 alike, 25 and 24 or 26 called the same: (.98 - .5) / .5
    assert "Kappa of people with each other .960 50 checked by two, 98.0 % alike" in words(page)


def test_figures_older_than_the_checks_say_so(run: JudgeRun, lead: User, as_user: Callable[[User], Client]) -> None:
    checked(run, lead, confirmed=25, given=0)
    desk, here = as_user(lead), f"/p/trial/releases/1.0.0/runs/{run.pk}/"
    old = "Checks were made or changed since"
    assert old not in words(desk.get(f"{here}checks/"))
    row = checking.own_checks(run)[0]
    checking.answer(row, same=not row.same)
    assert old in words(desk.get(f"{here}checks/"))
    assert old not in words(desk.post(f"{here}correct/", follow=True))
    run.refresh_from_db()
    assert run.trust["agreement"]["agreement"] < 1


def test_every_page_with_corrected_figures_says_when_the_checks_have_changed(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], make_user: Callable[..., User]
) -> None:
    lines = [json.dumps({"id": row.item_id, "correct": True}) for row in run.release.items.all()]
    blind = grade_run(run.release, "blind", "\n".join(lines).encode(), lead, model="grader")
    for row in checking.begin(run, lead):
        checking.answer(row, same=bool(row.verdict.reason_same))
    assert checking.correct(run) == ""
    desk, base = as_user(lead), "/p/trial/releases/1.0.0/"
    pages = [f"{base}runs/{run.pk}/", f"{base}compare/?run={run.pk}&run={blind.pk}"]
    changed = "Checks were made or changed since these figures were computed"
    for page in pages:
        assert changed not in words(desk.get(page))
    other = checking.begin(run, make_user("luis", Role.LEAD))[0]
    checking.answer(other, same=not other.verdict.reason_same)
    assert checking.correct(run) != "", "checkers differ"
    for page in pages:
        assert changed in words(desk.get(page)), page


def test_what_is_still_wanted_tells_nothing_of_a_single_item(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client]
) -> None:
    rows = checking.begin(run, lead)
    told = []
    for row in rows:
        told.append(checking.wanted(run))
        checking.answer(row, same=True)
    assert told[:10] == [checking.Wanted(20, 20)] * 10
    assert told[10:20] == [told[10]] * 10
    assert told[10].same + told[10].different == 30
    checking.answer(rows[0], same=False)
    assert checking.wanted(run) == checking.Wanted(0, 0)
    for row in rows[10:]:
        row.same = None
        row.save()
    page = words(as_user(lead).get(f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"))
    assert f"at least {told[10].same} that it called the same, {told[10].different} that" in page
    assert f"{told[10].same} that the model called the same" in checking.correct(run)


def test_a_rare_verdict_is_corrected_once_all_of_it_is_checked(run: JudgeRun, lead: User) -> None:
    run.verdicts.filter(item__position__lt=40).update(reason_same=True)  # 45 of 50 are called the same
    rows = checking.begin(run, lead)
    assert checking.wanted(run) == checking.Wanted(20, 5)
    rare = [row for row in rows if not row.verdict.reason_same]
    for row in [*rare[1:], *(row for row in rows if row.verdict.reason_same)]:
        checking.answer(row, same=True)
    assert "1 that it called different are still wanted" in checking.correct(run)
    checking.answer(rare[0], same=False)
    assert checking.correct(run) == ""
    assert run.trust["agreement"]["npv"] == pytest.approx(1 / 5)
    assert not checking.is_hopeless(run)
    rare[0].delete()
    assert checking.is_hopeless(run), "one of the rare verdict is not in the sample"


def test_undecided_verdicts_are_drawn_among_the_different_ones(
    run: JudgeRun, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    credited = run.verdicts.filter(reason_same=True).order_by("pk").values_list("pk", flat=True)
    run.verdicts.exclude(pk__in=credited[:5]).update(reason_same=None)
    monkeypatch.setattr(checking, "SIZE", 10)
    assert sum(row.verdict.reason_same is True for row in checking.begin(run, lead)) == 5


def test_a_random_sample_with_too_few_of_a_verdict_says_so(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, warning = as_user(lead), "fewer than 20 times"
    monkeypatch.setattr(checking, "SIZE", 20)  # of 25 and 25
    assert warning not in words(desk.get(f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"))
    checking.begin(run, lead, RANDOM)
    assert warning in words(desk.get(f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"))


def test_a_checker_goes_back_and_is_not_led_to_an_answer(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client]
) -> None:
    desk, rows = as_user(lead), checking.begin(run, lead)
    here = f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"
    after = desk.post(f"{here}{rows[0].pk}/", {"same": "yes"}, follow=True)
    assert after.context["before"] == rows[0]
    assert "1 / 50" in words(after)
    assert b'class="primary" name="same"' not in after.content
    assert "You said: the same fault" in words(desk.get(f"{here}{rows[0].pk}/"))


def test_the_page_of_a_check_is_blind_and_its_checker_s_own(
    run: JudgeRun, lead: User, make_user: Callable[..., User], as_user: Callable[[User], Client]
) -> None:
    other, desk = make_user("luis", Role.LEAD), as_user(lead)
    mine, theirs = checking.begin(run, lead), checking.begin(run, other)
    here = f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/"
    address, shown = f"{here}{mine[1].pk}/", desk.get(f"{here}{mine[1].pk}/")
    assert "no-store" in shown["Cache-Control"], "going back shows what is said now"
    turned = {"reason_same": not mine[1].verdict.reason_same, "reason_explanation": "As the model told."}
    run.verdicts.filter(pk=mine[1].verdict_id).update(**turned)
    assert words(desk.get(address)) == words(shown), "nothing hangs on what the model said"
    assert desk.get(f"{here}{mine[2].pk}/").context["before"] == mine[1]
    desk.post(address, {"same": "perhaps"})
    assert as_user(other).get(address).status_code == 403
    assert as_user(other).post(address, {"same": "yes"}).status_code == 403
    assert not HumanCheck.objects.filter(same__isnull=False).exists()
    said = json.dumps({"id": mine[0].verdict.item.item_id, "correct": True}).encode()
    plain = grade_run(run.release, "plain", said, lead)
    assert desk.get(f"/p/trial/releases/1.0.0/runs/{plain.pk}/checks/{mine[1].pk}/").status_code == 404
    checking.answer(mine[1], same=True)
    checking.answer(theirs[1], same=False)
    settled = desk.post(f"{here}{theirs[1].pk}/", {"same": "no"})
    assert settled["Location"] == here, "back to the differences, not on with one's own"
    assert Event.objects.filter(act="checked", actor=lead).count() == 1
    assert {each.checker: each.total for each in checking.progress(run)} == {lead: N, other: N}
    for check in (*mine[2:8], *theirs[2:8]):
        checking.answer(check, same=True)
    assert checking.wanted(run) == checking.Wanted(20, 20), "seven comparisons were checked, by two"


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


GOLD = {"correct": False, "first_error": 1, "reason": "The sign is lost on the way."}


@pytest.fixture
def judge_saying(run: JudgeRun, lead: User, monkeypatch: pytest.MonkeyPatch) -> Callable[..., JudgeRun]:
    """Another judge of the same release, which says the same of every item; the same model compares its reasons."""

    def graded(name: str, said: dict[str, Any]) -> JudgeRun:
        lines = [json.dumps({"id": row.item_id, **said}) for row in run.release.items.all()]
        with model_server() as server:
            server.answer = rule_grader
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            return grade_run(run.release, name, "\n".join(lines).encode(), lead, model="grader")

    return graded


def test_a_comparison_is_made_again_when_people_have_checked(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], judge_saying: Callable[..., JudgeRun]
) -> None:
    other, blind = judge_saying("other", GOLD), judge_saying("blind", {"correct": True})
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


def test_counts_of_reasons_have_their_word_on_every_page(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client], judge_saying: Callable[..., JudgeRun]
) -> None:
    other = judge_saying("other", GOLD)
    desk, base = as_user(lead), "/p/trial/releases/1.0.0/"
    pages = {
        "items": f"{base}runs/{run.pk}/items/?outcome=reason-right",
        "flips": f"{base}compare/items/?run={run.pk}&run={other.pk}&kind=reason&flip=repaired",
    }
    for page in pages.values():
        assert "25 unchecked" in words(desk.get(page))
    for judge in (run, other):
        for row in checking.begin(judge, lead):
            checking.answer(row, same=bool(row.verdict.reason_same))
        assert checking.correct(judge) == ""
    for page in pages.values():
        assert "25 raw" in words(desk.get(page))
    assert "unchecked" not in words(desk.get(f"{base}runs/{run.pk}/items/?outcome=verdict-wrong"))
    assert "raw" not in words(desk.get(pages["flips"].replace("kind=reason", "kind=step"))).split()
    report = desk.get(f"{base}runs/{run.pk}/report.md").content.decode()
    assert "| the same (raw) | 25/50 |" in report
    listed = desk.get("/api/projects/trial/releases/1.0.0/runs/").json()["results"]
    assert [each["options"]["trust"]["status"] for each in listed] == ["checked", "checked"]


def test_where_nothing_was_compared_nothing_is_unchecked(
    run: JudgeRun, lead: User, as_user: Callable[[User], Client]
) -> None:
    lines = [json.dumps({"id": row.item_id, "correct": True}) for row in run.release.items.all()]
    blind = grade_run(run.release, "blind", "\n".join(lines).encode(), lead, model="grader")
    page = words(as_user(lead).get(f"/p/trial/releases/1.0.0/runs/{blind.pk}/"))
    assert "unchecked" not in page


def test_where_checkers_differ_a_lead_settles(run: JudgeRun, lead: User, make_user: Callable[..., User]) -> None:
    other = make_user("luis", Role.LEAD)
    mine, theirs = checking.begin(run, lead)[0], checking.begin(run, other)[0]
    checking.answer(mine, same=True)
    checking.answer(theirs, same=False)
    (differing,) = checking.differing(run)
    checking.settle(differing, other, same=True)
    assert checking.differing(run) == []
    assert HumanCheck.objects.get(adjudicated=True).same is True


@pytest.mark.parametrize("others", [0, 2])
def test_the_page_takes_as_many_queries_for_one_checker_as_for_three(
    run: JudgeRun, lead: User, make_user: Callable[..., User], as_user: Callable[[User], Client],
    django_assert_num_queries: Any, others: int,
) -> None:  # fmt: skip
    for who in [lead, *(make_user(f"lead-{n}", Role.LEAD) for n in range(others))]:
        checking.begin(run, who)
    desk = as_user(lead)
    with django_assert_num_queries(17):
        desk.get(f"/p/trial/releases/1.0.0/runs/{run.pk}/checks/")


def test_a_run_whose_reasons_no_model_compared_has_nothing_to_check(run: JudgeRun, lead: User) -> None:
    answer = json.dumps({"id": run.release.items.all()[0].item_id, "correct": True})
    plain = grade_run(run.release, "plain", answer.encode(), lead)
    with pytest.raises(checking.CannotCheck):
        checking.begin(plain, lead)
    item = run.release.items.all()[0].item_id
    people = json.dumps({"id": item, "same": True}).encode()
    said = json.dumps({"id": item, "correct": False, "first_error": 1, "reason": "It is so."}).encode()
    with pytest.raises(checking.CannotCheck):
        checking.begin(grade_run(run.release, "by people", said, lead, reasons_file=people), lead)


def test_runs_are_ordered_by_what_is_shown_of_them() -> None:
    alone = JudgeRun(name="alone", report={"mr_score": None, "f1": 0.9})
    raw = JudgeRun(name="raw", report={"mr_score": 0.5, "f1": 0.1})
    checked = JudgeRun(name="checked", report={"mr_score": 0.8, "f1": 0.1})
    checked.trust = {"corrected": {"macro": {"mr_score": 0.4}}}
    assert sorted([alone, checked, raw], key=lambda run: run.ranking, reverse=True) == [raw, checked, alone]
