"""The public half of a release: even, whole problems, the same for ever."""

from collections import Counter

from exports.scoring import Graded
from exports.splits import half_of, public_items
from tests.exports.small_release import solution


def item(problem: int, n: int, subject: str, correct: bool) -> Graded:
    return Graded(f"{subject}-{problem}-{n}", subject, f"{subject}-{problem}", correct, None, None)


ITEMS = [
    item(problem, n, subject, correct=problem % 3 == 0)
    for subject in ("math", "law")
    for problem in range(60)
    for n in range(1 + problem % 2)
]


def test_half_of_the_problems_of_each_subject_and_class_are_public() -> None:
    public = public_items(ITEMS, "a" * 64)
    problems = {each.problem: each for each in ITEMS if each.id in public}
    assert Counter((each.subject, each.gold_correct) for each in problems.values()) == {
        ("math", True): 10, ("math", False): 20, ("law", True): 10, ("law", False): 20
    }  # fmt: skip


def test_solutions_of_one_problem_are_in_one_half() -> None:
    public = public_items(ITEMS, "a" * 64)
    assert not {each.problem for each in ITEMS if each.id in public} & {
        each.problem for each in ITEMS if each.id not in public
    }


def test_the_half_follows_from_the_release_and_not_from_the_order() -> None:
    assert public_items(reversed(ITEMS), "a" * 64) == public_items(ITEMS, "a" * 64)
    assert public_items(ITEMS, "b" * 64) != public_items(ITEMS, "a" * 64)


def test_the_two_halves_are_all_items() -> None:
    items = [solution(f"w{n}", n % 2, problem=f"p{n}") for n in range(6)]
    public, private = half_of(items, "public", "c" * 64), half_of(items, "private", "c" * 64)
    assert (len(public), len(private)) == (3, 3)
    assert {each.id for each in [*public, *private]} == {each.id for each in items}
