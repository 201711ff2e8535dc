"""People's checks of a model's verdicts: published counts, closed forms, and what is refused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation.sources.records import SolutionRecord
from exports.double_sampling import (
    CannotCorrect,
    Confusion,
    Rate,
    agreement,
    corrected_rate,
    draw_confirmed,
    ppi_rate,
)
from exports.grading import GradeReport, grade
from exports.human_checks import RANDOM, draw, drawn_from, read_checks, sheet, verdicts
from exports.parsing import AnswerError, read_answers
from exports.reasons import NO_REASONS, ReasonPolicy
from exports.scoring import Graded
from exports.trust import with_checks
from review.comparison import Comparison, read
from tests.exports.small_release import solution
from tests.exports.test_grading import release
from tests.review.oracles import entries, entry, oracle, shared

EIGHTY = Confusion(tp=40, fn=5, fp=14, tn=21)  # of 326 verdicts, 54 + 170 of them "same"


def all_checked(counts: Mapping[str, int]) -> tuple[Confusion, int, int]:
    found = Confusion(*(counts[name] for name in ("tp", "fn", "fp", "tn")))
    return found, found.tp + found.fp, found.n


@pytest.mark.parametrize("published", entries("19_llm_vs_human_reason", leaving_out=("TRANSPORT",)))
def test_agreement_of_people_and_gpt_4_as_published(published: Mapping[str, Any]) -> None:
    found = agreement(*all_checked(published["confusion"]), np.random.default_rng(0))
    expected = published["recomputed"]["reference"]
    assert found["n_checked"] == expected["n"]
    names = {"human_rate": "human_rate", "model_rate": "llm_rate", "agreement": "agreement", "kappa": "kappa",
             "ac1": "gwet_ac1", "sensitivity": "sensitivity", "specificity": "specificity"}  # fmt: skip
    for ours, theirs in names.items():
        assert found[ours] == pytest.approx(expected[theirs]), ours
    assert 100 * found["bias"] == pytest.approx(expected["bias_points"], abs=1e-9)
    assert found["mcnemar_p"] == pytest.approx(expected["mcnemar_p"], rel=1e-6)
    if found["n_checked"] < 10:
        assert found["intervals"]["kappa"] is None, "among so few, kappa is often undefined"
        return
    low, high = found["intervals"]["kappa"]
    assert low < found["kappa"] < high


def test_the_counts_come_from_the_files_themselves() -> None:
    """MR-GSM8K's verdicts as its authors stored them; the file of the fine-tuned Llama is not among the copies."""
    for name, key in (("Claude", "Claude2"), ("GPT3_5", "GPT-3.5")):
        records = json.loads(shared("data", "mr-gsm8k", f"gpt4grading_{name}.json").read_text(encoding="utf-8"))
        cells = [(model_verdict(record), record["error_reason_correctness"] == "correct") for record in records]
        counted = {"tp": (True, True), "fn": (False, True), "fp": (True, False), "tn": (False, False)}
        published = entry("19_llm_vs_human_reason", f"HUMAN-vs-GPT4-{key}")["confusion"]
        assert {cell: cells.count(value) for cell, value in counted.items()} == {
            cell: published[cell] for cell in counted
        }


def model_verdict(record: Mapping[str, Any]) -> bool | None:
    class Said:
        text, parsed = record["gpt4_error_reason_correctness_analysis"]["response"], None

    return read(Said()).same


def test_double_sampling_as_published() -> None:
    published = entry("20_ppi", "DOUBLE-SAMPLING-80-246")["recomputed"]["reference"]
    rate = corrected_rate(EIGHTY, 54 + 170, 326)
    assert [rate.estimate, EIGHTY.ppv, EIGHTY.missed] == pytest.approx(
        [published["est"], published["ppv"], published["one_minus_npv"]]
    )
    # by hand: w1 = 224/326; 41/56 x 15/56 / 56, 6/28 x 22/28 / 28, w1 w0 (PPV - (1 - NPV))^2 / 326
    w1 = 224 / 326
    hand = w1**2 * 41 * 15 / 56**3 + (1 - w1) ** 2 * 6 * 22 / 28**3 + w1 * (1 - w1) * (40 / 54 - 5 / 26) ** 2 / 326
    assert rate.error == pytest.approx(hand**0.5)


