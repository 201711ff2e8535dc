"""Grading a judge on pages: its answers are checked at once, graded as a job, and opened item by item."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import Job, User
from exports.judging import answers_of, grade_run
from exports.models import JudgeRun, Release
from exports.templatetags.scores import score, span
from tests.exports.campaigns import Campaign
from tests.model_server import model_server, rule_grader
from tests.pages import words

AsUser = Callable[[User], Client]
GRADE = reverse("grade", args=["trial", "1.0.0"])


def lines(*objects: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(each) for each in objects).encode()


@pytest.fixture
def desk(campaign: Campaign, release: Release, lead: User, as_user: AsUser) -> Client:
    return as_user(lead)


@pytest.fixture
def ids(release: Release) -> list[str]:
    return [item.item_id for item in release.items.order_by("position")]


@pytest.fixture
def answers(ids: list[str]) -> bytes:
    """Calls the correct one incorrect; finds an error at its step; sees the other without naming a step."""
    return lines(
        {"id": ids[0], "correct": False, "first_error": 0, "reason": "<script>alert(1)</script>"},
        {"id": ids[1], "correct": False, "first_error": 1, "reason": "One and one is two."},
        {"id": ids[2], "correct": False},
    )


@pytest.fixture
def run(release: Release, answers: bytes, ids: list[str], lead: User) -> JudgeRun:
    people = lines({"id": ids[1], "same": True, "note": "As gold says."})
    return grade_run(release, "careful", answers, lead, reasons_file=people)


def of_run(name: str, run: JudgeRun, *more: str) -> str:
    return reverse(name, args=["trial", "1.0.0", run.pk, *more])


def send(client: Client, answers: bytes, people: bytes | None = None, **options: str) -> Any:
    form: dict[str, Any] = {"name": "careful", "answers": SimpleUploadedFile("answers.jsonl", answers), **options}
    if people is not None:
        form["people"] = SimpleUploadedFile("people.jsonl", people)
    return client.post(GRADE, form)


def test_a_refused_form_that_is_loaded_again_leads_back_to_the_release(desk: Client) -> None:
    assert send(desk, b"no answers").status_code == 422
    assert desk.get(GRADE).headers["Location"] == reverse("release", args=["trial", "1.0.0"])


def test_sent_answers_are_graded_and_the_judge_is_listed(
    desk: Client, answers: bytes, ids: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = send(desk, answers, lines({"id": ids[1], "same": True}))
    url = desk.get(job["Location"]).context["job"].result["url"]
    assert url == of_run("run", JudgeRun.objects.get())
    assert "careful" in words(desk.get(url))
    assert "careful" in words(desk.get(reverse("release", args=["trial", "1.0.0"])))


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"not json\n", "Line 1"),
        (b'{"id": "sm-unknown", "correct": true}', "sm-unknown"),
        (b"", "empty"),
        (b"\xff\xfe\x00", "Line 1"),
        (b'{"correct": true}\n' * 3, "Line 3"),
    ],
    ids=["no JSON", "stranger", "empty", "binary", "no id"],
)
def test_answers_that_do_not_fit_are_refused_by_line(desk: Client, sent: bytes, said: str) -> None:
    answer = send(desk, sent)
    assert answer.status_code == 422
    assert said in words(answer)
    assert not Job.objects.exists()


def test_peoples_verdicts_that_do_not_fit_are_refused_at_their_own_field(desk: Client, answers: bytes) -> None:
    answer = send(desk, answers, b'{"id": "sm-unknown", "same": true}')
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"people"}
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("options", "field"), [({"name": ""}, "name"), ({"name": "x" * 121}, "name"), ({"model": "grader"}, "model")]
)
def test_a_form_with_faults_comes_back(desk: Client, answers: bytes, options: dict[str, str], field: str) -> None:
    answer = send(desk, answers, b"", **options) if field == "name" else send(desk, answers, lines(), **options)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors or "people" in answer.context["form"].errors


def test_a_name_is_used_once(desk: Client, run: JudgeRun, answers: bytes) -> None:
    answer = send(desk, answers)
    assert answer.status_code == 422
    assert "already has a run with this name" in words(answer)


def test_the_report_shows_what_makes_its_figures(desk: Client, run: JudgeRun, release: Release) -> None:
    page = words(desk.get(of_run("run", run)))
    for text in ("careful", "Items 3", "2, the denominator of step and reason", "1 compared", "by people"):
        assert text in page
    assert release.content_hash[:16] in page
    assert "too few to rank" in page


def test_a_model_votes_and_is_checked_itself(
    desk: Client, release: Release, answers: bytes, django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        with django_capture_on_commit_callbacks(execute=True):
            send(desk, answers, model="grader", votes="3", self_checks="5")
    run = JudgeRun.objects.get()
    told = run.report["reasons"]
    assert (told["votes"], told["temperature"], told["self_checks"]["false_denial"]["n"]) == (3, 0.7, 1)
    page = words(desk.get(of_run("run", run)))
    assert "Own reasons not recognised 0 / 1" in page


def test_cost_and_scores_of_steps_are_on_the_page(desk: Client, release: Release, ids: list[str], lead: User) -> None:
    counts = {item.item_id: len(json.loads(item.record)["steps"]) for item in release.items.all()}
    said = [
        {"id": each, "step_scores": [0.9] * counts[each], "tokens": {"prompt": 10, "completion": 3}, "cost": 0.5}
        for each in ids
    ]
    page = words(desk.get(of_run("run", grade_run(release, "scorer", lines(*said), lead))))
    assert "30 in prompts, 9 in replies; 3 answers" in page
    assert "1.5000 0.500000 an item" in page
    assert "PRMScore" in page
    assert "steps are wrong at or below 0.5" in page


def test_how_a_model_was_asked_is_on_the_page(desk: Client, run: JudgeRun) -> None:
    told = {"model": "m-7b", "preset": "mr-ben", "preset_version": "1", "shots": 0, "samples": 1, "temperature": 0.0}
    run.options = run.options | {"run": told | {"cut_off": 2, "demos": {"label_balance": {}}}}
    run.save()
    page = words(desk.get(of_run("run", run)))
    assert "m-7b" in page
    assert "mr-ben, version 1" in page
    assert "2 replies at the limit of tokens" in page
    assert desk.get(of_run("run-plot", run, "subjects"))["Content-Type"].startswith("image/svg+xml")


@pytest.fixture
def compared(release: Release, answers: bytes, lead: User, monkeypatch: pytest.MonkeyPatch) -> JudgeRun:
    """A run whose reasons a model compared: one, which it calls the same. Nobody has checked that."""
    with model_server() as server:
        server.answer = rule_grader
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        return grade_run(release, "compared", answers, lead, model="grader")


def check(run: JudgeRun, **more: Any) -> None:
    """What people's checks would leave at the run, in made-up figures that stand nowhere else."""
    spans = {"mr_score": [0.311, 0.377], "acc_reason": [0.411, 0.477]}
    groups = {name: {"mr_score": score, "acc_reason": score + 0.1, "intervals": spans}
              for name, score in (("macro", 0.341), ("pooled", 0.342), ("math", 0.343))}  # fmt: skip
    corrected = {"macro": groups["macro"], "pooled": groups["pooled"], "subjects": {"math": groups["math"]}, **more}
    agreement = {"n_checked": 41, "n_compared": 43, "kappa": 0.61, "bias": 0.1, "intervals": {"kappa": None}}
    right = {"estimate": 0.5, "interval": [0.4, 0.6], "raw": 0.5}
    run.trust = {"status": "checked", "agreement": agreement, "right_given_step": right, "corrected": corrected}
    run.save()


