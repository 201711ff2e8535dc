"""Cutting texts into steps: what is a step, its printed label, its exact place."""

from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from annotation.segmentation import (
    LIST_LINE,
    SEGMENTATIONS,
    STEP_LINE,
    code_lines,
    given,
    lines,
    numbered,
    paragraphs,
    segment,
)


def parts(steps: Any) -> list[tuple[str, str, str]]:
    return [(step.label, step.kind, step.text) for step in steps]


def test_continuation_lines_belong_to_the_step_above_and_the_printed_prefix_to_none() -> None:
    raw = "Step 1: Check A (67)\nWhen divided by 4 ... 3.\n\nStep 2: Check B \nSolution: Choice_D"
    assert parts(numbered(raw)) == [
        ("1", "step", "Check A (67)\nWhen divided by 4 ... 3."),
        ("2", "step", "Check B"),
        ("", "answer", "Solution: Choice_D"),
    ]
    assert numbered(raw)[1].start == raw.index("Check B")


@pytest.mark.parametrize(
    ("line", "label", "text"),
    [
        ("Step 2: Add.", "2", "Add."),
        ("**Step 2:** Add.", "2", "Add."),
        ("**Step 2**: Add.", "2", "Add."),
        ("Step 2a. Add.", "2a", "Add."),
        ("  Step 6.1: Add.", "6.1", "Add."),
        ("### Step 3 - Add.", "3", "Add."),
        ("step 10: Add.", "10", "Add."),
        ("STEP 4) Add.", "4", "Add."),
        ("Step 5", "5", ""),
        ("Step n: Add.", "n", "Add."),
        ("步骤2：相加。", "2", "相加。"),
        ("**Step 2: Add**", "2", "**Step 2: Add**"),  # cutting into the bold would leave its closing stars over
    ],
)
def test_printed_forms_of_a_step(line: Any, label: Any, text: str) -> None:
    assert parts(numbered(f"Begin.\n{line}"))[1:] == [(label, "step", text)]


@pytest.mark.parametrize("line", ["Step 2 shows that x = 3.", "Steps 1: and 2", "Step by step: go", "Stepping 3: up"])
def test_a_line_that_speaks_of_a_step_begins_none(line: Any) -> None:
    assert parts(numbered(f"Step 1: Go.\n{line}")) == [("1", "step", f"Go.\n{line}")]


def test_text_before_the_first_number_is_an_unlabelled_step() -> None:
    assert parts(numbered("\nLet us see.\nStep 1: Go.")) == [("", "step", "Let us see."), ("1", "step", "Go.")]


def test_position_and_printed_label_are_different_facts() -> None:
    raw = "Look.\n\nAgain.\nStep 2: x\nStep 3: y\nStep 2: z"
    assert [step.label for step in numbered(raw)] == ["", "2", "3", "2"]


def test_answer_lines() -> None:
    assert parts(numbered("Step 1: 9 + 9\n#### 18\n")) == [("1", "step", "9 + 9"), ("", "answer", "#### 18")]
    assert numbered("Step 1: x\n**Solution:** Choice_B")[-1].kind == "answer"
    assert numbered("Step 1: x\n答案：B")[-1].kind == "answer"
    # a solution announced and then taken back by a further step is no answer
    assert [step.kind for step in numbered("Step 1: x\nSolution: A\nStep 2: no, B")] == ["step", "step"]
    # a heading "Solution:" with the solution below it is no answer either
    assert [step.kind for step in numbered("Solution:\nStep 1: x")] == ["step", "step"]
    assert [step.kind for step in numbered("Step 1: x\n#### Check\nAll is well.")] == ["step"]


def test_numbers_inside_a_closed_code_fence_are_code() -> None:
    assert len(numbered("Step 1: Run\n```\nStep 2: in code\n```\nStep 3: See")) == 2
    assert len(numbered("Step 1: Run\n```\nStep 2: the fence is never closed")) == 2


def test_paragraphs_keep_mathematics_and_code_whole() -> None:
    blocks = [
        "First.",
        "\\[\na\n\n= b\n\\]",
        "```\nx = 1\n\ny = 2\n```",
        "$$\na\n\nb\n$$ so",
        "Open \\[ only",
        "#### 5",
    ]
    raw = "\n\n".join(blocks) + "\n"
    assert [step.text for step in paragraphs(raw)] == blocks
    assert [step.kind for step in paragraphs(raw)] == ["step"] * 5 + ["answer"]


