"""The agreement report: hand data, real data, undefined questions, and figures that open to their items."""

import itertools
import json
import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from review.agreement import AgreementReport, Label, check, measure
from review.coefficients import Undefined
from review.intervals import NoInterval
from review.questions import Figure, Question, Warn
from tests.review.oracles import oracle, shared


def label(unit: int | str, annotator: str, first_error: int | None, *, n_steps: int = 5, category: str = "") -> Label:
    return Label(unit, unit, annotator, first_error is None, first_error, n_steps, category)


def many(n: int = 60) -> list[Label]:
    """Two annotators: every third item disputed, a third correct, categories on the agreed steps."""
    labels = []
    for unit in range(n):
        first = None if unit % 3 == 1 else unit % 4
        second = 4 if unit % 3 == 2 else first
        category = "slip" if unit % 2 else "logic"
        labels += [
            label(unit, "a", first, category="" if first is None else category),
            label(unit, "b", second, category="" if second is None else "slip" if unit % 5 else "logic"),
        ]
    return labels


def questions(report: AgreementReport) -> dict[str, Question]:
    return {
        "correctness": report.correctness,
        "first_error": report.first_error,
        "given_both_incorrect": report.given_both_incorrect,
        "category": report.category,
    }


def all_figures(report: AgreementReport) -> list[Figure]:
    return [figure for question in questions(report).values() for figure in question.figures.values()]


def test_ten_items_by_hand() -> None:
    data = oracle("23_step_agreement")
    labels = [
        label(unit, f"a{who}", step - 1 if step else None, n_steps=n)
        for unit, (row, n) in enumerate(zip(data["labels"], data["n_steps"], strict=True))
        for who, step in enumerate(row)
        if step is not None
    ]
    report, want = measure(labels, seed=1, resamples=50), data["expected"]
    joint, given = report.first_error, report.given_both_incorrect
    found = {
        "alpha_correctness_nominal": report.correctness.figures["alpha"].value,
        "ac1_correctness": report.correctness.figures["ac1"].value,
        "alpha_joint_nominal": joint.figures["alpha"].value,
        "brennan_prediger_varying_k": joint.figures["brennan_prediger"].value,
        "percent_agreement_joint": joint.figures["percent"].value,
        "alpha_step_given_both_incorrect_nominal": given.figures["alpha"].value,
        "pairs_both_incorrect": given.n_pairs,
        "exact_given_both_incorrect": given.figures["percent"].value,
        "within1_given_both_incorrect": given.figures["within_one"].value,
    }
    assert found == {name: pytest.approx(want[name], abs=1e-12) for name in found}
    # Six of the ten items keep two labels that say incorrect: 0, 1, 3, 5, 6, 8.
    assert given.entering == pytest.approx(0.6)
    assert (report.n_units, report.n_labels, report.n_annotators) == (10, 29, 3)


def test_a_figure_opens_to_its_items() -> None:
    labels = [
        *(label("same", who, 1) for who in "abc"),
        *(label("near", who, step) for who, step in zip("abc", [1, 2, 2], strict=True)),
        *(label("far", who, step) for who, step in zip("ab", [0, 4], strict=True)),
        *(label("verdict", who, step) for who, step in zip("ab", [0, None], strict=True)),
        label("single", "a", 1),
    ]
    report = measure(labels, seed=1, resamples=50)

    def opened(question: Question, name: str) -> tuple[set[Any], set[Any]]:
        return set(question.figures[name].agreeing), set(question.figures[name].disagreeing)

    assert opened(report.correctness, "alpha") == ({"same", "near", "far"}, {"verdict"})
    assert opened(report.first_error, "percent") == ({"same"}, {"near", "far", "verdict"})
    assert opened(report.first_error, "within_one") == ({"same", "near"}, {"far", "verdict"})
    assert opened(report.given_both_incorrect, "within_one") == ({"same", "near"}, {"far"})
    assert report.correctness.figures["alpha"].n_units == 4
    assert report.correctness.figures["alpha"].n_labels == 10
    assert report.first_error.figures["unanimous"].value == pytest.approx(1 / 4)


def test_categories_are_compared_only_where_two_labels_name_the_same_step() -> None:
    labels = [
        label(1, "a", 0, category="slip"),
        label(1, "b", 0, category="logic"),
        label(1, "c", 3, category="logic"),
        label(2, "a", 1, category="slip"),
        label(2, "b", 1, category="slip"),
        label(3, "a", 1, category="slip"),
        label(3, "b", 2, category="logic"),
        label(4, "a", 1, category="logic"),
        label(4, "b", 1),
    ]
    category = measure(labels, seed=1, resamples=50).category
    percent = category.figures["percent"]
    # Item 1 (step 0) differs, item 2 agrees, item 3 names two steps, item 4 has one category only.
    assert (percent.value, percent.n_units, category.n_pairs) == (0.5, 2, 2)
    assert (percent.agreeing, percent.disagreeing) == ((2,), (1,))
    assert category.entering == pytest.approx(2 / 4)
    # Labels slip, logic, slip, slip: 1 - (2/4) / (2*3*1 / (4*3)) = 0.
    assert category.figures["alpha"].value == pytest.approx(0)


