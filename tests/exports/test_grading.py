"""Grading without a database: the published fixture, made-up judges, reasons by nobody, people and a model."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.llm import Endpoint, EndpointError
from annotation.sources import mr_ben
from annotation.sources.records import SolutionRecord
from exports.folder import ReleaseFolder
from exports.grading import GradeReport, grade
from exports.parsing import AnswerError, read_answers
from exports.reasons import NO_REASONS, ReasonPolicy, by_model, by_people
from review.comparison import Case, Comparison, read
from tests.exports.small_release import solution
from tests.model_server import ModelServer, Trouble, model_server, rule_grader

SHARED = Path(__file__).resolve().parents[2].parent / "shared"

FORM = "Solution Analysis: see below.\nSolution Correctness: {}\nFirst Error Step: {}\nError Reason: {}"


def release(items: list[SolutionRecord]) -> ReleaseFolder:
    return ReleaseFolder({"project": "small", "version": "1.0"}, items, "f" * 64)


def graded(
    items: list[SolutionRecord], lines: list[dict[str, Any]], reasons: ReasonPolicy, **options: Any
) -> GradeReport:
    encoded = [json.dumps(line).encode() for line in lines]
    return grade(release(items), read_answers(encoded, items), reasons=reasons, **options)


def replying(reply: str) -> ReasonPolicy:
    """A reason judge that always replies the same text."""

    class Said:
        text, parsed = reply, None

    return ReasonPolicy("llm", {}, lambda cases, _: {item: read(Said()) for item in cases})


# --- the fixture of 20 solutions ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fixture() -> dict[str, Any]:
    path = SHARED / "oracles" / "21_grading_fixture.json"
    if not path.exists():
        pytest.skip("the published examples are not on this machine")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def fixture_report(fixture: dict[str, Any]) -> GradeReport:
    items = {gold["id"]: fixture_item(gold) for gold in fixture["gold"]}
    lines = [
        {
            "id": items[said["id"]].id,
            "raw": FORM.format(said["verdict"], said["step"], "as told") if said["step"] or said["verdict"][0] in "cC"
            else said["verdict"],
            "confidence": said["confidence"],
        }
        for said in fixture["predictions"]
    ]  # fmt: skip
    verdicts = {items[said["id"]].id: said["reason_verdict"] for said in fixture["predictions"]}
    return graded(list(items.values()), lines, reading_each(verdicts))


def fixture_item(gold: dict[str, Any]) -> SolutionRecord:
    step = gold["first_error_step"]
    first_error = None if step is None else step - 1
    return solution(gold["id"], first_error, subject=gold["subject"], n_steps=gold["n_steps"])


def reading_each(verdicts: dict[str, str]) -> ReasonPolicy:
    """The reason verdicts of the fixture, read as a model's replies are."""

    class Said:
        parsed = None

        def __init__(self, text: str) -> None:
            self.text = text

    return ReasonPolicy("llm", {}, lambda cases, _: {item: read(Said(verdicts[item])) for item in cases})


NAMES = {"pb_error_acc": "error_accuracy", "pb_correct_acc": "correct_accuracy", "pb_f1": "f1",
         "acc_step_within1": "acc_step_within_one", "coverage": "parse_rate"}  # fmt: skip


