"""The parts of a grade report that say what was read, what was compared, what it cost, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exports.folder import ReleaseFolder
from exports.intervals import LEVEL, RESAMPLES
from exports.parsing import PARSER_VERSION, Answers
from exports.scoring import SCORER_VERSION
from review.comparison import Comparison


def answer_facts(answers: Answers, flags: Iterable[str]) -> dict[str, Any]:
    """What was read: statuses, flags (one for each time an item carries it), and the ids behind the counts."""
    return {
        "sha256": answers.sha256,
        "statuses": answers.statuses,
        "flags": dict(sorted(Counter(flags).items())),
        "duplicates": answers.duplicates,
        "unread_fields": dict(answers.unread),
        "missing": answers.with_status("missing"),
        "unparsed": answers.with_status("unparsed", "refused"),
        "without_reply": answers.with_status("timed_out", "failed"),
        "abstained": answers.with_status("abstained"),
        "without_step": answers.with_status("partial"),
    }


def reason_facts(compared: Mapping[str, Comparison], why_not: str, mode: str) -> dict[str, Any]:
    """`trust` tells how ACC_reason is to be read; a model's verdicts are unchecked until people check a sample."""
    undecided = [item for item, comparison in compared.items() if comparison.same is None]
    same = sum(comparison.same is True for comparison in compared.values())
    status = "not compared" if why_not else "unchecked" if mode == "llm" else "people"
    split = sum(comparison.share is not None and comparison.share < 1 for comparison in compared.values())
    counted = {"compared": len(compared), "same": same, "unresolved": sorted(undecided), "split_votes": split}
    return {"why_null": why_not, **counted, "trust": {"status": status}}


def cost_of(answers: Answers) -> dict[str, Any] | None:
    """Tokens, and money where prices were given, as far as the answers state them; the mean cost is of those alone."""
    usage = answers.usage
    if usage is None:
        return None
    stated = sum(answer.usage is not None for answer in answers.answers)
    priced = sum(answer.usage is not None and answer.usage.cost is not None for answer in answers.answers)
    per_item = None if usage.cost is None else usage.cost / priced
    return {"prompt_tokens": usage.prompt, "completion_tokens": usage.completion, "n": stated, "cost": usage.cost,
            "cost_per_item": per_item}  # fmt: skip


def how_facts(folder: ReleaseFolder, parser: str, weights: Sequence[float], seed: int) -> dict[str, Any]:
    """Versions, policies and seeds, so that the same grading can be made again."""
    return {
        "release": {name: folder.manifest.get(name) for name in ("project", "version")} | {"hash": folder.hash},
        "scorer_version": SCORER_VERSION,
        "parser_version": PARSER_VERSION,
        "parser": parser,
        "unparsed_policy": "wrong: unparsed, refused, abstained, missing and timed out stay in every denominator",
        "weights": dict(zip(("mcc", "acc_step", "acc_reason"), weights, strict=True)),
        "bootstrap": {"seed": seed, "resamples": RESAMPLES, "level": LEVEL, "cluster": "problem", "strata": "subject"},
    }
