"""The objects of a JSON lines file one by one, or what is wrong with a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from annotation.replies import SaidTwice, at_one
from exports.answer_lines import LineError, shown

_MARK = b"\xef\xbb\xbf"


class Hash(Protocol):
    """What `hashlib` makes."""

    def update(self, data: bytes, /) -> None:
        """Take bytes in."""


class NoText(LineError):
    """The line is no text in UTF-8."""


def objects(lines: Iterable[bytes]) -> Iterator[tuple[int, Mapping[str, Any] | LineError]]:
    """Each object with its 1-based line, or what is wrong with that line; blank lines are passed over.

    Bytes that are no text before anything was understood (a picture, an archive, UTF-16) are told of once: the rest of
    such a file is not read.
    """
    understood = False
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(_MARK) if number == 1 else line
        if not text.strip():
            continue
        try:
            yield number, object_of(text)
            understood = True
        except NoText as error:
            if not understood:
                yield number, LineError(f"{error} The rest of the file was not read.")
                return
            yield number, error
        except LineError as error:
            yield number, error


def digested(lines: Iterable[bytes], digest: Hash) -> Iterator[bytes]:
    """The lines as they are, each added to the digest when it is read."""
    for line in lines:
        digest.update(line)
        yield line


def object_of(line: bytes) -> Mapping[str, Any]:
    """The object that a line holds. Raises: LineError, NoText."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise NoText("this is not UTF-8. Save the file as JSON lines in UTF-8.") from None
    if "\0" in text:
        raise NoText("this is no text in UTF-8. Save the file as JSON lines in UTF-8.")
    try:
        fields = json.loads(text, object_pairs_hook=at_one)
    except SaidTwice as error:
        raise LineError(f"{shown(error.name)} stands twice in one object, with different values.") from None
    except RecursionError:
        raise LineError(
            "this is not JSON that can be read (nested too deeply). One object a line is expected."
        ) from None
    except json.JSONDecodeError as error:
        where = f"{error.msg}, column {error.pos + 1}"
        raise LineError(f"this is not JSON ({where}). One object a line is expected.") from None
    except ValueError as error:
        raise LineError(f"this is not JSON ({error}). One object a line is expected.") from None
    if not isinstance(fields, dict):
        raise LineError("one JSON object a line is expected.")
    return fields
