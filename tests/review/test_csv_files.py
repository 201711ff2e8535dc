"""CSV files: what a spreadsheet would compute is made text; numbers stay numbers."""

import csv
import io
from typing import Any

import pytest

from review.csv_files import csv_lines, csv_response


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\t=1", "'\t=1"), ("\r=1", "'\r=1"),
        ("plain", "plain"), ("a=b", "a=b"), ("", ""), (-1, "-1"), (-0.5, "-0.5"), (None, ""), ('"a", b', '"a", b'),
    ],
)  # fmt: skip
def test_cells(value: Any, written: str) -> None:
    assert next(csv.reader(io.StringIO("".join(csv_lines([[value, "end"]])), newline=""))) == [written, "end"]


def test_rows_are_read_as_they_are_sent() -> None:
    asked: list[int] = []

    def rows() -> Any:
        for n in range(1200):
            asked.append(n)
            yield [n]

    pieces = csv_lines(rows())
    next(pieces)
    assert len(asked) == 500
    assert sum(piece.count("\n") for piece in pieces) == 700


def test_a_response_is_a_file_of_that_name() -> None:
    response = csv_response([["a"]], "trial.csv")
    assert response["Content-Disposition"] == 'attachment; filename="trial.csv"'
