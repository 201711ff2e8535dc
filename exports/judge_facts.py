"""How a judge's answers were made: from the file beside them, or the run on the server, into the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SUFFIX = ".run.json"
_NEEDED = ("model", "preset", "preset_version")
_KEPT = (*_NEEDED, "step_tag", "shots", "samples", "tie_rule", "temperature", "top_p", "max_tokens", "seed")


class NotOfThisRun(ValueError):
    """The file beside the answers does not tell how these answers were made; the message says why."""


def account_of(answers: Path) -> Path:
    """The file that says how an answers file was made, whether or not it is there."""
    return answers.with_name(answers.name + SUFFIX)


def judge_facts(told: Mapping[str, Any]) -> dict[str, Any]:
    """Model, prompt with its version, and settings out of what is told of a run; nothing where no run is told of."""
    return {name: told[name] for name in _KEPT if told.get(name) is not None}


def with_judge(report: Mapping[str, Any], judge: Mapping[str, Any]) -> dict[str, Any]:
    """The report with the judge's facts under how.judge; None there says that they are not known."""
    return {**report, "how": {**report["how"], "judge": dict(judge) or None}}


def facts_beside(answers: Path, release_hash: str, answers_sha256: str) -> dict[str, Any]:
    """The facts in the file beside the answers; nothing where there is no such file. Raises: NotOfThisRun, OSError."""
    path = account_of(answers)
    if not path.exists():
        return {}
    try:
        told = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise NotOfThisRun(f"{path} is not JSON ({error}).") from error
    if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in _NEEDED):
        raise NotOfThisRun(f"{path} is no account of a run: {', '.join(_NEEDED)} are expected as texts.")
    if not all(isinstance(told.get(name), str | int | float | None) for name in _KEPT):
        raise NotOfThisRun(f"{path} is no account of a run: a setting is neither a text nor a number.")
    if told.get("release") != release_hash:
        raise NotOfThisRun(f"{path} is about another release: {told.get('release')}.")
    if told.get("answers_sha256", answers_sha256) != answers_sha256:
        raise NotOfThisRun(f"{path} is about other answers: these were changed since, or come from elsewhere.")
    return judge_facts(told)
