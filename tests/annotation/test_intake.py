"""Taking solutions in: once each, whole, and repeatable after an interruption."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotation.intake import BATCH, conflicts, take_in
from annotation.models import AnswerKey, Assignment, Problem, Project, Solution, Step
from tests.at_once import at_once
from tests.conftest import solution_record
from tests.labels import solutions_of

COUNTED = (Problem, AnswerKey, Solution, Step, Assignment)


def counts() -> list[int]:
    return [model.objects.count() for model in COUNTED]


@pytest.fixture
def empty(make_project: Callable[..., Project]) -> Project:
    return make_project(0)


def test_a_record_becomes_a_problem_with_its_key_a_solution_its_steps_and_its_slots(empty: Project) -> None:
    record = solution_record(7)
    done = take_in(empty, [record])
    assert (done.problems, done.solutions, done.known, done.new_ids) == (1, 1, 0, {record.id})
    assert counts() == [1, 1, 1, 4, 2]
    (solution,) = solutions_of(empty)
    assert (solution.item_id, solution.raw_text, solution.final_answer) == (record.id, record.raw_text, "A")
    assert solution.problem.answer_key == ["A"]
    assert solution.problem.options == [{"label": "A", "text": "one"}, {"label": "B", "text": "two"}]
    for step, stated in zip(solution.steps.order_by("position"), record.steps, strict=True):
        assert (step.text, step.label, step.kind) == (stated.text, stated.label, stated.kind)
        assert solution.raw_text[step.start : step.end] == step.text


def test_the_same_records_again_add_nothing(empty: Project) -> None:
    records = [solution_record(n) for n in range(3)]
    take_in(empty, records)
    before = counts()
    again = take_in(empty, records)
    assert (again.problems, again.solutions, again.known, again.new_ids) == (0, 0, 3, set())
    assert counts() == before


def test_two_models_solutions_share_their_problem(empty: Project) -> None:
    record = solution_record(1)
    done = take_in(empty, [record, replace(record, sampled_from="model-y"), replace(record, ordinal=1)])
    assert (done.problems, done.solutions) == (1, 3)


def test_the_same_file_in_two_campaigns_is_two_pieces_of_work_with_the_same_ids(
    empty: Project, make_project: Callable[..., Project]
) -> None:
    other = make_project(2, slug="other")
    take_in(empty, [solution_record(n) for n in range(2)])
    assert [s.item_id for s in solutions_of(empty)] == [s.item_id for s in solutions_of(other)]
    assert Problem.objects.count() == 4


def test_a_known_id_with_another_text_is_told_by_record(project: Project) -> None:
    changed = replace(solution_record(1), raw_text="Step 1: something else", where="record 17")
    (found,) = conflicts(project, [solution_record(0), changed, solution_record(99)])
    assert (found.kind, found.severity, found.record, found.field) == (
        "changed_solution_text", "blocking", "record 17", "raw_text",
    )  # fmt: skip
    assert changed.id in found.message


def test_an_interrupted_intake_is_finished_by_repeating_it(empty: Project) -> None:
    records = [solution_record(n, steps=1) for n in range(BATCH + 3)]

    class Killed(Exception):
        pass

    def die(done: int, total: int) -> None:
        assert (done, total) == (BATCH, BATCH + 3)
        raise Killed

    with pytest.raises(Killed):
        take_in(empty, records, die)
    assert Solution.objects.count() == BATCH, "what was reported as done is there"
    again = take_in(empty, records)
    assert (again.solutions, again.known) == (3, BATCH)
    whole = 2 * (BATCH + 3)
    assert counts() == [BATCH + 3, BATCH + 3, BATCH + 3, whole, whole]


def test_a_batch_that_fails_leaves_nothing_of_itself(empty: Project) -> None:
    backwards = replace(solution_record(1).steps[0], start=9, end=3)
    with pytest.raises(Exception, match="step_span"):
        take_in(empty, [solution_record(0), replace(solution_record(1), steps=(backwards,))])
    assert counts() == [0, 0, 0, 0, 0]


@pytest.mark.django_db(transaction=True)
def test_two_intakes_of_one_file_at_once_store_it_once(make_project: Callable[..., Project]) -> None:
    project = make_project(0)
    records = [solution_record(n) for n in range(5)]
    at_once(*[lambda: take_in(project, records)] * 4)
    assert counts() == [5, 5, 5, 20, 10]
