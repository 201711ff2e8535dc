"""Two judges on the same items: who repaired what, how sure the difference is, and what could be seen at all."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from exports.compared_judges import Judge, NotComparable, judge_of
from exports.comparing import FLIPS_ARE_RAW, compare
from exports.corrections import corrected_resamples
from exports.double_sampling import Confusion, corrected_rate
from exports.flips import flips, ledger
from exports.joint_resamples import bounds, resample, two_sided_p
from exports.leaderboard import rank_judges
from exports.scoring import Graded
from exports.split_gap import split_facts, split_gaps
from tests.review.oracles import entry


def wrong(name: str, correct: bool | None, step: int | None = None, same: bool | None = None, **more: str) -> Graded:
    """An incorrect solution whose first error is at step 1."""
    return Graded(name, more.get("subject", "math"), more.get("problem", name), False, 1, correct, step, same)


def right(name: str, correct: bool | None, **more: str) -> Graded:
    return Graded(name, more.get("subject", "math"), more.get("problem", name), True, None, correct)


FIRST = (
    wrong("missed", True), wrong("seen", False, 0), wrong("step", False, 1, False), wrong("all", False, 1, True),
    right("good", True), right("bad", False), right("silent", None),
)  # fmt: skip
SECOND = (
    wrong("missed", False, 1, True), wrong("seen", False, 2), wrong("step", False, 0), wrong("all", False, 1, False),
    right("good", None), right("bad", True), right("silent", None),
)  # fmt: skip


def test_every_item_is_repaired_broken_or_as_before() -> None:
    verdict = flips(FIRST, SECOND, "verdict")
    assert verdict.repaired == ("missed", "bad")
    assert verdict.broken == ("good",)
    assert verdict.both_right == ("seen", "step", "all")
    assert verdict.both_wrong == ("silent",)
    step = flips(FIRST, SECOND, "step")
    assert (step.repaired, step.broken, step.both_right, step.both_wrong) == (
        ("missed",), ("step",), ("all",), ("seen",)
    )  # fmt: skip
    reason = flips(FIRST, SECOND, "reason")
    assert (reason.repaired, reason.broken, reason.both_wrong) == (("missed",), ("all",), ("seen", "step"))


def test_the_ledger_of_subjects_adds_up_and_is_adjusted() -> None:
    both = [(12, 1, "math"), (6, 6, "physics"), (0, 0, "art")]
    first, second = [], []
    for repaired, broken, subject in both:
        before = [False] * repaired + [True] * broken + [True] * 5
        after = [True] * repaired + [False] * broken + [True] * 5
        first += [right(f"{subject}{n}", said, subject=subject) for n, said in enumerate(before)]
        second += [right(f"{subject}{n}", said, subject=subject) for n, said in enumerate(after)]
    found = ledger(first, second, reasons=False)
    assert set(found) == {"verdict", "step"}
    total, parts = found["verdict"]["total"], found["verdict"]["subjects"]
    assert total["counts"] == {"repaired": 18, "broken": 7, "both_right": 15, "both_wrong": 0}
    # 13 flips, 12 of them one way: 2 (1 + 13) / 2^13; the least of three p is multiplied by 3
    assert parts["math"]["p"] == pytest.approx(2 * 14 / 2**13)
    assert parts["math"]["q"] == pytest.approx(3 * 2 * 14 / 2**13)
    assert parts["art"]["p"] == 1
    # no incorrect solution at all: nothing is said of steps
    assert (found["step"]["total"]["n"], found["step"]["total"]["p"]) == (0, None)


def pair_of(counts: dict[tuple[bool, bool], int], each: int = 1) -> tuple[list[Graded], list[Graded]]:
    """Correct solutions by whether the two judges say so, `each` of them to a problem."""
    first, second, n = [], [], 0
    for (one, other), number in counts.items():
        for _ in range(number):
            problem = f"p{n // each}"
            first.append(right(f"r{n}", one, problem=problem))
            second.append(right(f"r{n}", other, problem=problem))
            n += 1
    return first, second


SEED = {(False, True): 12, (True, False): 10, (True, True): 60, (False, False): 18}


def test_the_spread_of_the_paired_resamples_is_that_of_the_algebra() -> None:
    published = entry("15_bootstrap", "PAIRED-SEED")["recomputed"]["reference"]
    drawn = resample(pair_of(SEED), np.random.default_rng(5)).pooled["correct_accuracy"]
    difference = drawn[:, 1] - drawn[:, 0]
    assert difference.mean() == pytest.approx(published["diff"], abs=0.002)
    assert difference.std() == pytest.approx(published["se"], rel=0.03)


def test_resamples_of_four_items_have_the_enumerated_distribution() -> None:
    published = entry("15_bootstrap", "ENUM-4")
    items = [right(str(n), bool(value)) for n, value in enumerate(published["inputs"])]
    drawn = resample([items], np.random.default_rng(2), resamples=40_000).pooled["correct_accuracy"][:, 0]
    for value, ways in published["distribution"].items():
        assert (drawn == float(value)).mean() == pytest.approx(ways / 256, abs=0.01), value


def test_solutions_of_one_problem_are_drawn_together() -> None:
    alone = resample(pair_of({**SEED, (True, True): 58}), np.random.default_rng(1)).pooled["correct_accuracy"]
    four = {key: 4 * (number // 4) for key, number in SEED.items()}
    together = resample(pair_of(four, each=4), np.random.default_rng(1)).pooled["correct_accuracy"]
    ratio = (together[:, 1] - together[:, 0]).std() / (alone[:, 1] - alone[:, 0]).std()
    assert ratio == pytest.approx(2, rel=0.1)


def test_a_subject_without_incorrect_solutions_is_left_out_of_the_mean_of_steps() -> None:
    items = [wrong(f"w{n}", False, 1) for n in range(4)] + [right(f"r{n}", True, subject="art") for n in range(4)]
    assert (resample([items], np.random.default_rng(0), resamples=50).macro["acc_step"] == 1).all()


def test_p_of_resamples_is_never_0_and_undefined_stays_so() -> None:
    assert two_sided_p(np.array([0.1] * 99)) == pytest.approx(2 / 100)
    assert two_sided_p(np.array([-1.0, 1.0] * 50)) == 1
    mostly_unknown = np.array([math.nan] * 10 + [1.0] * 90)
    assert (bounds(mostly_unknown), two_sided_p(mostly_unknown)) == (None, None)


def judges(*, reasons: bool = True) -> list[Judge]:
    """The second finds 30 of 40 errors and the first 10, both with a reason; the same on 40 correct solutions."""
    first = [wrong(f"w{n}", False, 1 if n < 10 else 0, True) for n in range(40)]
    second = [wrong(f"w{n}", False, 1 if n < 30 else 0, True) for n in range(40)]
    same = [right(f"r{n}", n < 35) for n in range(40)]
    return [Judge("old", (*first, *same), reasons), Judge("new", (*second, *same), reasons)]


def test_a_pair_in_detail() -> None:
    report = compare(judges(), seed=3)
    (pair,) = report["pairs"]
    claim = pair["claim"]
    # 20 more of 40 steps and reasons: .3 x .5 + .5 x .5
    assert claim["difference"] == pytest.approx(0.8 * 0.5)
    assert claim["interval"][0] > 0.2
    assert claim["p"] == claim["p_holm"] == pytest.approx(2 / 10_001)
    assert pair["differences"]["pooled"]["mcc"]["difference"] == 0
    steps_alone = compare(judges(), weights=(0, 1, 0))["pairs"][0]["claim"]
    assert steps_alone["difference"] == pytest.approx(0.5)
    assert sum(steps_alone["interval"]) / 2 == pytest.approx(0.5, abs=0.02)
    assert pair["differences"]["subjects"]["math"]["acc_step"]["q"] == pytest.approx(2 / 10_001)
    assert pair["flips"]["step"]["total"]["counts"]["repaired"] == 20
    assert pair["power"]["kinds"]["step"]["discordance"] == 0.5
    # the difference of steps varies as sqrt(.25 / 40), of the score as .8 of it; 2.8 of those are needed
    assert pair["power"]["smallest"] == pytest.approx(2.8016 * 0.8 * math.sqrt(0.25 / 40), rel=0.05)
    assert "separates two judges" in pair["power"]["statement"]


OLD, NEW = Confusion(tp=40, fn=0, fp=10, tn=0), Confusion(tp=30, fn=0, fp=30, tn=0)


def by_model(old: Confusion | None = OLD, new: Confusion | None = NEW) -> list[Judge]:
    """A model called every reason the same; people confirm 80 % of the first judge's and half of the second's."""
    return [
        replace(judge, by_model=True, reasons_how="g, prompt 1", checked=checked)
        for judge, checked in zip(judges(), (old, new), strict=True)
    ]


def test_judges_that_people_checked_are_compared_as_corrected() -> None:
    report = compare(by_model(), seed=3)
    (pair,) = report["pairs"]
    # reasons: 10 of 40 times .8 against 30 of 40 times .5; the score moves by .3 x .5 + .5 x .175
    reason = pair["differences"]["pooled"]["acc_reason"]
    assert (reason["first"], reason["second"]) == (pytest.approx(0.2), pytest.approx(0.375))
    assert pair["claim"]["difference"] == pytest.approx(0.3 * 0.5 + 0.5 * 0.175)
    assert pair["differences"]["subjects"]["math"]["mr_score"]["difference"] == pytest.approx(0.2375)
    low, high = reason["interval"]
    assert (
        low < 0.175 < high < compare(by_model(None, None))["pairs"][0]["differences"]["pooled"]["acc_reason"]["second"]
    )
    assert report["how"]["reasons_standing"] == report["leaderboard"]["word"] == "corrected"
    assert "(corrected)" in pair["power"]["statement"]
    best = report["leaderboard"]["judges"][0]
    assert (best["judge"], best["raw"] - best["score"]) == ("new", pytest.approx(0.5 * 0.375))
    assert pair["flips"]["reason"]["by_model"]
    assert FLIPS_ARE_RAW in pair["notes"]


def test_a_judge_that_nobody_checked_leaves_all_unchecked() -> None:
    report = compare(by_model(new=None), seed=3)
    assert report["how"]["reasons_standing"] == report["leaderboard"]["word"] == "unchecked"
    assert report["how"]["checks"] == {"old": {"tp": 40, "fn": 0, "fp": 10, "tn": 0}, "new": None}
    assert "(unchecked)" in report["pairs"][0]["power"]["statement"]
    # nothing corrected is held against something raw
    assert report["pairs"][0]["claim"]["difference"] == pytest.approx(0.8 * 0.5)
    told = compare(judges())
    assert (told["how"]["reasons_standing"], told["leaderboard"]["word"]) == ("people", "")
    assert not told["pairs"][0]["flips"]["reason"]["by_model"]
    assert FLIPS_ARE_RAW not in told["pairs"][0]["notes"]


def test_reasons_are_flipped_only_between_judges_compared_alike() -> None:
    model, checked = by_model(old=None, new=None), by_model()
    people = replace(judges()[0], name="by people")
    without = replace(judges(reasons=False)[0], name="without")

    def told(*group: Judge) -> list[str]:
        flipped = [pair["flips"].get("reason") for pair in compare([*group, without])["pairs"]]
        return [flip["word"] if flip else "none" for flip in flipped]

    # one judge without reasons keeps the others from being refused
    assert told(people, model[1]) == told(model[0], people) == ["none", "none"]
    assert (told(*model), told(*checked)) == (["unchecked", "none"], ["raw", "none"])
    assert told(people, replace(people, name="by people too")) == ["", "none"]


def test_the_spread_of_a_corrected_figure_is_that_of_double_sampling() -> None:
    # every step of 400 is found, so ACC_reason is the corrected share itself; one solution a problem
    items = [wrong(f"w{n}", False, 1, n < 250) for n in range(400)]
    checked = Confusion(tp=70, fn=20, fp=30, tn=80)
    rng = np.random.default_rng(8)
    drawn = corrected_resamples(resample([items], rng), [checked], rng, 0.5).pooled["acc_reason"][:, 0]
    expected = corrected_rate(checked, 250, 400)
    assert drawn.mean() == pytest.approx(expected.estimate, abs=0.005)
    assert drawn.std() == pytest.approx(expected.error, rel=0.05)


def test_what_people_s_checks_leave_uncertain_is_each_judge_s_own() -> None:
    # two judges that did alike, with as many checks that came out alike: what they differ by is their samples
    items, checked = [wrong(f"w{n}", False, 1, n < 250) for n in range(400)], Confusion(tp=70, fn=20, fp=30, tn=80)
    rng = np.random.default_rng(8)
    drawn = corrected_resamples(resample([items, items], rng), [checked, checked], rng, 0.5).pooled["acc_reason"]
    # a share with one success and one failure more, among 102: 71 and 21 of them
    ppv, missed = 71 * 31 / (102**2 * 103), 21 * 81 / (102**2 * 103)
    expected = math.sqrt(2 * (0.625**2 * ppv + 0.375**2 * missed))
    assert (drawn[:, 1] - drawn[:, 0]).std() == pytest.approx(expected, rel=0.03)


def test_without_reasons_the_claim_is_f1_and_nothing_is_said_of_reasons() -> None:
    (pair,) = compare(judges(reasons=False))["pairs"]
    assert pair["claim"]["metric"] == "macro f1"
    assert pair["differences"]["macro"]["mr_score"] == {
        "first": None, "second": None, "difference": None, "interval": None, "p": None
    }  # fmt: skip
    assert "reason" not in pair["flips"]


def test_a_judge_against_itself_differs_by_nothing() -> None:
    one = judges()[0]
    (pair,) = compare([one, replace(one, name="again")])["pairs"]
    claim = pair["claim"]
    assert (claim["difference"], claim["p"], claim["interval"]) == (0, 1, (0, 0))
    assert pair["power"]["smallest"] is None
    assert (
        pair["power"]["statement"]
        == "What difference in macro mr_score this release can separate cannot be told from these judges."
    )


def test_one_problem_alone_tells_nothing_of_spread_however_many_checks_there_are() -> None:
    report = compare(
        [replace(judge, items=tuple(replace(item, problem="p") for item in judge.items)) for judge in by_model()]
    )
    (pair,) = report["pairs"]
    # what the checks leave uncertain is not all that is uncertain
    assert (pair["claim"]["interval"], pair["claim"]["p"], pair["power"]["smallest"]) == (None, None, None)
    for row in report["leaderboard"]["judges"]:
        assert row["rank"] is not None
        assert (row["interval"], row["rank_interval"], row["first"]) == (None, None, None)


def test_holm_counts_only_the_pairs_that_are_claimed() -> None:
    old, new = judges()
    three = [old, new, replace(old, name="again")]
    found = compare(three, claims=[("old", "new")])
    assert len(found["pairs"]) == 1
    both = compare(three)
    assert [(pair["first"], pair["second"]) for pair in both["pairs"]] == [("old", "new"), ("old", "again")]
    assert both["pairs"][0]["claim"]["p_holm"] == pytest.approx(2 * both["pairs"][0]["claim"]["p"])


def test_the_same_seed_gives_the_same_comparison_and_another_one_another() -> None:
    assert compare(judges(), seed=1) == compare(judges(), seed=1)
    one, other = (compare(judges(), seed=seed)["pairs"][0]["differences"]["pooled"] for seed in (1, 2))
    assert one["f1"]["interval"] != other["f1"]["interval"]


def test_a_test_of_subjects_counts_them_all_and_claims_do_not() -> None:
    old, new = judges()
    art = [right(f"a{n}", n < 30, subject="art") for n in range(40)]
    art += [wrong(f"b{n}", False, n % 2, True, subject="art") for n in range(40)]
    (pair,) = compare([replace(judge, items=(*judge.items, *art)) for judge in (old, new)])["pairs"]
    found = pair["differences"]["subjects"]["math"]["f1"]
    assert found["p"] == pytest.approx(2 / 10_001)
    assert found["q"] == pytest.approx(2 * found["p"]), "the other subject has p 1"
    assert pair["claim"]["p_holm"] == pair["claim"]["p"]


def test_solutions_of_a_single_problem_have_no_interval() -> None:
    first, second = pair_of(SEED, each=100)
    (pair,) = compare([Judge("a", tuple(first)), Judge("b", tuple(second))])["pairs"]
    for part in (pair["differences"]["pooled"], pair["differences"]["subjects"]["math"]):
        found = part["correct_accuracy"]
        assert (found["difference"], found["interval"], found["p"]) == (pytest.approx(0.02), None, None)


def test_the_ledger_says_second_minus_first() -> None:
    first, second = pair_of(SEED)
    total = compare([Judge("a", tuple(first)), Judge("b", tuple(second))])["pairs"][0]["flips"]["verdict"]["total"]
    # reference/statistics.md 3.4: +2 of 100 from 12 repaired and 10 broken
    assert (total["difference"], total["p"]) == (pytest.approx(0.02), pytest.approx(0.832, abs=0.0005))
    assert [100 * end for end in total["interval"]] == pytest.approx([-7.5, 11.6], abs=0.05)
    assert total["p_mid"] < total["p"]


def test_a_difference_smaller_than_the_noise_of_the_labels_is_told() -> None:
    first, second = pair_of(SEED)
    pair = [Judge("a", tuple(first)), Judge("b", tuple(second))]

    def told(noise: float | None) -> bool:
        return any("Inside label noise" in note for note in compare(pair, label_noise=noise)["pairs"][0]["notes"])

    assert (told(0.03), told(0.01), told(None)) == (True, False, False)
    pair.reverse()  # the second is the worse one by as much
    assert (told(0.03), told(0.01)) == (True, False)


def test_what_cannot_be_compared_is_refused() -> None:
    old, new = judges()
    cases: list[tuple[list[Judge], str]] = [
        ([old], "Two judges"),
        ([old, replace(new, name="old")], "same name"),
        ([old, replace(new, items=new.items[:-1])], "not graded on the same items"),
        ([old, replace(new, items=(*new.items[1:], new.items[0]))], "not graded on the same items"),
        ([old, replace(new, items=(replace(new.items[0], gold_step=2), *new.items[1:]))], "not graded on the same"),
        ([replace(old, items=()), replace(new, items=())], "no items"),
    ]
    for pair, words in cases:
        with pytest.raises(NotComparable, match=words):
            compare(pair)
    with pytest.raises(NotComparable, match="no judge called 'x'"):
        compare([old, new], claims=[("old", "x")])
    with pytest.raises(NotComparable, match="two different judges"):
        compare([old, new], claims=[("old", "old")])


def test_reasons_compared_with_another_prompt_are_another_way() -> None:
    def graded_with(judge: Judge, version: str) -> Judge:
        reasons = {"mode": "llm", "model": "g", "prompt_version": version, "why_null": "", "compared": 40}
        return judge_of(judge.name, {"reasons": reasons}, judge.items)

    old, new = judges()
    pair = compare([graded_with(old, "1"), graded_with(new, "2")])
    assert pair["how"]["reasons_by"] == ["g, prompt 1", "g, prompt 2"]
    assert pair["how"]["reasons_standing"] == "not compared"
    assert pair["pairs"][0]["claim"]["metric"] == "macro f1", "verdicts and steps are compared all the same"
    assert "reason" not in pair["pairs"][0]["flips"]
    people = compare([old, graded_with(new, "2")])
    assert people["pairs"][0]["differences"]["macro"]["mr_score"]["difference"] is None
    three = [graded_with(old, "1"), graded_with(new, "2"), replace(old, name="silent", reasons=False)]
    assert compare(three)["how"]["reasons_standing"] == "not compared", "no figure of reasons is held against another"
    alike = compare([graded_with(old, "2"), graded_with(new, "2")])
    assert (alike["how"]["reasons_by"], alike["leaderboard"]["word"]) == (["g, prompt 2"], "unchecked")


def test_ranks_come_with_how_sure_they_are() -> None:
    values = np.array([[0.9, 0.5, 0.5]] * 60 + [[0.4, 0.5, 0.6]] * 40)
    rows = rank_judges(["a", "b", "c"], [0.7, 0.5, 0.54], values)
    assert [(row["judge"], row["rank"]) for row in rows] == [("a", 1), ("c", 2), ("b", 3)]
    assert [row["first"] for row in rows] == [0.6, 0.4, 0]
    assert rows[0]["rank_interval"] == (1, 3)
    assert rows[2]["rank_interval"] == (2, 2.5)


def test_judges_that_are_equal_share_the_first_place() -> None:
    rows = rank_judges(["a", "b", "c"], [0.5, 0.5, 0.1], np.array([[0.5, 0.5, 0.1]] * 10))
    assert [(row["rank"], row["first"], row["rank_interval"]) for row in rows] == [
        (1, 0.5, (1.5, 1.5)), (1, 0.5, (1.5, 1.5)), (3, 0, (3, 3))
    ]  # fmt: skip


def test_resamples_without_a_value_do_not_rank_and_many_of_them_forbid_it() -> None:
    few = np.array([[0.9, math.nan]] * 3 + [[0.9, 0.5]] * 97)
    assert [row["first"] for row in rank_judges(["a", "b"], [0.9, 0.5], few)] == [1, 0]
    many = np.array([[math.nan, 0.5]] * 6 + [[0.9, 0.5]] * 94)
    rows = rank_judges(["a", "b"], [0.9, 0.5], many)
    assert [(row["rank"], row["first"], row["rank_interval"]) for row in rows] == [(1, None, None), (2, None, None)]


def test_a_judge_without_a_score_has_no_rank() -> None:
    rows = rank_judges(["a", "b"], [None, 0.5], np.array([[math.nan, 0.5]] * 10))
    assert [(row["judge"], row["rank"], row["first"]) for row in rows] == [("b", 1, None), ("a", None, None)]


def leaking(name: str, public_right: int, private_right: int, each: int = 1) -> Judge:
    """A judge that is right on so many of 400 items of each half, `each` of them to a problem."""
    items = []
    for half, known in (("pub", public_right), ("priv", private_right)):
        items += [right(f"{half}{n}", n < known, problem=f"{half}{n // each}") for n in range(400)]
    return Judge(name, tuple(items))


def is_public(item: Graded) -> bool:
    return item.id.startswith("pub")


def test_a_gap_beyond_that_of_the_references_is_flagged() -> None:
    # the public half is easier for everybody by 5 points; one judge gains 20
    found: dict[str, Any] = split_gaps(
        [leaking("old", 220, 200), leaking("human", 260, 240), leaking("leak", 300, 220), leaking("fair", 240, 220)],
        is_public,
        references=["old", "human"],
    )
    rows = {row["judge"]: row for row in found["judges"]}
    assert rows["leak"]["gap"] == pytest.approx(0.2)
    assert rows["leak"]["beyond_references"] == pytest.approx(0.15)
    assert sum(rows["leak"]["beyond_interval"]) / 2 == pytest.approx(0.15, abs=0.01)
    assert {name for name, row in rows.items() if row["flagged"]} == {"leak"}
    # no resample is at 0; the other judge that is no reference is the second test
    assert (rows["leak"]["p"], rows["leak"]["p_holm"]) == (pytest.approx(1 / 10_001), pytest.approx(2 / 10_001))
    assert (rows["old"]["p"], rows["old"]["p_holm"]) == (None, None)
    assert 100 * found["smallest_gap"] == pytest.approx(9.9, abs=0.05)  # 2.80 x sqrt(.25 x 2 / 400)
    with pytest.raises(NotComparable):
        split_gaps([leaking("a", 1, 1)], lambda _: True, references=["a"])
    with pytest.raises(NotComparable, match="no judge called 'b'"):
        split_gaps([leaking("a", 1, 1)], is_public, references=["b"])


@pytest.mark.parametrize(
    ("public_right", "private_right", "least", "most"),
    [
        (8, 0, 0.0, 0.025),  # a gap of 2 points, in nearly each of the resamples: too small to look at
        (225, 200, 0.025, 0.05),  # 6 points, .0625 / sqrt(.25 x 2 / 400) = 1.77 standard errors: one-sided .038
    ],
)
def test_a_gap_that_is_small_or_may_be_chance_is_not_flagged(
    public_right: int, private_right: int, least: float, most: float
) -> None:
    pair = [leaking("old", 0, 0), leaking("new", public_right, private_right)]
    row = split_gaps(pair, is_public, references=["old"])["judges"][1]
    assert least < row["p_holm"] < most
    assert row["flagged"] is False


def test_problems_of_a_half_are_drawn_with_all_their_solutions() -> None:
    widths = []
    for each in (1, 4):
        pair = [leaking("old", 0, 0, each), leaking("new", 240, 200, each)]
        low, high = split_gaps(pair, is_public, references=["old"])["judges"][1]["beyond_interval"]
        widths.append(high - low)
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.1)


def test_without_references_there_are_the_gaps_alone() -> None:
    public = {f"pub{n}" for n in range(400)}
    found = split_facts([leaking("one", 300, 220), leaking("two", 240, 220)], public)
    assert found is not None
    assert [(row["gap"], row["flagged"], row["p_holm"]) for row in found["judges"]] == [
        (pytest.approx(0.2), None, None), (pytest.approx(0.05), None, None)
    ]  # fmt: skip
    one = [leaking("one", 1, 1)]
    assert split_facts(one, set()) is None
    assert split_facts(one, {item.id for item in one[0].items}) is None
