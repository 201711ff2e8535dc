"""Reading JSON files strictly: what is damaged is named with its file, line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, NoReturn

from annotation.sources.records import BadRecord, Oddity

JSON_SPACE = " \t\r\n"
OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
NOT_A_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)', re.DOTALL)

# by what one knows a file that was given to the wrong reader
TELLTALES: Mapping[str, frozenset[str]] = {
    "mr-ben": frozenset({"Question_UUID", "Sampled_Model"}),
    "processbench": frozenset({"generator", "problem", "steps"}),
    "stepmark": frozenset({"external_id", "question", "sampled_from"}),
}


class SourceError(ValueError):
    """A file that cannot be read; the message names the file and, where there is one, line and column."""


class JsonObject(dict[str, Any]):
    """A JSON object that remembers which keys it had more than once."""

    repeated: tuple[str, ...] = ()


def decode(data: bytes, name: str) -> str:
    """The file's text. Raises: SourceError when it is empty or not UTF-8 (a UTF-8 mark at its start is accepted)."""
    for mark, encoding in OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise SourceError(f"{name}: this file is {encoding}; save it as UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8-sig", errors="replace")
        raise SourceError(
            f"{name}, {_place(good, len(good))}: this is not UTF-8 text; save the file as UTF-8."
        ) from None
    if not text.strip(JSON_SPACE):
        raise SourceError(f"{name}: this file is empty.")
    return text


def parse(text: str, name: str, first_line: int = 1) -> Any:
    """The JSON value of a text that begins on `first_line` of the file. Raises: SourceError."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        place = _place(text, error.pos, first_line)
        raise SourceError(f"{name}, {place}: this is not JSON ({error.msg}).") from None
    except RecursionError:
        raise SourceError(f"{name}, line {first_line}: this JSON is nested too deeply.") from None
    except ValueError as error:
        spot = next((m.start(1) for m in NOT_A_NUMBER.finditer(text) if m[1]), 0)
        raise SourceError(f"{name}, {_place(text, spot, first_line)}: {error}") from None


def each_record(data: bytes, name: str, file_format: str) -> Iterator[tuple[str, Any]]:
    """(place, value) of a JSON array ("record 3") or of one JSON value a line ("line 3"); a bad line gives a BadRecord.

    `file_format` is the name of the format the caller reads, for the messages. Raises: SourceError.
    """
    for n, (place, value) in enumerate(_each_value(decode(data, name), name, file_format)):
        if n == 0:
            check_format(value, name, file_format)
        yield place, value


def _each_value(text: str, name: str, file_format: str) -> Iterator[tuple[str, Any]]:
    begin = text.lstrip(JSON_SPACE)[0]
    if begin == "[":
        values = parse(text, name)
        if not values:
            raise SourceError(f"{name}: this file holds an empty list.")
        yield from ((f"record {number}", value) for number, value in enumerate(values, start=1))
    elif begin != "{":
        raise SourceError(f"{name}: this file is neither a JSON array nor JSON objects, one a line.")
    else:
        yield from _each_line(text, name, file_format)


def _each_line(text: str, name: str, file_format: str) -> Iterator[tuple[str, Any]]:
    # only "\n" ends a line: U+2028 and its like may stand inside a JSON string
    filled = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip(JSON_SPACE))
    for n, (number, line) in enumerate(filled):
        try:
            value = parse(line, name, number)
        except SourceError as error:
            if n == 0:
                _refuse_one_object(text, name, file_format, error)
            place = f"line {number}"
            value = BadRecord(place, (Oddity("bad_json", "blocking", place, "", str(error)),))
        yield f"line {number}", value


def _refuse_one_object(text: str, name: str, file_format: str, error: SourceError) -> NoReturn:
    try:
        whole = parse(text, name)
    except SourceError:
        raise error from None
    guess = recognise(whole)
    advice = f" It looks like {guess}: choose that format." if guess and guess != file_format else ""
    raise SourceError(
        f"{name}: this file is one JSON object; {file_format} takes a JSON array or one object a line.{advice}"
    )


def recognise(value: Any) -> str | None:
    """The name of the format that a record, or an object of lists of records, looks like, if any."""
    first = next(iter(value.values()), None) if isinstance(value, dict) else None
    if isinstance(first, list) and first and isinstance(first[0], dict):
        value = first[0]
    keys = frozenset(value) if isinstance(value, dict) else frozenset()
    return next((name for name, needed in TELLTALES.items() if needed <= keys), None)


def check_format(value: Any, name: str, file_format: str) -> None:
    """Raise SourceError when a record plainly is of another format than the one chosen."""
    guess = recognise(value)
    if guess not in (None, file_format):
        raise SourceError(f"{name}: these records look like {guess}, not {file_format}: choose that format.")


def stem(name: str) -> str:
    """The file's name without folder and endings, short enough to be part of a source name."""
    return PurePath(name.replace("\\", "/")).name.split(".")[0][:100] or "file"


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _value in pairs]
        made.repeated = tuple(sorted({key for key in keys if keys.count(key) > 1}))
    return made


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value; write null or a number.")


def _place(text: str, position: int, first_line: int = 1) -> str:
    line = text.count("\n", 0, position)
    return f"line {first_line + line}, column {position - (text.rfind('\n', 0, position) + 1) + 1}"