def test_ppi_is_that_of_the_library_and_agrees_with_double_sampling() -> None:
    recomputed = entry("20_ppi", "PPI-80-246")["recomputed"]
    library, textbook = recomputed["ppi-python 0.2.3"], recomputed["reference"]
    for power, name in ((1.0, "lam1"), (0.0, "lam0")):
        rate = ppi_rate(EIGHTY, 224, 326, power)
        assert rate.estimate == pytest.approx(library[f"est_{name}"], abs=1e-12)
        assert list(rate.interval) == pytest.approx([library[f"lo_{name}"], library[f"hi_{name}"]], abs=1e-6)
    best = ppi_rate(EIGHTY, 224, 326)
    assert best.estimate == pytest.approx(textbook["est_star"], abs=2e-4)
    assert best.estimate == pytest.approx(corrected_rate(EIGHTY, 224, 326).estimate, abs=5e-4)


def test_a_sample_drawn_by_verdict_is_weighted_back() -> None:
    # 100 of 900 "same" and 100 of 100 "different" checked; people confirm 80 % and reverse 10 %
    found = agreement(Confusion(80, 10, 20, 90), 900, 1000, np.random.default_rng(1))
    assert found["human_rate"] == pytest.approx(0.9 * 0.8 + 0.1 * 0.1)
    assert found["bias"] == pytest.approx(0.9 - 0.73)
    assert found["mcnemar_p"] is None
    low, high = found["intervals"]["bias"]
    assert low < 0.17 < high
    # variances: .9 PPV of 100: .81 x .8 x .2 / 100, .1 (1 - NPV): .01 x .1 x .9 / 100, the share: .3^2 x .9 x .1 / 1000
    assert high - low == pytest.approx(2 * 1.96 * (0.001296 + 0.000009 + 0.0000081) ** 0.5, rel=0.05)


def test_a_plain_sample_has_an_exact_test_of_bias() -> None:
    found = agreement(Confusion(80, 10, 20, 90), 900, 1000, np.random.default_rng(1), plain=True)
    assert found["mcnemar_p"] == pytest.approx(0.0987, abs=5e-5)  # twice the chance of 10 heads or fewer of 30


def test_too_few_checks_are_refused_by_every_figure() -> None:
    with pytest.raises(CannotCorrect, match="20 are needed"):
        agreement(Confusion(tp=40, fn=0, fp=10, tn=19), 100, 200, np.random.default_rng(0))
    with pytest.raises(CannotCorrect, match="two unchecked"):
        ppi_rate(Confusion(tp=30, fn=0, fp=0, tn=30), 30, 61)
    with pytest.raises(CannotCorrect, match="Two checked"):
        ppi_rate(Confusion(tp=1, fn=0, fp=0, tn=0), 30, 61)


def test_a_rare_verdict_is_enough_when_all_of_it_was_checked() -> None:
    # 4 of 200 verdicts are "different": people reverse one of them, and 10 of the 50 checked "same"
    checked = Confusion(tp=40, fn=1, fp=10, tn=3)
    rate = corrected_rate(checked, 196, 200)
    assert rate.estimate == pytest.approx(196 / 200 * 0.8 + 4 / 200 * 0.25)
    with pytest.raises(CannotCorrect, match=r'checked 4 of the model.s 5 verdicts "different"; 5 are needed'):
        corrected_rate(checked, 196, 201)
    with pytest.raises(CannotCorrect, match=r"checked 19 of .* 20 are needed"):
        corrected_rate(Confusion(tp=40, fn=0, fp=10, tn=19), 100, 200)


def test_a_share_ends_at_0_and_1() -> None:
    assert list(Rate(0.02, 0.1).interval) == pytest.approx([0, 0.02 + 1.96 * 0.1], abs=1e-5)
    assert list(Rate(0.97, 0.1).interval) == pytest.approx([0.97 - 1.96 * 0.1, 1], abs=1e-5)


def test_checks_that_all_came_out_alike_leave_doubt() -> None:
    # 20 of 20 confirmed: one success and one failure more make 21 of 22
    ppv, missed = draw_confirmed(Confusion(tp=20, fn=0, fp=0, tn=20), np.random.default_rng(0))
    for drawn, expected in ((ppv, 21 / 22), (missed, 1 / 22)):
        assert drawn.mean() == pytest.approx(expected, abs=0.002)
        assert drawn.std() == pytest.approx((21 / (22**2 * 23)) ** 0.5, rel=0.05)


