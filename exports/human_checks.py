"""A random sample of a model's verdicts on reasons for people to check blind: drawing it and reading it back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from exports.answer_lines import LineError
from exports.double_sampling import CannotCorrect
from exports.json_lines import objects
from exports.parsing import AnswerError
from exports.scoring import Graded
from review.comparison import Case

SIZE = 200
BY_VERDICT, RANDOM = "by verdict", "random"


@dataclass(frozen=True, slots=True)
class Checks:
    """People's final verdicts by item id, and what the sample says it was drawn from."""

    same: Mapping[str, bool]
    drawn_from: Mapping[str, str]
    plain: bool = False  # a plain random sample, not one drawn by verdict
    between_people: Mapping[str, Any] | None = None


def drawn_from(report: Mapping[str, Any]) -> dict[str, str]:
    """What a sample must be of to be used for this report: the answers, the comparing model, its prompt."""
    reasons = report["reasons"]
    told = {name: str(reasons.get(name) or "") for name in ("model", "prompt_version")}
    return {"answers": report["answers"]["sha256"], **told}


def check_origin(checks: Checks, origin: Mapping[str, str]) -> None:
    """Raise CannotCorrect unless the sample is of these answers, this comparing model and its prompt."""
    for name, ours in origin.items():
        theirs = checks.drawn_from.get(name) or "unnamed"
        if theirs != ours:
            raise CannotCorrect(f"The people's verdicts are for {name} {theirs}, this grading has {ours}.")


def verdicts(graded: Sequence[Graded]) -> dict[str, bool]:
    """The model's verdict by item id where reasons were compared; undecided counts as different, as in the scores."""
    return {item.id: item.reason_same is True for item in graded if item.step_hit}


def draw(
    verdicts: Mapping[str, bool], rng: np.random.Generator, size: int = SIZE, design: str = BY_VERDICT
) -> list[str]:
    """Ids of a random sample in random order of either design.

    By verdict: half of each verdict of the model (all of a verdict when it has fewer), so that both are checked often
    enough. Random: a plain random sample, which prediction-powered inference needs.
    """
    if design == RANDOM:
        return [str(item) for item in rng.choice(sorted(verdicts), min(len(verdicts), size), replace=False)]
    strata = [sorted(item for item, same in verdicts.items() if same is wanted) for wanted in (True, False)]
    fewer, more = sorted(strata, key=len)
    half = min(len(fewer), size // 2)
    parts = [rng.choice(fewer, half, replace=False), rng.choice(more, min(len(more), size - half), replace=False)]
    chosen = [str(item) for part in parts for item in part]
    return [chosen[place] for place in rng.permutation(len(chosen))]


def sheet(
    ids: Iterable[str], cases: Mapping[str, Case], drawn_from: Mapping[str, str], design: str = BY_VERDICT
) -> Iterator[str]:
    """A line for each item of a sample, for people to fill in `same`; it does not tell what the model said."""
    for item in ids:
        blank = {"id": item, "same": None, "checker": "", "note": "", "design": design, **drawn_from}
        yield json.dumps({**blank, "case": asdict(cases[item])}, ensure_ascii=False)


def read_checks(lines: Iterable[bytes]) -> Checks:
    """People's verdicts from the lines of a filled-in sheet; an item may have a line from each of several people.

    Where people differ, one line with `"adjudicated": true` decides. Lines whose `same` is null are not counted.
    Raises: AnswerError listing the lines at fault and the items on which people differ.
    """
    said: dict[str, list[tuple[str, bool, bool]]] = {}
    origins, designs, problems = set[tuple[tuple[str, str], ...]](), set[str](), list[str]()
    for number, fields in objects(lines):
        if isinstance(fields, LineError):
            problems.append(f"Line {number}: {fields}")
        elif not isinstance(fields.get("id"), str) or not isinstance(fields.get("same"), bool | None):
            problems.append(f'Line {number}: expected is {{"id": text, "same": true or false, ...}}.')
        elif fields.get("same") is not None:
            told = (str(fields.get("checker") or ""), fields["same"], fields.get("adjudicated") is True)
            said.setdefault(fields["id"], []).append(told)
            origins.add(tuple((name, str(fields.get(name) or "")) for name in ("answers", "model", "prompt_version")))
            designs.add(str(fields.get("design") or ""))
    decided = {item: _decided(told) for item, told in said.items()}
    problems += [
        f"{item}: people differ, and no line is adjudicated." for item, same in decided.items() if same is None
    ]
    if len(origins) > 1:
        problems.append("The lines were drawn from different gradings.")
    if not said and not problems:
        problems.append("No line of the file has a verdict of a person.")
    if problems:
        raise AnswerError(problems)
    same = {item: verdict for item, verdict in decided.items() if verdict is not None}
    return Checks(same, dict(origins.pop()), designs == {RANDOM}, _between(said.values()))


def _decided(told: Sequence[tuple[str, bool, bool]]) -> bool | None:
    final = {same for _, same, adjudicated in told if adjudicated} or {same for _, same, _ in told}
    return final.pop() if len(final) == 1 else None


def _between(said: Iterable[Sequence[tuple[str, bool, bool]]]) -> dict[str, Any] | None:
    """Agreement of the first two people on the items that both checked; kappa is the ceiling of any model's."""
    pairs = []
    for told in said:
        own = {checker: same for checker, same, adjudicated in told if checker and not adjudicated}
        if len(own) >= 2:
            pairs.append([own[checker] for checker in sorted(own)[:2]])
    if not pairs:
        return None
    one, other = np.array(pairs, dtype=float).T
    agree, chance = (
        float((one == other).mean()),
        float(one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean())),
    )
    kappa = (agree - chance) / (1 - chance) if chance < 1 else None
    return {"n": len(pairs), "agreement": agree, "kappa": kappa}
