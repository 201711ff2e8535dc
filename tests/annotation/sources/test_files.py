"""Damaged files, files of another format, and characters no database keeps."""

import json
from typing import Any

import pytest

from annotation.sources import SOURCES, SourceError
from annotation.sources.records import BadRecord, SolutionRecord
from tests.annotation.sources.samples import MR_BEN, PROCESSBENCH, STEPMARK, UUID, kinds, one, read


@pytest.mark.parametrize("source", sorted(SOURCES))
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        ('[{"a": 1}]'.encode("utf-16"), "UTF-16"),
        ('[{"a": 1}]'.encode("utf-32"), "UTF-32"),
        (b'[{"a":\n "\xff"}]', "line 2, column 3"),
        (b'[{"a": 1},\n {"b"', "line 2, column 6"),
        (b'[\n{"a": NaN}]', "line 2, column 7: NaN"),
        (b'[{"NaN": "NaN",\n"a": -Infinity}]', "line 2, column 6: -Infinity"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"1" * 5000 + b"]", "line 1"),
        (b'"text"', "file.json"),
        (b"17", "file.json"),
        (b"[]", "file.json"),
        (b"hello", "file.json"),
    ],
)
def test_damaged_file_is_refused_with_its_name_and_place(source: str, data: Any, message: str) -> None:
    with pytest.raises(SourceError, match=message) as refused:
        read(source, data)
    assert "file.json" in str(refused.value)


@pytest.mark.parametrize(
    ("source", "value", "other"),
    [
        ("stepmark", {UUID: [MR_BEN]}, "mr-ben"),
        ("processbench", {UUID: [MR_BEN]}, "mr-ben"),
        ("mr-ben", [PROCESSBENCH], "processbench"),
        ("stepmark", [PROCESSBENCH], "processbench"),
        ("processbench", [STEPMARK], "stepmark"),
        ("mr-ben", STEPMARK, None),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_file_of_another_format_is_told_which_to_choose(source: str, value: Any, other: Any, indent: Any) -> None:
    with pytest.raises(SourceError, match=f"{other or 'object'}"):
        read(source, json.dumps(value, indent=indent).encode())


def test_pretty_printed_single_object_is_not_lines() -> None:
    with pytest.raises(SourceError, match="one JSON object"):
        read("stepmark", json.dumps(STEPMARK, indent=1).encode())


def test_a_bad_line_is_listed_and_the_others_are_read() -> None:
    good = json.dumps(STEPMARK)
    data = f'\ufeff{good}\r\n\n{{"external_id": oops}}\n[1]\n{good}\n{good[:30]}'.encode()
    first, bad, no_object, second, cut = read("stepmark", data)
    assert isinstance(first, SolutionRecord)
    assert isinstance(second, SolutionRecord)
    assert [type(record) for record in (bad, no_object, cut)] == [BadRecord] * 3
    assert "line 3, column 17" in bad.oddities[0].message
    assert kinds(no_object) == {"not_an_object"}
    assert cut.where == "line 6"


def test_line_separators_inside_strings_end_no_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0be"
    data = json.dumps({**STEPMARK, "raw_text": text}, ensure_ascii=False).encode()
    (record,) = read("stepmark", data)
    assert record.raw_text == text


@pytest.mark.parametrize("source", sorted(SOURCES))
@pytest.mark.parametrize(("escape", "kind"), [(r"\u0000", "nul_character"), (r"\ud800", "lone_surrogate")])
@pytest.mark.parametrize("place", ["value", "nested", "key"])
def test_characters_no_database_keeps_refuse_the_record(source: str, escape: str, kind: Any, place: str) -> None:
    extra = {"value": '"x": "@"', "nested": '"x": [{"y": "@"}]', "key": '"@": 1'}[place].replace("@", escape)
    sample = {"mr-ben": MR_BEN, "processbench": PROCESSBENCH, "stepmark": STEPMARK}[source]
    (record,) = read(source, ("[" + json.dumps(sample)[:-1] + ", " + extra + "}]").encode())
    assert isinstance(record, BadRecord)
    assert kinds(record) == {kind}
    record.oddities[0].message.encode()


def test_repeated_keys_are_refused_because_one_value_would_be_lost() -> None:
    line = json.dumps(STEPMARK)[:-1] + ', "extra": {"a": 1, "a": 2}}'
    (record,) = read("stepmark", line.encode())
    assert [(odd.kind, odd.field) for odd in record.oddities] == [("repeated_key", "extra")]
    records = json.dumps([MR_BEN])
    with pytest.raises(SourceError, match="twice"):
        read("mr-ben", f'{{"{UUID}": {records}, "{UUID}": {records}}}'.encode())


@pytest.mark.parametrize("source", ["mr-ben", "processbench"])
@pytest.mark.parametrize("junk", [..., None, 0, True, [], {}, [[]], [None], {"a": []}])
def test_no_field_of_any_type_breaks_a_reader(source: str, junk: Any) -> None:
    for field in {"mr-ben": MR_BEN, "processbench": PROCESSBENCH}[source]:
        record = one(source, **{field: junk})
        assert isinstance(record, SolutionRecord | BadRecord)
        if junk in ([[]], {"a": []}):
            assert record.oddities, field


def test_unknown_text_format_is_refused() -> None:
    with pytest.raises(ValueError, match="text format"):
        read("processbench", [PROCESSBENCH], text_format="html")
