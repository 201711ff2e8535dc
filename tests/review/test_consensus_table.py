"""ProcessBench's rule and table: on lists made by hand, on its own published shares, and on repeated labels."""

import json
from collections import defaultdict

import pytest

from review.consensus_table import Consensus, ConsensusRow, consensus, consensus_table
from tests.review.oracles import shared


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ([1, 1, 1], Consensus(3, 1)),
        ([None, None, None], Consensus(3, None)),
        ([1, 2, 1, 1], Consensus(4, 1)),
        ([1, 2, 1, 2, 2], Consensus(5, 2)),
        ([1, 2, None, None, None], Consensus(5, None)),
        ([1, 1, 1, 2, 2, 2], Consensus(3, 1)),
        ([1, 1, 2, 2, 3], Consensus(None, None)),
        ([1, 2, 3, 4, 5, 1, 1], Consensus(None, None)),
        ([1, 1], None),
        ([1, 1, 2], None),
        ([1, 1, 2, 2], None),
        ([], None),
    ],
)
def test_labels_are_taken_until_three_agree(said: list[int | None], found: Consensus | None) -> None:
    assert consensus(said) == found


def test_a_table_made_by_hand() -> None:
    items: dict[str, tuple[str, list[int | None]]] = {
        "a": ("math", [0, 0, 0]),
        "b": ("math", [0, 1, 0, 0]),
        "c": ("math", [None, None, None]),
        "d": ("math", [0, 1, 2, 3, 4]),
        "e": ("biology", [None, 1, None, 1, None]),
        "f": ("biology", [2, 2]),
    }
    # Labels of different items come in mixed.
    rows = [(item, subject, said[n]) for n in range(5) for item, (subject, said) in items.items() if n < len(said)]
    table = consensus_table(rows)
    assert list(table) == ["biology", "math"]
    assert table["math"] == ConsensusRow({3: 1, 4: 1, 5: 0}, {3: 1, 4: 0, 5: 0}, none=1, waiting=0)
    assert table["biology"] == ConsensusRow({3: 0, 4: 0, 5: 0}, {3: 0, 4: 0, 5: 1}, none=0, waiting=1)
    assert table["biology"].as_dict()["correct"] == {"3": 0, "4": 0, "5": 1}
    assert consensus_table([]) == {}


def test_repeated_labels_of_stepverify() -> None:
    rows = json.loads(shared("data", "stepverify", "dataset.json").read_text(encoding="utf-8"))
    said: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in rows:
        said[row["problem"], *row["student_incorrect_solution"]].append(row["incorrect_index"])
    repeated = {unit: steps for unit, steps in said.items() if len(steps) > 1}
    row = consensus_table([(unit, "", step) for unit, steps in repeated.items() for step in steps])[""]
    # Every label there says incorrect, and every item is counted once.
    assert sum(row.correct.values()) == 0
    assert sum(row.error.values()) + row.none + row.waiting == 235
    unanimous = sum(len(steps) >= 3 and len(set(steps[:3])) == 1 for steps in repeated.values())
    assert row.error[3] == unanimous
