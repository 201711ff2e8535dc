"""Every status, flag and group that a report holds has a name that people can read."""

import re

from exports.raw_answers import STATUSES
from exports.report_words import REPORT_WORDS
from tests.conftest import ROOT

FLAGS = re.compile(r'(?:flags=\(|_flagged\([^,]+, |flags = \(|flags, |else \(|\*\(\()"([a-z_]+)"')
GROUPS = re.compile(r'^        "([a-z_]+)": lambda item', re.M)


def found(pattern: re.Pattern[str], *names: str) -> set[str]:
    return {word for name in names for word in pattern.findall((ROOT / "exports" / f"{name}.py").read_text())}


def test_every_status_has_a_name() -> None:
    assert set(STATUSES) <= REPORT_WORDS.keys()


def test_every_flag_has_a_name() -> None:
    flags = found(FLAGS, "raw_answers", "step_names", "step_scores", "voting", "parsing", "grading")
    assert len(flags) > 10
    assert flags <= REPORT_WORDS.keys()


def test_every_group_has_a_name() -> None:
    groups = found(GROUPS, "breakdowns")
    assert len(groups) == 5
    assert groups <= REPORT_WORDS.keys()
