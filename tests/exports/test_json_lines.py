"""JSON lines are read one by one; what is no text at all is refused once, by every reader of answers."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from exports.answer_lines import LineError
from exports.human_checks import read_checks
from exports.json_lines import digested, objects
from exports.parsing import AnswerError, read_answers
from exports.reasons import by_people
from tests.exports.small_release import solution

ITEM = solution("a", 1)
GOOD = b'{"id": "%s", "correct": true, "same": true}\n' % ITEM.id.encode()
PICTURE = [b"\x89PNG\r\n", b"\x1a\n", *[bytes([0, n, 255]) + b"\n" for n in range(40)]]
READERS: list[Callable[[list[bytes]], Any]] = [
    lambda lines: read_answers(lines, [ITEM]),
    lambda lines: by_people(lines, [ITEM.id]),
    read_checks,
]


def test_objects_come_with_their_lines_and_blank_ones_are_passed_over() -> None:
    found = [(number, str(each)) for number, each in objects([b'\xef\xbb\xbf{"a": 1}\n', b" \n", b"x\n", b'{"b": 2}'])]
    assert [number for number, _ in found] == [1, 3, 4]
    assert "this is not JSON (Expecting value, column 1)" in found[1][1]
    assert (found[0][1], found[2][1]) == ("{'a': 1}", "{'b': 2}")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (PICTURE, ["Line 1: this is not UTF-8."]),
        ([b"%PDF-1.7\n", *PICTURE[2:]], ["Line 1: this is not JSON", "Line 2: this is not UTF-8."]),
        (GOOD.decode().encode("utf-16").splitlines(keepends=True), ["Line 1: this is not UTF-8."]),
        ([line.encode("utf-16-le") for line in ["{}\n", "{}\n"]], ["Line 1: this is no text in UTF-8."]),
    ],
    ids=["a picture", "a document", "UTF-16", "UTF-16 without a mark"],
)  # fmt: skip
def test_a_file_that_is_no_text_is_refused_once(
    read: Callable[[list[bytes]], Any], lines: list[bytes], words: list[str]
) -> None:
    with pytest.raises(AnswerError) as caught:
        read(lines)
    assert len(caught.value.problems) == len(words)
    for problem, expected in zip(caught.value.problems, words, strict=True):
        assert problem.startswith(expected)
    assert caught.value.problems[-1].endswith("The rest of the file was not read.")


@pytest.mark.parametrize("read", READERS)
def test_bytes_amid_lines_that_were_understood_are_told_of_by_line(read: Callable[[list[bytes]], Any]) -> None:
    with pytest.raises(AnswerError) as caught:
        read([GOOD, b"\xff\n", b"{\n", b"\xfe\n"])
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["Line 2", "Line 3", "Line 4"]


@pytest.mark.parametrize(("line", "words"), [(b"[1]", "one JSON object a line"), (b"[" * 100_000, "nested too deeply")])
def test_a_line_that_is_no_object_is_told_of(line: bytes, words: str) -> None:
    ((number, told),) = objects([line])
    assert (number, words in str(told), isinstance(told, LineError)) == (1, True, True)


def test_lines_are_digested_as_they_are_read() -> None:
    digest = hashlib.sha256()
    assert list(digested([b"one\n", b"two"], digest)) == [b"one\n", b"two"]
    assert digest.hexdigest() == hashlib.sha256(b"one\ntwo").hexdigest()


@pytest.mark.parametrize("read", READERS)
def test_a_line_that_says_a_thing_twice_is_refused(read: Callable[[list[bytes]], Any]) -> None:
    with pytest.raises(AnswerError, match="'same' stands twice"):
        read([b'{"id": "%s", "same": true, "same": false}' % ITEM.id.encode()])
