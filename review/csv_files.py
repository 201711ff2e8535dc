"""Tables as CSV files: streamed, and safe to open in a spreadsheet."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
LINES_AT_ONCE = 500


def csv_response(rows: Iterable[Sequence[Any]], name: str) -> StreamingHttpResponse:
    """The rows as a file to be saved under a name."""
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The rows as text, some hundred lines at a time."""
    writer, lines = csv.writer(_Echo()), []
    for row in rows:
        lines.append(writer.writerow([cell(value) for value in row]))
        if len(lines) == LINES_AT_ONCE:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def cell(value: Any) -> Any:
    """A value as it is written: numbers as they are; a text that a spreadsheet would compute gets an apostrophe."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


class _Echo:
    """A file that gives back what is written."""

    def write(self, text: str) -> str:
        return text
