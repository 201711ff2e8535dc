"""What is installed is what pyproject pins: for everybody the same versions, whoever resolves them and when."""

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DIRECT = [*PYPROJECT["project"]["dependencies"], *PYPROJECT["dependency-groups"]["dev"]]
ALONG = PYPROJECT["tool"]["uv"]["constraint-dependencies"]
NOT_OURS = {"stepmark", "pip", "uv", "setuptools", "wheel"}


def pinned(lines: list[str]) -> dict[str, str]:
    """Version by name."""
    found: dict[str, str] = {}
    for line in lines:
        requirement = Requirement(line)
        (exactly,) = requirement.specifier
        assert exactly.operator == "==", f"{line} pins no version"
        found[canonicalize_name(requirement.name)] = exactly.version
    return found


PINS = pinned(DIRECT) | pinned(ALONG)


def installed() -> dict[str, Distribution]:
    return {canonicalize_name(each.name): each for each in distributions()}


def wanted(name: str, extras: frozenset[str] = frozenset(), seen: set[str] | None = None) -> set[str]:
    """A package and all that it brings along on this machine, by evaluating its conditions."""
    seen = set() if seen is None else seen
    seen.add(name)
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return seen
    for requirement in map(Requirement, lines):
        applies = requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in (extras or {""}) | {""}
        )
        further = canonicalize_name(requirement.name)
        if applies and further not in seen:
            wanted(further, frozenset(requirement.extras), seen)
    return seen


def everything_wanted() -> set[str]:
    found: set[str] = set()
    for requirement in map(Requirement, DIRECT):
        wanted(canonicalize_name(requirement.name), frozenset(requirement.extras), found)
    return found


@pytest.mark.parametrize("name", sorted(pinned(DIRECT)))
def test_a_direct_dependency_is_installed_as_pinned(name: str) -> None:
    assert distribution(name).version == PINS[name]


def test_what_they_bring_along_is_installed_as_pinned() -> None:
    have, need = installed(), everything_wanted()
    missing = sorted(name for name in need if name not in have)
    other = [f"{name} {have[name].version}, pinned {PINS[name]}" for name in PINS if name in have]
    other = [told for told in other if not re.fullmatch(r"(\S+) (\S+), pinned \2", told)]
    assert missing == [], "wanted and not installed"
    assert other == [], "installed in another version"


def test_everything_that_is_brought_along_is_pinned() -> None:
    unpinned = sorted(everything_wanted() - PINS.keys() - NOT_OURS)
    assert unpinned == [], "add these to constraint-dependencies"


def test_nothing_is_pinned_that_nobody_wants() -> None:
    """A pin that applies to another platform only is wanted there by a condition that fails here."""
    names = everything_wanted()
    conditional = {
        canonicalize_name(requirement.name)
        for name in names
        if name in installed()
        for requirement in map(Requirement, distribution(name).requires or [])
        if requirement.marker is not None and "extra" not in str(requirement.marker)
    }
    assert sorted(PINS.keys() - names - conditional) == [], "take these out of constraint-dependencies"


def test_nothing_is_installed_that_nobody_pinned() -> None:
    assert sorted(installed().keys() - PINS.keys() - NOT_OURS) == []
