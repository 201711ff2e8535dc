"""Doubts about a reason: few, gentle, and never about a good one."""

import pytest

from annotation.hints import LONGEST, copies, other_steps

STEP = "When 43 is divided by 4, the remainder is 1, so B is right."


@pytest.mark.parametrize("reason", [STEP, STEP.upper(), f"  {STEP.replace(' ', '  ')} ", STEP[:-1] + "!"])
def test_a_copy_of_the_step_is_noticed(reason: str) -> None:
    assert copies(reason, STEP)


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "No.",
        "The remainder of 43 divided by 4 is 3, not 1.",
        f"It says “{STEP}”, but the remainder on division is 3.",
    ],
)
def test_a_reason_of_ones_own_is_not(reason: str) -> None:
    assert not copies(reason, STEP)


def test_very_long_texts_are_not_compared() -> None:
    assert not copies("a" * (LONGEST + 1), "a" * (LONGEST + 1))


def test_an_empty_step_is_copied_by_nothing() -> None:
    assert not copies("A reason that is long enough.", "")


@pytest.mark.parametrize(
    ("reason", "others"),
    [
        ("Step 3 is wrong.", ["3"]),
        ("In step 2 the sign is lost; step 3 keeps it.", []),
        ("Steps follow from step 1 and Step 3 and step 1.", ["1", "3"]),
        ("Line 1 divides by zero.", ["1"]),
        ("步骤3有误", ["3"]),
        ("第 1 步错了", ["1"]),
        ("step 2a is fine", ["2a"]),
        ("Step 9 does not exist.", []),
        ("3 is not 4.", []),
        ("", []),
    ],
)
def test_a_reason_that_names_only_other_steps_is_noticed(reason: str, others: list[str]) -> None:
    assert other_steps(reason, "2", {"1", "2", "2a", "3"}) == others
