"""What even a perfect judge could score, as some gold labels are wrong; and what people score."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.sentences import gettext_noop
from annotation.sources.records import SolutionRecord
from exports.calibration import wilson
from exports.scoring import WEIGHTS, Graded, harmonic, mr_score, score


def changed_share(changed: int, n: int) -> tuple[float, tuple[float, float]]:
    """Share of gold labels changed when a random n were adjudicated again, blind; with its Wilson interval."""
    return changed / n, wilson(changed, n)


def error_from_agreement(agreement: float) -> float | None:
    """Share of wrong labels of each of two independent panels that agree so often and err alike on both classes.

    (1 - sqrt(2 A - 1)) / 2; None below one half, where no such error exists.
    """
    return (1 - math.sqrt(2 * agreement - 1)) / 2 if agreement >= 0.5 else None


def ceilings(
    share_correct: float,
    error: float,
    step_error: float = 0.0,
    reason_error: float = 0.0,
    weights: Sequence[float] = WEIGHTS,
) -> dict[str, Any]:
    """Expected scores of a perfect judge when each verdict of the gold is wrong with a chance of `error`.

    `share_correct` is the true share of correct solutions; step and reason errors come on top, so their ceilings
    multiply. What needs a class that has no solution is None.
    """
    labelled = share_correct * (1 - error) + (1 - share_correct) * error
    spread = math.sqrt(labelled * (1 - labelled))
    correlation = math.sqrt(share_correct * (1 - share_correct)) * (1 - 2 * error) / spread if spread else None
    # of the solutions labelled incorrect, those that are; then the step, then the reason
    seen = (1 - share_correct) * (1 - error) / (1 - labelled) if labelled < 1 else None
    step = None if seen is None else seen * (1 - step_error)
    reason = None if step is None else step * (1 - reason_error)
    right = share_correct * (1 - error) / labelled if labelled else None
    whole = None
    if correlation is not None and step is not None and reason is not None:
        whole = float(mr_score(correlation, step, reason, weights))
    return {
        "label_error": error,
        "accuracy": 1 - error,
        "mr_score": whole,
        "mcc": correlation,
        "acc_step": step,
        "acc_reason": reason,
        "f1": None if step is None or right is None else float(harmonic(step, right)),
        "error_accuracy": step,
        "correct_accuracy": right,
    }


def measured_error(manifest: Mapping[str, Any]) -> float | None:
    """Share of verdicts that changed when gold was decided again, blind, before freezing; None if that was not done."""
    told = manifest.get("gold_error") or {}
    return told["changed_verdict"] / told["n"] if told.get("n") else None


def measured_step_error(manifest: Mapping[str, Any], share_correct: float) -> float:
    """Share of incorrect solutions whose step alone changed when gold was decided again, blind; 0 if not measured.

    The release says how many changed in all, so the incorrect ones among them are taken to be as frequent as in it.
    """
    told = manifest.get("gold_error") or {}
    incorrect = told.get("n", 0) * (1 - share_correct)
    moved = told.get("changed_place", 0) - told.get("changed_verdict", 0)
    return min(1.0, max(0.0, moved / incorrect)) if incorrect else 0.0


def noise_facts(
    items: Sequence[Graded],
    manifest: Mapping[str, Any],
    label_noise: float | None = None,
    weights: Sequence[float] = WEIGHTS,
) -> dict[str, Any]:
    """`ceiling` of the grade report, or None and why; the gold's own share of correct solutions is taken as true.

    `label_noise` is a share of wrong verdicts known otherwise; without it, what the release says was measured counts.
    """
    share = sum(item.gold_correct for item in items) / len(items)
    step_error = measured_step_error(manifest, share) if label_noise is None else 0.0
    label_noise = measured_error(manifest) if label_noise is None else label_noise
    if label_noise is None:
        why = gettext_noop("The share of wrong gold labels was not measured: adjudicate a random sample again, blind.")
        return {"ceiling": None, "why_no_ceiling": why}
    return {"ceiling": ceilings(share, label_noise, step_error, weights=weights), "why_no_ceiling": ""}


def human_scores(items: Sequence[SolutionRecord], votes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """`human`: how annotators score, each against the others who labelled the item (never against gold they made).

    The others' majority stands for gold; where they are tied, the vote is left out. None when nobody can be scored.
    """
    by_item: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for vote in votes:
        by_item[str(vote["id"])].append(vote)
    graded, people = [], set()
    for item in items:
        for vote in by_item[item.id]:
            gold = _majority([other for other in by_item[item.id] if other["annotator"] != vote["annotator"]])
            if gold is not None:
                graded.append(_as_graded(item, vote, gold))
                people.add(vote["annotator"])
    if not graded:
        return {"human": None, "why_no_human": "No item of this release was labelled by two people."}
    scored = score(graded, reasons=False)
    about = gettext_noop("annotators, each against the majority of the others")
    return {"human": {"about": about, "annotators": len(people), "n": len(graded), **scored}, "why_no_human": ""}


def _majority(votes: Sequence[Mapping[str, Any]]) -> tuple[bool, int | None] | None:
    counted: dict[tuple[bool, int | None], int] = defaultdict(int)
    for vote in votes:
        counted[bool(vote["correct"]), vote.get("first_error")] += 1
    best = max(counted.values(), default=0)
    leading = [place for place, number in counted.items() if number == best]
    return leading[0] if len(leading) == 1 else None


def _as_graded(item: SolutionRecord, vote: Mapping[str, Any], gold: tuple[bool, int | None]) -> Graded:
    return Graded(
        id=item.id,
        subject=item.problem.subject,
        problem=f"{item.problem.source}\x1f{item.problem.external_id}",
        gold_correct=gold[0],
        gold_step=gold[1],
        correct=bool(vote["correct"]),
        step=vote.get("first_error"),
    )
