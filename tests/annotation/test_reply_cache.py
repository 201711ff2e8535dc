"""Kept replies: all of them come back, damage counts as absence, and a disk that takes nothing is said."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.llm import Endpoint, Request
from annotation.replies import Reply
from annotation.reply_cache import ReplyCache, ReplyWriter
from tests.model_server import model_server

SAID = Reply("half \ud83d, 好", {"verdict": "same"}, "json_object", (11, 7), "length", refused=True)


def execute(cache: ReplyCache, statement: str) -> None:
    with closing(sqlite3.connect(cache.file)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("number", [0, 1, 199, 200, 201, 450])
def test_everything_that_was_written_comes_back(tmp_path: Path, number: int) -> None:
    with ReplyWriter(ReplyCache(tmp_path / "new")) as writer:
        for n in range(number):
            writer.put(str(n), replace(SAID, tokens=(n, 1)))
    cache = ReplyCache(tmp_path / "new")
    assert [cache.get(str(n)) for n in range(number)] == [replace(SAID, tokens=(n, 1)) for n in range(number)]
    assert cache.get(str(number)) is None


def test_two_that_write_at_once_do_not_hinder_each_other(tmp_path: Path) -> None:
    with ReplyWriter(ReplyCache(tmp_path)) as one, ReplyWriter(ReplyCache(tmp_path)) as other:
        for n in range(100):
            one.put(f"a{n}", SAID)
            other.put(f"b{n}", SAID)
    cache = ReplyCache(tmp_path)
    assert all(cache.get(f"{side}{n}") == SAID for side in "ab" for n in range(100))


@pytest.mark.parametrize("damage", ["substr(reply, 1, 20)", "'{}'", "'[1]'", "NULL"])
def test_a_damaged_entry_counts_as_absent_and_is_replaced(tmp_path: Path, damage: str) -> None:
    cache = ReplyCache(tmp_path)
    with ReplyWriter(cache) as writer:
        writer.put("one", SAID)
    execute(cache, f"UPDATE replies SET reply = {damage}")
    assert cache.get("one") is None
    with ReplyWriter(cache) as writer:
        writer.put("one", SAID)
    assert cache.get("one") == SAID


def test_a_file_that_is_no_cache_is_said_to_be_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite3").write_text("not a database, " * 100)
    with pytest.raises(OSError, match=r"replies\.sqlite3 cannot be used .*Move the file away"):
        ReplyCache(tmp_path).get("one")


def test_a_disk_that_takes_nothing_more_ends_the_run(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    with closing(cache.opened()):
        execute(cache, "CREATE TRIGGER full BEFORE INSERT ON replies BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
    with model_server() as server:
        endpoint = Endpoint("grader", server.base_url, "key", cache=tmp_path)
        asked = (Request(str(n), [{"role": "user", "content": str(n)}]) for n in range(2000))
        with pytest.raises(OSError, match="disk is full"):
            list(endpoint.complete_many(asked, concurrency=2))
        assert len(server.requests) < 2000, "what cannot be kept is not paid for"
