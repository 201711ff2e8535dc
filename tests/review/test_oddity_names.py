"""Every kind of oddity that a reader or the lint writes down has a name that people can read."""

import re

from review.oddity_names import ODDITY_NAMES
from tests.conftest import ROOT

KINDS = re.compile(
    r'(?:[oO]dd(?:ity)?\(\s*|_odd\(record, |yield (?:path, |name, )?|kind, message = |^\s*\()"([a-z0-9_]+)",', re.M
)


def kinds_in_the_source() -> set[str]:
    files = [*(ROOT / "annotation" / "sources").glob("*.py"), *(ROOT / "annotation" / "lint").glob("*.py")]
    return {kind for file in files for kind in KINDS.findall(file.read_text()) if "_" in kind}


def test_every_kind_of_oddity_has_a_name() -> None:
    assert len(kinds_in_the_source()) > 50
    assert kinds_in_the_source() - ODDITY_NAMES.keys() == set()