def test_class_shares() -> None:
    report = measure(many(), seed=1, resamples=50)
    # Of 60 items 20 are correct by both: a third of the labels; nobody disputes a verdict.
    assert report.correctness.shares == {"incorrect": pytest.approx(2 / 3), "correct": pytest.approx(1 / 3)}
    assert sum(report.first_error.shares.values()) == pytest.approx(1)
    assert report.first_error.shares["no error"] == pytest.approx(1 / 3)


def test_every_figure_is_a_value_with_an_interval_or_a_reason() -> None:
    for figure in all_figures(measure(many(), seed=1, resamples=200)):
        assert (figure.value is None) is bool(figure.undefined), figure.name
        assert (figure.interval.low is None) is bool(figure.interval.missing), figure.name
        if figure.value is not None and figure.interval.low is not None and figure.interval.high is not None:
            assert figure.interval.low - 1e-12 <= figure.value <= figure.interval.high + 1e-12, figure.name
    percent = measure(many(), seed=1, resamples=200).first_error.figures["percent"]
    assert percent.interval.resamples == 200
    assert percent.interval.low is not None


def test_the_same_seed_gives_the_same_report_whatever_the_order_of_the_labels() -> None:
    labels = many()
    first, again = measure(labels, seed=7, resamples=100), measure(labels, seed=7, resamples=100)
    assert first == again
    turned, other = measure(labels[::-1], seed=7, resamples=100), measure(labels, seed=8, resamples=100)
    lows = [figure.interval.low for figure in all_figures(first) if figure.interval.low is not None]
    assert [f.interval.low for f in all_figures(turned) if f.interval.low is not None] == pytest.approx(lows)
    assert [f.interval.low for f in all_figures(other) if f.interval.low is not None] != pytest.approx(lows)