def agrees(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        ours = NAMES.get(name, name)
        told = found[ours] if ours in found else found["counts"][ours]
        assert told == pytest.approx(value), name


def test_the_fixture_pooled_by_subject_and_macro(fixture: dict[str, Any], fixture_report: GradeReport) -> None:
    report, expected = fixture_report.as_dict(), fixture["expected"]
    agrees(report["pooled"], expected["strict_micro"])
    agrees(report["macro"], expected["strict_macro"])
    agrees(report, expected["strict_macro"])
    agrees(report["answered_only"], expected["answered_only"])
    assert report["answered_only"]["coverage"] == expected["strict_micro"]["coverage"]
    for subject, values in expected["per_subject"].items():
        agrees(report["subjects"][subject], values)


def test_the_fixture_statuses_flags_and_bounds(fixture: dict[str, Any], fixture_report: GradeReport) -> None:
    report, expected = fixture_report.as_dict(), fixture["expected"]
    statuses = report["answers"]["statuses"]
    assert statuses["parsed"] + statuses["partial"] == expected["status_counts"]["ok"]
    assert (statuses["missing"], statuses["abstained"], statuses["unparsed"]) == (1, 1, 1)
    assert report["answers"]["flags"] == expected["flag_counts"]
    assert list(report["reason_bounds"]) == pytest.approx(expected["reason_bounds"])
    assert report["answers"]["duplicates"] == 1


def test_the_fixture_item_by_item(fixture: dict[str, Any], fixture_report: GradeReport) -> None:
    status = {"missing": "missing", "abstain": "abstained", "unparsable": "unparsed"}
    for row, expected in zip(fixture_report.rows, fixture["normalised"], strict=True):
        usable = "partial" if expected["verdict"] == "incorrect" and expected["step"] is None else "parsed"
        assert row.status == status.get(expected["status"], usable), expected["id"]
        assert row.correct == {"correct": True, "incorrect": False, None: None}[expected["verdict"]], expected["id"]
        assert row.first_error == (expected["step"] - 1 if expected["step"] else None), expected["id"]
        assert (row.reason_same or False) == (expected["reason_ok"] or False), expected["id"]
        assert list(row.flags) == expected["flags"], expected["id"]


# --- the made-up judges of the reference, 3.3 ---------------------------------------------------------------------

SAME, DIFFERENT = replying("Correct"), replying("Wrong")
Sayer = Callable[[SolutionRecord], str]


def oracle(step: str) -> Sayer:
    """A judge that knows the gold label and writes its step in some form."""

    def say(item: SolutionRecord) -> str:
        if item.gold is None or item.gold.verdict.first_error is None:
            return FORM.format("correct", "N/A", "N/A")
        position = item.gold.verdict.first_error
        name = item.steps[position].label or str(position + 1)
        return FORM.format("incorrect", step.format(name), item.gold.verdict.reason or "as told")

    return say


JUDGES: dict[str, tuple[Sayer, ReasonPolicy, float]] = {
    "oracle, reasons judged correct": (oracle("Step {}"), SAME, 100),
    "oracle, reasons judged wrong": (oracle("Step {}"), DIFFERENT, 50),
    "oracle, reasons judged incorrect": (oracle("Step {}"), replying("Incorrect"), 50),
    "oracle, reasons judged not correct": (oracle("Step {}"), replying("Not correct."), 50),
    "oracle, reason judge unparsable": (oracle("Step {}"), replying("ERROR_PARSING"), 50),
    "oracle, bare digit": (oracle("{}"), SAME, 100),
    "oracle, step with text": (oracle("Step {}: text"), SAME, 100),
    "oracle, bold": (oracle("**Step {}**"), SAME, 100),
    "always correct": (lambda _: FORM.format("correct", "N/A", "N/A"), SAME, 0),
    "nothing parsable": (lambda _: "The weather is fine.", SAME, 0),
}


def mr_score_of(items: list[SolutionRecord], say: Sayer, reasons: ReasonPolicy) -> tuple[float, GradeReport]:
    report = graded(items, [{"id": item.id, "raw": say(item)} for item in items], reasons)
    return 100 * report.as_dict()["mr_score"], report


@pytest.fixture(scope="module")
def own_items() -> list[SolutionRecord]:
    wrong = [solution(f"w{n}", n % 4, subject="math" if n % 2 else "biology") for n in range(8)]
    right = [solution(f"r{n}", None, subject="math" if n % 2 else "biology") for n in range(4)]
    return wrong + right


@pytest.fixture(scope="module")
def real_items() -> list[SolutionRecord]:
    folder = SHARED / "data" / "mr-ben"
    if not folder.exists():
        pytest.skip("the MR-Ben files are not on this machine")
    found = []
    for subject in ("biology", "chemistry", "coding", "math"):
        for record in mr_ben.read((folder / f"{subject}.json").read_bytes(), f"{subject}.json"):
            assert isinstance(record, SolutionRecord)
            if record.gold is not None:
                found.append(replace(record, problem=replace(record.problem, subject=subject)))
    return found


@pytest.mark.parametrize("judge", JUDGES)
def test_made_up_judges_on_own_data(own_items: list[SolutionRecord], judge: str) -> None:
    say, reasons, expected = JUDGES[judge]
    assert mr_score_of(own_items, say, reasons)[0] == pytest.approx(expected)


@pytest.mark.parametrize("judge", JUDGES)
def test_made_up_judges_on_the_real_files(real_items: list[SolutionRecord], judge: str) -> None:
    say, reasons, expected = JUDGES[judge]
    assert mr_score_of(real_items, say, reasons)[0] == pytest.approx(expected)


def test_an_unparsable_reason_judge_is_flagged_and_bounded(own_items: list[SolutionRecord]) -> None:
    say, reasons, _ = JUDGES["oracle, reason judge unparsable"]
    report = mr_score_of(own_items, say, reasons)[1].as_dict()
    assert report["answers"]["flags"] == {"reason_unresolved": 8}
    assert (report["reason_bounds"], len(report["reasons"]["unresolved"])) == ((0.0, 1.0), 8)


def test_a_judge_that_calls_everything_incorrect_at_step_1(real_items: list[SolutionRecord]) -> None:
    """Reference 1.1: in biology step 1 is 26.1 % of 418 errors; two of them name a step that is not there: no gold."""
    hits, errors = round(0.261 * 418), 418 - 2
    for reasons, weight in ((DIFFERENT, 0.3), (SAME, 0.3 + 0.5)):
        _, report = mr_score_of(real_items, lambda _: FORM.format("incorrect", "Step 1", "it is wrong"), reasons)
        found = report.as_dict()["subjects"]["biology"]
        assert (found["mcc"], found["counts"]["n_incorrect"], found["counts"]["step_hits"]) == (0, errors, hits)
        assert found["mr_score"] == pytest.approx(weight * hits / errors)


def test_a_judge_of_code_may_repeat_the_faulty_line(real_items: list[SolutionRecord]) -> None:
    def line(item: SolutionRecord) -> str:
        position = item.gold.verdict.first_error if item.gold else None
        return "" if position is None else item.steps[position].text

    def once(item: SolutionRecord) -> bool:
        return [step.text.strip() for step in item.steps].count(line(item).strip()) <= 1

    code = [item for item in real_items if item.problem.subject == "coding" and once(item)]
    assert len(code) > 200

    def say(item: SolutionRecord) -> str:
        wrong = FORM.format("incorrect", line(item), "it is wrong")
        return wrong if line(item) else FORM.format("correct", "N/A", "N/A")

    assert mr_score_of(code, say, SAME)[0] == pytest.approx(100)


# --- reasons ------------------------------------------------------------------------------------------------------


def two_hits() -> tuple[list[SolutionRecord], list[dict[str, Any]]]:
    """Four solutions: two with the step found, one at the wrong step, one correct and called so."""
    items = [solution("a", 1), solution("b", 2), solution("c", 3), solution("d", None)]
    said = [
        {"id": items[0].id, "correct": False, "first_error": 1, "reason": "the sum is wrong"},
        {"id": items[1].id, "correct": False, "first_error": 2, "reason": "no idea at all, sorry"},
        {"id": items[2].id, "correct": False, "first_error": 0, "reason": "the sum is wrong"},
        {"id": items[3].id, "correct": True},
    ]
    return items, said


def test_without_reasons_the_score_is_null_and_says_why() -> None:
    report = graded(*two_hits(), NO_REASONS).as_dict()
    assert [report[name] for name in ("mr_score", "acc_reason", "reason_bounds")] == [None, None, None]
    assert report["reasons"]["why_null"] == "Reasons were not compared."
    assert report["acc_step"] == pytest.approx(2 / 3)
    assert report["baselines"][0]["macro"]["mr_score"] is None


def test_gold_labels_without_reasons_leave_the_score_null() -> None:
    items = [solution("a", 1, reason=""), solution("b", None)]
    report = graded(items, [{"id": items[0].id, "correct": False, "first_error": 1, "reason": "x"}], SAME).as_dict()
    assert report["mr_score"] is None
    assert report["reasons"]["why_null"] == "The gold labels of this release have no reasons."


def test_people_may_have_compared_the_reasons() -> None:
    items, said = two_hits()
    verdicts = [
        {"id": items[0].id, "same": True, "note": "same sum"},
        {"id": items[2].id, "same": True},
    ]
    people = by_people([json.dumps(line).encode() for line in verdicts], [item.id for item in items])
    report = graded(items, said, people)
    assert [(row.compared, row.reason_same, row.explanation) for row in report.rows][:3] == [
        (True, True, "same sum"),
        (True, None, "The file of verdicts says nothing about this item."),
        (False, None, ""),
    ]
    assert report.as_dict()["acc_reason"] == pytest.approx(1 / 3)
    assert report.as_dict()["reasons"]["unresolved"] == [items[1].id]


def test_people_s_verdicts_are_read_strictly() -> None:
    lines = [
        b'{"id": "a", "same": true}',
        b'{"id": "a", "same": false}',
        b'{"id": "x", "same": true}',
        b'{"id": "a"}',
        b"-",
        b'{"id": ["a"], "same": true}',
    ]
    with pytest.raises(AnswerError) as caught:
        by_people(lines, ["a"])
    assert [problem.split(":")[0] for problem in caught.value.problems] == [f"Line {n}" for n in range(2, 7)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        model.answer = rule_grader
        yield model


def test_a_model_compares_only_where_the_step_is_right(server: ModelServer, tmp_path: Path) -> None:
    items, said = two_hits()
    calls: list[tuple[int, int]] = []
    policy = by_model(Endpoint("grader", server.base_url, "key", cache=tmp_path))
    report = graded(items, said, policy, progress=lambda done, total: calls.append((done, total)))
    assert [row.reason_same for row in report.rows] == [True, False, None, None]
    assert (len(server.requests), calls) == (2, [(0, 2), (1, 2), (2, 2)])
    facts = report.as_dict()["reasons"]
    assert (facts["model"], facts["prompt_version"], facts["compared"], facts["same"]) == ("grader", "reasons-2", 2, 1)
    again = graded(items, said, by_model(Endpoint("grader", server.base_url, "key", cache=tmp_path)))
    assert (again.as_dict(), len(server.requests)) == (report.as_dict(), 2)


def test_an_answer_without_a_reason_is_wrong_without_asking(server: ModelServer) -> None:
    items, said = two_hits()
    said[0]["reason"] = ""
    report = graded(items, said, by_model(Endpoint("grader", server.base_url, "key")))
    assert (report.rows[0].reason_same, report.rows[0].explanation) == (False, "No reason was given.")
    assert len(server.requests) == 1


def test_a_failed_call_is_undecided_and_a_wrong_model_stops_the_grading(server: ModelServer) -> None:
    items, said = two_hits()
    endpoint = Endpoint("grader", server.base_url, "key", retries=0)
    server.answer = lambda _: '{"analysis": "", "verdict": "same"}'
    endpoint.complete([{"role": "user", "content": "warm up"}], {"type": "object"})
    server.troubles = [Trouble(400)]
    report = graded(items, said, by_model(endpoint, concurrency=1))
    assert report.rows[0].flags == ("reason_unresolved",)
    assert "answers 400" in report.rows[0].explanation
    with pytest.raises(EndpointError, match="no model 'other'"):
        graded(items, said, by_model(Endpoint("other", server.base_url, "key", retries=0)))


# --- what the report says of itself -------------------------------------------------------------------------------


def test_the_report_names_release_versions_policy_weights_and_seed() -> None:
    report = graded(*two_hits(), SAME, weights=(0.25, 0.25, 0.5), seed=11).as_dict()
    how = report["how"]
    assert how["release"] == {"project": "small", "version": "1.0", "hash": "f" * 64}
    assert how["weights"] == {"mcc": 0.25, "acc_step": 0.25, "acc_reason": 0.5}
    assert how["bootstrap"]["seed"] == 11
    assert how["unparsed_policy"].startswith("wrong")
    assert {"scorer_version", "parser_version"} <= set(how)
    # MCC of tp 1, tn 3 is 1; two of three steps, two of three reasons
    assert report["mr_score"] == pytest.approx(0.25 + 0.25 * 2 / 3 + 0.5 * 2 / 3)
    assert json.loads(json.dumps(report, allow_nan=False)) is not None


def test_the_same_seed_gives_the_same_report() -> None:
    first = graded(*two_hits(), SAME, seed=3).as_dict()
    assert graded(*two_hits(), SAME, seed=3).as_dict() == first


def test_weights_must_be_shares() -> None:
    with pytest.raises(ValueError, match="add up"):
        graded(*two_hits(), SAME, weights=(1, 1, 1))


def test_the_answer_oracle_uses_the_key_in_force() -> None:
    keys = (("A",), ("B", "C"))
    items = [
        solution("a", None, answer_keys=keys, final_answer=" c "),
        solution("b", 0, answer_keys=keys, final_answer="A"),
        solution("c", 0, answer_keys=keys, final_answer=None),
    ]
    report = graded(items, [{"id": items[0].id, "correct": True}], NO_REASONS).as_dict()
    oracle_judge = report["baselines"][-1]
    assert oracle_judge["name"] == "answer_oracle"
    counts = oracle_judge["pooled"]["counts"]
    assert (counts["tp"], counts["step_hits"], counts["answered"]) == (1, 1, 2)


def test_every_item_has_a_row_answered_or_not() -> None:
    items, said = two_hits()
    report = graded(items, said[:1], NO_REASONS)
    assert [row.id for row in report.rows] == [item.id for item in items]
    assert report.as_dict()["answers"]["missing"] == [item.id for item in items[1:]]
    row = report.rows[0].as_dict()
    assert (row["status"], row["gold_first_error"], row["reason"]) == ("parsed", 1, "the sum is wrong")


def test_cases_hold_what_the_judge_said() -> None:
    seen: dict[str, Case] = {}

    def compare(cases: Any, progress: object) -> dict[str, Comparison]:
        seen.update(cases)
        return {item: Comparison(True) for item in cases}

    items, said = two_hits()
    said[0]["rectified"] = "add again"
    graded(items, said, ReasonPolicy("llm", {}, compare))
    assert set(seen) == {items[0].id, items[1].id}
    assert (seen[items[0].id].reason, seen[items[0].id].rectified) == ("the sum is wrong", "add again")


def test_what_a_source_says_of_the_final_answer_counts_where_the_answer_itself_is_not_known() -> None:
    told = {"right": (None, True), "gone wrong": (1, True), "wrong": (1, False)}
    items = [replace(solution(name, step), provenance={"final_answer_correct": right})
             for name, (step, right) in told.items()]  # fmt: skip
    report = graded(items, [{"id": item.id, "correct": True} for item in items], NO_REASONS).report
    oracle = next(each for each in report["baselines"] if each["name"] == "answer_oracle")
    assert (oracle["pooled"]["counts"]["tp"], oracle["pooled"]["counts"]["tn"]) == (1, 1)
    rows = {row["value"]: row["n"] for row in report["breakdowns"]["right_answer_wrong_process"]}
    assert rows == {"right answer, wrong process": 1, "wrong answer": 1}


def test_the_cost_of_an_item_is_a_mean_over_the_answers_that_state_a_cost() -> None:
    items = [solution(name, None) for name in "abcd"]
    tokens = {"prompt": 10, "completion": 1}
    beside: list[dict[str, Any]] = [{"tokens": tokens, "cost": 0.03}, {"tokens": tokens}, {"cost": 0.01}, {}]
    lines = [{"id": item.id, "correct": True, **more} for item, more in zip(items, beside, strict=True)]
    cost = graded(items, lines, NO_REASONS).report["cost"]
    assert (cost["prompt_tokens"], cost["cost"], cost["cost_per_item"]) == (20, 0.04, pytest.approx(0.02))