def test_a_model_that_says_one_thing_only_is_corrected_by_what_it_says() -> None:
    for checked, n_same, expected in ((Confusion(45, 0, 15, 0), 300, 0.75), (Confusion(0, 6, 0, 24), 0, 0.2)):
        assert corrected_rate(checked, n_same, 300).estimate == pytest.approx(expected)
        found = agreement(checked, n_same, 300, np.random.default_rng(0))
        assert (found["ppv"] is None, found["npv"] is None) == (n_same == 0, n_same == 300)
        assert found["human_rate"] == pytest.approx(expected)


def test_intervals_of_the_corrected_rate_hold_the_truth_as_often_as_they_say() -> None:
    # GPT-4's error rates on Claude 2 (reference, 4.2): 500 verdicts, 150 checked; raw is 12 points too high
    rng, held, raw = np.random.default_rng(4), 0, 0
    tp, fn, fp, tn = np.array([168, 17, 56, 85]) / 326
    for _ in range(400):
        cells = rng.multinomial(500, [tp, fn, fp, tn])
        checked = rng.multivariate_hypergeometric(cells, 150)
        n_same = int(cells[0] + cells[2])
        low, high = corrected_rate(Confusion(*map(int, checked)), n_same, 500).interval
        held += low <= tp + fn <= high
        raw += abs(n_same / 500 - tp - fn) < 0.05
    assert 0.92 <= held / 400 <= 0.98
    assert raw == 0


# --- a grading, its sample, and the corrected report ----------------------------------------------------------------

ITEMS = [solution(f"w{n}", 1, subject="math" if n % 2 else "art", problem=f"p{n}") for n in range(120)]
ITEMS += [solution(f"r{n}", None, subject="math" if n % 2 else "art") for n in range(40)]


def graded(mode: str = "llm", reasons: bool = True, items: Sequence[SolutionRecord] = ITEMS) -> GradeReport:
    """100 of 120 steps found; the model credits 70 of those reasons."""
    lines = []
    for n, item in enumerate(items):
        wrong = n < 120
        said = {"first_error": 1 if n < 100 else 0, "reason": "because"} if wrong else {}
        lines.append(json.dumps({"id": item.id, "correct": not wrong, **said}).encode())
    credited = {item.id for item in items[:70]}

    def compare(cases: Mapping[str, Any], _: object) -> dict[str, Comparison]:
        return {item: Comparison(item in credited) for item in cases}

    facts = {"model": "grader", "prompt_version": "reasons-2"}
    policy = ReasonPolicy(mode, facts, compare) if reasons else NO_REASONS  # type: ignore[arg-type]
    return grade(release(list(items)), read_answers(lines, items), reasons=policy)


def filled(report: GradeReport, human: Any, size: int = 60, **changed: Any) -> list[bytes]:
    ids = draw(verdicts(report.graded), np.random.default_rng(0), size)
    lines = [json.loads(line) for line in sheet(ids, report.cases, drawn_from(report.report))]
    return [json.dumps({**line, "same": human(n, line["id"]), **changed}).encode() for n, line in enumerate(lines)]


def test_the_sample_is_half_of_each_verdict_and_blind() -> None:
    report = graded()
    told = verdicts(report.graded)
    ids = draw(told, np.random.default_rng(0), 50)
    assert [sum(told[item] is wanted for item in ids) for wanted in (True, False)] == [25, 25]
    assert {told[item] for item in ids[:20]} == {told[item] for item in ids[-20:]} == {True, False}, "in mixed order"
    assert set(ids) != set(draw(told, np.random.default_rng(1), 50))
    few = draw(told, np.random.default_rng(0), 90)
    assert sum(not told[item] for item in few) == 30
    assert len(few) == 90
    lines = [json.loads(line) for line in sheet(ids, report.cases, drawn_from(report.report))]
    assert {line["same"] for line in lines} == {None}
    assert lines[0]["case"]["accepted"] == [["the sum is wrong", "so it goes"]]
    assert set(lines[0]) == {"id", "same", "checker", "note", "design", "answers", "model", "prompt_version", "case"}


def test_an_undecided_verdict_is_drawn_as_different_and_a_missed_step_not_at_all() -> None:
    undecided = Graded("undecided", "math", "p", False, 1, False, 1, None)
    missed = Graded("missed", "math", "p", False, 1, False, 2, None)
    assert verdicts([undecided, missed]) == {"undecided": False}