def test_lines_and_the_choice_between_cuts() -> None:
    assert [step.text for step in lines("a\n\n  b \n")] == ["a", "b"]
    assert len(segment("a\nb\n\nc", "plain")) == 2
    assert [step.label for step in segment("Step 1: a\n\nb", "plain")] == ["1"]
    assert segment("def f():\n    return 1", "code") == code_lines("def f():\n    return 1")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("1. Add.\n2. Divide.\nSo 3.\n3. See.", [("1", "Add."), ("2", "Divide.\nSo 3."), ("3", "See.")]),
        ("Let us see.\n1) Add.\n2) Divide.", [("", "Let us see."), ("1", "Add."), ("2", "Divide.")]),
        ("(1) Add.\n\n(2) Divide.\n\nAnswer: 3", [("1", "Add."), ("2", "Divide."), ("", "Answer: 3")]),
        ("**1.** Add.\n**2. Divide**", [("1", "Add."), ("2", "**2. Divide**")]),
        ("1、相加。\n2、相除。", [("1", "相加。"), ("2", "相除。")]),
        ("1. Add:\n   1. one\n   2. two\n2. Divide.", [("1", "Add:\n   1. one\n   2. two"), ("2", "Divide.")]),
    ],
)
def test_a_list_that_is_the_solution_is_its_steps(raw: str, expected: list[tuple[str, str]]) -> None:
    assert [(step.label, step.text) for step in segment(raw, "plain")] == expected


@pytest.mark.parametrize(
    "raw",
    [
        "We do this:\n\n1. Add.\n2. Divide.\n\nFirst, 1 + 2 = 3.\n\nThen 3 / 3 = 1.",  # a plan, and what is done
        "There are 3 parts:\n2. two\n3. three",
        "It is\n1.5 and\n2.5",
        "1. Add.\n2) Divide.",
        "1. Only one.",
        "\\[\n1. x\n\\]\n\\[\n2. y\n\\]",
        "```\n1. x\n2. y\n```",
    ],
)
def test_other_numbers_at_the_beginning_of_lines_cut_nothing(raw: str) -> None:
    assert segment(raw, "plain") == paragraphs(raw)


def test_code_keeps_indentation_and_is_labelled_by_line_number() -> None:
    raw = "def f():\r\n\n    \n    return 1\n"
    assert parts(code_lines(raw)) == [("1", "code", "def f():"), ("4", "code", "    return 1")]


def test_given_steps_are_never_cut_or_trimmed() -> None:
    texts = [" a\n\nb ", "", "Step 2: c", " a\n\nb "]
    raw, steps = given(texts)
    assert [step.text for step in steps] == texts
    assert [raw[step.start : step.end] for step in steps] == texts
    assert steps[3].start > steps[2].end
    assert [step.start for step in given(["b", "b"], "ab, b")[1]] == [1, 4]
    with pytest.raises(ValueError, match="Step 2"):
        given(["b", "a"], "ab")


TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "Step 1: ",
                "**Step 2:** ",
                "Step 3a.",
                "1. ",
                "**2.** ",
                "Solution: A",
                "#### 4",
                "\n",
                "\n\n",
                "```\n",
                "\\[",
                "\\]",
                "$$",
            ]
        ),
        st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8),
    )
).map("".join)


@for_all(TEXTS, st.sampled_from(sorted(SEGMENTATIONS)))
def test_every_span_is_exact_in_order_and_leaves_out_only_blanks_and_prefixes(raw: str, name: str) -> None:
    end = 0
    for step in SEGMENTATIONS[name](raw):
        assert raw[step.start : step.end] == step.text
        assert end <= step.start <= step.end
        gap = raw[end : step.start].strip()
        printed = {"numbered": STEP_LINE, "listed": LIST_LINE}.get(name)
        assert not gap or (printed and all(printed.match(f"{line} x") for line in gap.split("\n") if line.strip()))
        end = step.end
    assert not raw[end:].strip()


@for_all(st.lists(st.text(max_size=6)))
def test_given_spans_are_exact(texts: Any) -> None:
    raw, steps = given(texts)
    assert [raw[step.start : step.end] for step in steps] == texts