def test_intervals_resample_problems() -> None:
    labels = many(120)
    grouped = [Label(x.unit, int(x.unit) // 12, x.annotator, x.correct, x.first_error, 5, x.category) for x in labels]
    # Ten problems of twelve items each hold the same mix, so problems hardly differ and the interval is narrow.
    alone = measure(labels, seed=1, resamples=400).first_error.figures["percent"].interval
    together = measure(grouped, seed=1, resamples=400).first_error.figures["percent"].interval
    assert alone.low is not None
    assert alone.high is not None
    assert together.low == pytest.approx(2 / 3)
    assert together.high == pytest.approx(2 / 3)
    assert alone.high - alone.low > 0.1


def test_no_labels_at_all() -> None:
    report = measure([], seed=1, resamples=50)
    assert {figure.value for figure in all_figures(report)} == {None}
    assert {figure.undefined for figure in all_figures(report)} == {Undefined.NO_PAIR}
    assert {question.entering for question in questions(report).values()} == {None}
    assert json.dumps(report.as_dict(), allow_nan=False)


def test_one_verdict_throughout_is_undefined_and_warned_of() -> None:
    labels = [label(unit, who, unit % 4) for unit in range(30) for who in "ab"]
    correctness = measure(labels, seed=1, resamples=50).correctness
    assert correctness.figures["percent"].value == 1.0
    assert correctness.figures["ac1"].value == 1.0
    assert (correctness.figures["alpha"].value, correctness.figures["alpha"].undefined) == (None, Undefined.ONE_VALUE)
    assert correctness.figures["positive"].undefined == Undefined.VALUE_UNUSED
    assert correctness.figures["percent"].interval.missing == NoInterval.TOO_FEW
    assert correctness.warnings == (Warn.FEW_RARER, Warn.ONE_SIDED)


@pytest.mark.parametrize(
    ("units", "incorrect", "warned"),
    [
        (19, 10, {Warn.FEW_UNITS, Warn.FEW_RARER}),
        (20, 10, set()),
        (20, 9, {Warn.FEW_RARER}),
        (100, 10, set()),
        (110, 10, {Warn.ONE_SIDED}),
    ],
)
def test_warnings_of_small_and_one_sided_samples(units: int, incorrect: int, warned: set[str]) -> None:
    labels = [label(unit, who, 0 if unit < incorrect else None) for unit in range(units) for who in "ab"]
    assert set(measure(labels, seed=1, resamples=20).correctness.warnings) == warned


def test_the_ordinal_figure_carries_its_caveat_and_json_holds_everything() -> None:
    parts = json.loads(json.dumps(measure(many(), seed=3, resamples=50).as_dict(), allow_nan=False))
    assert "no fixed meaning" in parts["first_error"]["figures"]["alpha_ordinal"]["caveat"]
    assert parts["first_error"]["figures"]["alpha"]["caveat"] == ""
    percent = parts["first_error"]["figures"]["percent"]
    assert percent["value"] == pytest.approx(2 / 3)
    assert len(percent["agreeing"]) == 40
    assert len(percent["disagreeing"]) == 20
    assert percent["interval"]["level"] == 0.95
    assert (parts["seed"], parts["resamples"]) == (3, 50)
    # Verdicts are never disputed: 40 incorrect items and 20 correct ones, two labels each.
    assert parts["correctness"]["coincidences"] == [[80, 0], [0, 40]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([Label(7, 1, "a", True, 2, 5)], r"Item 7, annotator 'a': a correct solution has no first"),
        ([Label(7, 1, "a", False, None, 5)], "an incorrect one has one"),
        ([label(7, "a", 5)], "no step at position 5; there are 5"),
        ([label(7, "a", -1)], "no step at position -1"),
        ([label(7, "a", 1), label(7, "a", 2)], "two labels"),
        ([label(7, "a", 1), label(7, "b", 1, n_steps=6)], "number of steps or problem differs"),
        ([Label(7, 1, "a", True, None, 5), Label(7, 2, "b", True, None, 5)], "number of steps or problem differs"),
    ],
)
def test_a_contradiction_is_refused_naming_the_item(labels: list[Label], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(labels)


def stepverify() -> list[Label]:
    rows = json.loads(shared("data", "stepverify", "dataset.json").read_text(encoding="utf-8"))
    solutions: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        solutions[row["problem"], *row["student_incorrect_solution"]].append(row)
    return [
        Label(unit, problem, f"a{who}", False, row["incorrect_index"], len(steps), row["error_category"])
        for unit, ((problem, *steps), given) in enumerate(solutions.items())
        if len(given) > 1
        for who, row in enumerate(given)
    ]


def test_repeated_labels_of_stepverify() -> None:
    labels = stepverify()
    report = measure(labels, seed=1, resamples=2000)
    joint, given = report.first_error.figures, report.given_both_incorrect.figures
    assert (report.n_units, report.n_labels) == (235, 625)
    assert joint["unanimous"].value == pytest.approx(0.528, abs=5e-4)
    assert joint["alpha"].value == pytest.approx(0.496, abs=5e-4)
    assert given["percent"].value == pytest.approx(0.601, abs=5e-4)
    assert given["within_one"].value == pytest.approx(0.867, abs=5e-4)
    assert given["alpha"].value == pytest.approx(0.496, abs=5e-4)
    # Every solution is incorrect: all enter, and there is nothing to agree on in the verdict.
    assert report.given_both_incorrect.entering == 1.0
    assert report.correctness.figures["alpha"].undefined == Undefined.ONE_VALUE
    low, high = joint["alpha"].interval.low, joint["alpha"].interval.high
    assert low is not None
    assert high is not None
    assert low < 0.496 < high
    # The formula's error of a share at 235 independent solutions; few problems have two.
    assert joint["unanimous"].interval.high == pytest.approx(0.528 + 1.96 * math.sqrt(0.528 * 0.472 / 235), abs=0.01)


def test_categories_of_stepverify_pair_by_pair() -> None:
    labels = stepverify()
    pairs = [
        (one.category, other.category)
        for one, other in itertools.combinations(labels, 2)
        if (one.unit, one.first_error) == (other.unit, other.first_error)
    ]
    category = measure(labels, seed=1, resamples=50).category
    assert category.n_pairs == len(pairs)
    assert category.figures["percent"].value == pytest.approx(np.mean([one == other for one, other in pairs]))
    # Alpha pair by pair: each label of a unit of m has weight 1 / (m - 1) towards each other label.
    sizes = Counter((x.unit, x.first_error) for x in labels)
    kept = [x for x in labels if sizes[x.unit, x.first_error] > 1]
    observed = sum(
        2 * (one.category != other.category) / (sizes[one.unit, one.first_error] - 1)
        for one, other in itertools.combinations(kept, 2)
        if (one.unit, one.first_error) == (other.unit, other.first_error)
    )
    expected = sum(2 * (one.category != other.category) for one, other in itertools.combinations(kept, 2))
    alpha = 1 - observed / (expected / (len(kept) - 1))
    assert category.figures["alpha"].value == pytest.approx(alpha, abs=1e-12)