def test_a_plain_random_sample_holds_the_verdicts_as_they_come() -> None:
    report = graded()
    told = verdicts(report.graded)
    same = [sum(told[item] for item in draw(told, np.random.default_rng(n), 50, RANDOM)) for n in range(200)]
    # 50 of 70 and 30: 35 the same on average, with a variance of 50 (.7)(.3)(50 / 99)
    assert abs(np.mean(same) - 35) < 4 * (50 * 0.21 * 50 / 99 / 200) ** 0.5
    assert len(set(draw(told, np.random.default_rng(0), 300, RANDOM))) == 100
    lines = [json.loads(line) for line in sheet([ITEMS[0].id], report.cases, {}, RANDOM)]
    assert [line["design"] for line in lines] == ["random"]


def test_an_unchecked_report_says_so_and_a_checked_one_is_corrected() -> None:
    report = graded()
    assert report.as_dict()["reasons"]["trust"] == {"status": "unchecked"}
    told = verdicts(report.graded)
    # people take back every third "same" (10 of 30), and give none of the others
    taken = {item for n, item in enumerate(sorted(i for i, same in told.items() if same)) if n % 3 == 0}
    checked = with_checks(report, read_checks(filled(report, lambda _, item: told[item] and item not in taken)))
    trust = checked.as_dict()["reasons"]["trust"]
    ppv = trust["agreement"]["ppv"]
    assert 0.5 < ppv < 0.85
    assert trust["right_given_step"]["estimate"] == pytest.approx(0.7 * ppv)
    pooled = trust["corrected"]["pooled"]
    # ACC_step 100/120 times theta, and half the difference in the score
    assert pooled["acc_reason"] == pytest.approx(100 / 120 * 0.7 * ppv)
    raw = checked.as_dict()["pooled"]
    assert pooled["mr_score"] == pytest.approx(raw["mr_score"] - 0.5 * (raw["acc_reason"] - pooled["acc_reason"]))
    for found in (pooled, trust["corrected"]["macro"], *trust["corrected"]["subjects"].values()):
        for metric, (low, high) in found["intervals"].items():
            assert low < found[metric] < high
            assert (low + high) / 2 == pytest.approx(found[metric], abs=0.02), (
                "around the corrected figure, not the raw"
            )
    assert set(trust["corrected"]["subjects"]) == {"art", "math"}
    # 80 items a subject: weighted by items is the plain mean
    weighted = trust["corrected"]["item_weighted"]
    assert weighted["acc_reason"] == pytest.approx(trust["corrected"]["macro"]["acc_reason"])
    assert weighted["mr_score"] == pytest.approx(trust["corrected"]["macro"]["mr_score"])
    assert trust["ppi"] is None  # the sample was drawn by verdict
    json.dumps(checked.as_dict(), allow_nan=False)


def uneven(*problems: str) -> list[SolutionRecord]:
    """30 solutions in math, all incorrect, and 130 in art; a problem named for a subject is the only one there."""
    subjects = ["math"] * 30 + ["art"] * 130
    return [
        solution(f"s{n}", 1 if n < 120 else None, subject=name, problem=name if name in problems else f"p{n}")
        for n, name in enumerate(subjects)
    ]


def trusted(items: Sequence[SolutionRecord]) -> Mapping[str, Any]:
    """The corrected figures when people find every reason right: ACC_reason is ACC_step then."""
    report = graded(items=items)
    found: Mapping[str, Any] = with_checks(report, read_checks(filled(report, lambda *_: True))).report["reasons"]
    return found["trust"]["corrected"]  # type: ignore[no-any-return]


def test_each_mean_is_corrected_as_itself() -> None:
    found = trusted(uneven("math"))
    # steps found: 30 of 30 in math, 70 of 90 in art
    expected = {"macro": (1 + 7 / 9) / 2, "pooled": 100 / 120, "item_weighted": (30 + 130 * 7 / 9) / 160}
    assert {name: found[name]["acc_reason"] for name in expected} == pytest.approx(expected)
    assert found["item_weighted"]["intervals"] == {"acc_reason": None, "mr_score": None}
    middle = {name: sum(found[name]["intervals"]["acc_reason"]) / 2 for name in ("macro", "pooled")}
    assert middle["pooled"] / middle["macro"] == pytest.approx(expected["pooled"] / expected["macro"], rel=0.02)