def grouped(run: JudgeRun) -> JudgeRun:
    """The run with a group of items, which so few items do not have: that of the subject."""
    run.report["breakdowns"] = {"level": [{"value": "hard", "n": 3, **run.report["subjects"]["math"]}]}
    run.save()
    return run


def cells(answer: Any, caption: str) -> list[list[str]]:
    """The table under a caption as it reads, row by row, the head first."""
    after = re.split(rf"<(?:caption|summary)[^>]*>{caption}", answer.content.decode(), maxsplit=1)[1]
    text = after.split("</table>")[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.split("<tr[^>]*>", text)[1:]]
    return [[" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in row] for row in rows]


def test_unchecked_scores_are_called_so_wherever_they_stand(desk: Client, compared: JudgeRun) -> None:
    page = desk.get(of_run("run", grouped(compared)))
    for caption, place in (("Scores", 1), ("By subject", 2)):
        head = cells(page, caption)[0]
        assert (head[place], head[place + 3]) == ("MR-Score unchecked", "Reason unchecked")
    assert cells(page, "By level")[0][4] == "Reason unchecked"
    assert re.search(r"right step, right reason unchecked", words(page))
    assert re.search(r"MR-Score \S+ \S+ unchecked 0\.2 ·", words(page)), "below the big figure"
    judge = cells(desk.get(reverse("release", args=["trial", "1.0.0"])), "Judges")[1]
    assert judge[2].endswith("unchecked")
    assert judge[5].endswith("unchecked")


def test_raw_scores_of_a_checked_judge_stand_below_the_corrected_ones(desk: Client, compared: JudgeRun) -> None:
    check(grouped(compared))
    page = desk.get(of_run("run", compared))
    raw, reason = (f"raw {score(compared.report[name])}" for name in ("mr_score", "acc_reason"))
    head, macro, pooled, weighted = cells(page, "Scores")
    assert (head[1], head[4]) == ("MR-Score corrected", "Reason corrected")
    assert (macro[1], macro[4]) == (f".341 .31–.38 {raw}", f".441 .41–.48 {reason}")
    assert (pooled[1], pooled[4]) == (f".342 .31–.38 {raw}", f".442 .41–.48 {reason} 1/2")
    assert (weighted[1], weighted[4]) == (raw, reason)  # a report from before these were corrected
    subject = cells(page, "By subject")[1]
    assert (subject[2], subject[5]) == (f".343 .31–.38 {raw}", f".443 .41–.48 {reason} 1/2")
    assert cells(page, "By level")[0][4] == "Reason raw"
    assert "Reason is raw here" in words(page)
    assert "41 checked by people, κ .610" in words(page)
    judge = cells(desk.get(reverse("release", args=["trial", "1.0.0"])), "Judges")[1]
    assert (judge[2], judge[5]) == (f".341 .31–.38 {raw}", f".441 .41–.48 {reason}")
    check(compared, item_weighted={"mr_score": 0.345, "acc_reason": 0.445, "intervals": None})
    weighted = cells(desk.get(of_run("run", compared)), "Scores")[3]
    assert (weighted[1], weighted[4]) == (f".345 {raw}", f".445 {reason}")


def test_judges_are_listed_by_the_scores_that_are_shown(desk: Client, compared: JudgeRun, run: JudgeRun) -> None:
    listed = reverse("release", args=["trial", "1.0.0"])
    compared.report["mr_score"], run.report["mr_score"] = 0.5, 0.4
    for each in (compared, run):
        each.save()
    assert [row[0] for row in cells(desk.get(listed), "Judges")[1:3]] == ["compared", "careful"]
    check(compared)
    assert [row[0] for row in cells(desk.get(listed), "Judges")[1:3]] == ["careful", "compared"]


def test_shares_have_their_fractions(desk: Client, run: JudgeRun) -> None:
    page = desk.get(of_run("run", grouped(run)))
    # of two incorrect solutions one was found at its step, with its reason; the correct one was called incorrect
    row = cells(page, "By subject")[1]
    assert (row[4], row[5], row[7], row[8]) == (".500 1/2", ".500 1/2", ".000 0/1", "3 1 ✓ 2 ✗")
    pooled = cells(page, "Scores")[2]
    assert [pooled[place].split()[-1] for place in (3, 4, 7)] == ["1/2", "1/2", "0/1"]
    head, group = cells(page, "By level")
    assert head == ["", "Items", "Step", "Within one", "Reason", "Correct", "F1", "MCC"]
    assert group[:6] == ["hard", "3", ".500 1/2", ".500 1/2", ".500 1/2", ".000 0/1"]


def test_baselines_have_their_mr_score(desk: Client, run: JudgeRun) -> None:
    page = words(desk.get(of_run("run", run)))
    told = {each["name"]: each["macro"] for each in run.report["baselines"]}
    wrong = told["always_incorrect"]
    assert wrong["mr_score"] > 0
    assert f"most frequent step {score(wrong['mr_score'])} {score(wrong['f1'])}" in page
    release = desk.get(reverse("release", args=["trial", "1.0.0"]))
    assert [row[0] for row in cells(release, "Judges")[2:4]] == [
        "baseline: always correct",
        "baseline: always incorrect",
    ]
    assert "always correct calls every solution correct" in words(release)


def test_calibration_errors_have_intervals_and_what_they_mean(
    desk: Client, release: Release, ids: list[str], lead: User
) -> None:
    said = [{"id": each, "correct": True, "confidence": 0.6 + n / 10} for n, each in enumerate(ids)]
    run = grade_run(release, "sure", lines(*said), lead)
    page, sure = words(desk.get(of_run("run", run))), run.report["calibration"]
    for name, label in (("rms", "RMS error"), ("ece", "ECE"), ("brier", "Brier")):
        assert f"{label} {score(sure[name])} {span(sure['intervals'][name])}" in page
    assert f"{score(sure['expected_if_calibrated']['ece'])} expected of a calibrated judge" in page
    assert "mean distance of share right from mean confidence" in page


@pytest.mark.browser
def test_no_table_of_a_judge_is_cut_off(
    desk: Client, compared: JudgeRun, lead: User, transactional_db: None, window_of: Callable[..., Page]
) -> None:
    part = dict(compared.report["subjects"]["math"])
    compared.report["subjects"] = {"math": part, "physics and engineering": part}
    compared.report["intervals"]["subjects"] |= {"math": {"mr_score": [0.11, 0.22]}}
    check(compared)
    page = window_of(lead)
    for width in (1280, 768):
        page.set_viewport_size({"width": width, "height": 900})
        for address in (of_run("run", compared), reverse("release", args=["trial", "1.0.0"])):
            page.goto(address)
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            wide = page.evaluate("""() => [...document.querySelectorAll('.card.flush')]
                .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText.slice(0, 40))""")
            assert wide == [], f"{address} at {width}"
    assert page.locator(".card.flush.scroll").first.evaluate("(each) => getComputedStyle(each).overflowX") == "auto"


def test_every_outcome_opens_to_as_many_items_and_each_item_has_one(desk: Client, run: JudgeRun) -> None:
    page = desk.get(of_run("run", run))
    outcomes = {key: n for key, _name, n in page.context["outcomes"]}
    assert outcomes == {
        "verdict-wrong": 1, "step-wrong": 1, "reason-wrong": 0, "reason-unresolved": 0, "reason-right": 1,
        "correct-right": 0, "unparsed": 0,
    }  # fmt: skip
    links = re.findall(r'<a href="([^"]*\?[^"]*)">(\d+)</a>', page.content.decode())
    assert len(links) >= 4
    for link, number in links:
        assert desk.get(unescape(link)).context["page_obj"].paginator.count == int(number), link


def test_items_are_filtered_and_show_gold_beside_the_judge(desk: Client, run: JudgeRun, ids: list[str]) -> None:
    page = desk.get(of_run("run-items", run), {"outcome": "reason-right"})
    assert [row.item.item_id for row in page.context["page_obj"]] == [ids[1]]
    for text in ("incorrect at Step 2", "One and one is two.", "same reason", "As gold says."):
        assert text in words(page)
    assert len(desk.get(of_run("run-items", run), {"outcome": "unheard"}).context["page_obj"]) == 3
    assert "No answer fits" in words(desk.get(of_run("run-items", run), {"subject": "biology"}))
    assert len(desk.get(of_run("run-items", run), {"status": "partial"}).context["page_obj"]) == 1


def test_what_a_judge_wrote_is_shown_not_run(desk: Client, run: JudgeRun) -> None:
    page = desk.get(of_run("run-items", run)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_the_report_is_given_out_as_it_is_kept(desk: Client, run: JudgeRun) -> None:
    answer = desk.get(of_run("run-report", run, "json"))
    assert answer["Content-Disposition"].startswith("attachment")
    given, kept = json.loads(answer.content), json.loads(json.dumps(run.report))
    assert given["how"].pop("judge") == {"name": "careful"}
    assert given == kept


def test_a_report_file_says_how_the_model_was_asked(desk: Client, run: JudgeRun) -> None:
    told = {"model": "m-7b", "preset": "mr-ben", "preset_version": "4", "shots": 0, "cost": 0.5, "top_p": None}
    JudgeRun.objects.update(options=run.options | {"run": told})
    judge = desk.get(of_run("run-report", run, "json")).json()["how"]["judge"]
    assert judge == {"name": "careful", "model": "m-7b", "preset": "mr-ben", "preset_version": "4", "shots": 0}
    for form in ("html", "md", "tex"):
        text = desk.get(of_run("run-report", run, form)).content.decode().replace("\\", "")
        assert "careful: m-7b, prompt mr-ben version 4, 0 shots" in text


def test_a_run_of_another_release_is_not_found(desk: Client, campaign: Campaign, run: JudgeRun) -> None:
    campaign.freeze("1.0.1")
    assert desk.get(reverse("run", args=["trial", "1.0.1", run.pk])).status_code == 404


@pytest.mark.parametrize("rows", [1, 3])
def test_a_release_takes_as_many_queries_for_one_judge_as_for_many(
    desk: Client, release: Release, answers: bytes, lead: User, django_assert_num_queries: Any, rows: int
) -> None:
    for n in range(rows):
        grade_run(release, f"judge {n}", answers, lead)
    with django_assert_num_queries(8):
        desk.get(reverse("release", args=["trial", "1.0.0"]))


def test_where_reasons_were_not_compared_a_right_step_is_all(desk: Client, release: Release, lead: User) -> None:
    answers = [{"id": item.item_id, "correct": False, "first_error": 1, "note": "x"} for item in release.items.all()]
    plain = grade_run(release, "plain", "\n".join(map(json.dumps, answers)).encode(), lead)
    page = words(desk.get(of_run("run", plain)))
    assert "right step 2" in page
    assert "right reason" not in page
    assert "Field that means nothing note on 3 lines" in page
    assert "wrong reason" not in words(desk.get(of_run("run-items", plain)))
    assert json.loads(desk.get(of_run("run-answers", plain)).content.splitlines()[0]) == answers[0]


def test_of_a_very_long_answer_the_beginning_is_shown(desk: Client, release: Release, lead: User) -> None:
    first = release.items.order_by("position")[0]
    line = json.dumps({"id": first.item_id, "raw": "x" * 20_000 + "the end"})
    long = grade_run(release, "long", line.encode(), lead)
    page = desk.get(of_run("run-items", long)).content.decode()
    assert "the answer has 20007 characters" in page
    assert "the end" not in page


def test_a_report_is_shown_without_loading_the_answers_file(run: JudgeRun) -> None:
    kept = answers_of(run)
    assert kept is not None
    assert kept.get_deferred_fields() == {"content"}
    assert bytes(kept.content).startswith(b"{")