def test_solutions_of_a_single_problem_are_corrected_without_an_interval() -> None:
    found = trusted([*uneven("math"), solution("c", None, subject="chess")])["subjects"]
    assert found["chess"]["acc_reason"] is found["chess"]["mr_score"] is None, "no solution is incorrect there"
    assert found["math"]["intervals"] == {"acc_reason": None, "mr_score": None}
    assert found["art"]["intervals"]["acc_reason"] is not None
    found = trusted(uneven("math", "art"))
    assert found["macro"]["intervals"] == found["pooled"]["intervals"] == {"acc_reason": None, "mr_score": None}


def test_two_people_are_compared_and_differences_need_a_decision() -> None:
    report = graded()
    first = filled(report, lambda n, _: n % 2 == 0, checker="ana")
    second = filled(report, lambda n, _: n % 2 == 0 or n == 1, checker="ben")
    with pytest.raises(AnswerError, match="people differ"):
        read_checks([*first, *second])
    decided = json.dumps({**json.loads(second[1]), "same": False, "checker": "ada", "adjudicated": True}).encode()
    checks = read_checks([*first, *second, decided])
    assert checks.same[json.loads(second[1])["id"]] is False
    assert checks.between_people is not None
    assert checks.between_people["n"] == 60
    assert checks.between_people["agreement"] == pytest.approx(59 / 60)
    # 30 and 31 of 60 called the same: by chance .5 alike
    assert checks.between_people["kappa"] == pytest.approx((59 / 60 - 0.5) / 0.5)
    nameless = filled(report, lambda n, _: n % 2 == 0)
    assert read_checks([*nameless, *first]).between_people is None, "both may be of one person"


def test_only_a_sample_that_is_plain_all_through_is_taken_for_one() -> None:
    report = graded()
    plain = filled(report, lambda n, _: n % 2 == 0, design="random")
    assert read_checks(plain).plain
    assert not read_checks([*plain[:30], *filled(report, lambda n, _: n % 2 == 0)[30:]]).plain
    assert with_checks(report, read_checks(plain)).report["reasons"]["trust"]["ppi"] is not None
    everything = filled(report, lambda *_: True, size=100, design="random")
    assert with_checks(report, read_checks(everything)).report["reasons"]["trust"]["ppi"] is None, "nothing is left"


def test_the_seed_of_the_grading_is_that_of_the_correction() -> None:
    report = graded()
    checks, how = read_checks(filled(report, lambda n, _: n % 3 != 0)), report.report["how"]

    def interval(seed: int) -> Any:
        seeded = {**report.report, "how": {**how, "bootstrap": {**how["bootstrap"], "seed": seed}}}
        trust = with_checks(replace(report, report=seeded), checks).report["reasons"]["trust"]
        return trust["corrected"]["pooled"]["intervals"]["acc_reason"]

    assert interval(5) == interval(5)
    assert interval(5) != interval(6)


def test_a_sample_of_something_else_is_refused() -> None:
    report = graded()
    right = filled(report, lambda n, _: n % 2 == 0)
    for changed in ({"prompt_version": "reasons-0"}, {"model": "other"}, {"answers": "0" * 64}):
        lines = filled(report, lambda *_: True, 60, **changed)
        with pytest.raises(CannotCorrect, match="this grading has"):
            with_checks(report, read_checks(lines))
    with pytest.raises(CannotCorrect, match="20 are needed"):
        with_checks(report, read_checks(right[:30]))
    strange = json.dumps({**json.loads(right[0]), "id": ITEMS[110].id}).encode()
    with pytest.raises(CannotCorrect, match="was not compared"):
        with_checks(report, read_checks([*right, strange]))
    with pytest.raises(CannotCorrect, match="No model compared"):
        with_checks(graded(mode="file"), read_checks(right))
    with pytest.raises(CannotCorrect, match="No model compared"):
        with_checks(graded(reasons=False), read_checks(right))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([b"no json"], "Line 1"),
        ([b'{"id": "a", "same": "yes"}'], "Line 1"),
        ([b'{"id": "a", "same": null}'], "No line"),
        (
            [b'{"id": "a", "same": true, "model": "x"}', b'{"id": "b", "same": true, "model": "y"}'],
            "different gradings",
        ),
    ],
)
def test_a_sheet_that_cannot_be_read_is_refused(lines: list[bytes], words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        read_checks(lines)


def test_every_counted_verdict_of_the_reference_is_here() -> None:
    pooled = next(each for each in oracle("19_llm_vs_human_reason")["entries"] if each["id"].endswith("POOLED"))
    assert sum(pooled["confusion"][name] for name in ("tp", "fn", "fp", "tn")) == 851
