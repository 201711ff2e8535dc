"""Run a judge over a release: ask, vote over samples, count tokens, and write answers that keep every raw reply."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.llm import Endpoint, EndpointError, Request, TimedOut
from annotation.replies import Reply
from annotation.sources.records import SolutionRecord
from exports.folder import ReleaseFolder
from exports.judge_prompts import Demos, Preset, messages
from exports.step_scores import finite
from exports.voting import TIE_RULE

NO_DEMOS = Demos((), "none")
EXPECTED_REPLY = 400  # tokens, where no limit is set: what a short check takes
_SEPARATOR = "\x1f"


class CannotRun(ValueError):
    """The run as asked for makes no sense; the message says why."""


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens of prompts and of replies."""

    prompt: float
    completion: float

    def of(self, prompt: int, completion: int) -> float:
        """What so many tokens cost."""
        return (self.prompt * prompt + self.completion * completion) / 1e6


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked of whom. Samples after the first need a temperature above 0 to differ."""

    folder: ReleaseFolder
    endpoint: Endpoint
    preset: Preset
    shots: int = 0
    samples: int = 1
    demos: Demos = NO_DEMOS
    price: Price | None = None

    def check(self) -> None:
        """Raises: CannotRun."""
        if self.shots and len(self.demos.items) <= self.shots:
            raise CannotRun(
                f"{self.shots} shots need more than {self.shots} demonstrations; {len(self.demos.items)} given."
            )
        if self.samples < 1 or self.shots < 0:
            raise CannotRun("At least one sample is needed, and no fewer than no shots.")
        if self.shots and self.preset.step_tag:
            raise CannotRun("A reward model is shown no demonstrations.")
        if self.samples > 1 and not self.endpoint.decoding.temperature:
            raise CannotRun("Several samples at temperature 0 are all alike; set a temperature.")
        if self.samples > 1 and self.preset.schema:
            raise CannotRun("Scores of steps are not voted on: one sample is all there is.")

    def requests(self) -> Iterator[Request]:
        """One request for each item and sample, in the order of the release."""
        for item in self.folder.items:
            asked = messages(self.preset, item, self.demos.chosen(item, self.shots))
            for sample in range(self.samples):
                yield Request(f"{item.id}{_SEPARATOR}{sample}", asked, self.preset.schema, sample)

    def label_balance(self) -> dict[str, int]:
        """How many demonstrations in all prompts show a correct and an incorrect solution."""
        shown = Counter(
            "correct" if demo.gold and demo.gold.verdict.correct else "incorrect"
            for item in self.folder.items
            for demo in self.demos.chosen(item, self.shots)
        )
        return {"correct": shown["correct"], "incorrect": shown["incorrect"]}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will ask, before it asks: tokens of prompts by their length, tokens of replies by assumption."""

    requests: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate(run: Run, reply_tokens: int | None = None) -> Estimate:
    """Estimate a run; what is in the cache costs nothing. A reply has the limit's tokens, at most 400, or as told."""
    run.check()
    limit = run.endpoint.decoding.max_tokens
    each = 0 if run.preset.step_tag else reply_tokens or min(limit or EXPECTED_REPLY, EXPECTED_REPLY)
    asked = cached = prompt = 0
    for request in run.requests():
        asked += 1
        if run.endpoint.is_cached(request.messages, request.schema, request.sample):
            cached += 1
        else:
            prompt += sum(_tokens(message["content"]) for message in request.messages)
    completion = each * (asked - cached)
    cost = run.price.of(prompt, completion) if run.price else None
    return Estimate(asked, cached, prompt, completion, cost)


def _tokens(text: str) -> int:
    """About four letters of a Western script to a token, one of any other."""
    wide = sum(letter > "\u2e7f" for letter in text)
    return (len(text) - wide) // 4 + wide + 4


def run_judge(
    run: Run,
    *,
    concurrency: int = 8,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Ask everything and return answer lines in the order of the release; a repeated run asks only what is missing.

    A call without a reply gets a status in its place. Raises: CannotRun, EndpointError when the endpoint
    itself is at fault.
    """
    run.check()
    outcomes: dict[str, dict[int, Reply | EndpointError]] = defaultdict(dict)
    total = len(run.folder.items) * run.samples
    counted = (lambda done: progress(done, total)) if progress else None
    if progress:
        progress(0, total)  # the first reply may take minutes
    asked = run.endpoint.complete_many(run.requests(), concurrency=concurrency, progress=counted)
    for request, outcome in asked:
        item, _, sample = request.key.partition(_SEPARATOR)
        outcomes[item][int(sample)] = outcome
    return [_line(run, item, [outcomes[item.id][sample] for sample in range(run.samples)]) for item in run.folder.items]


def _line(run: Run, item: SolutionRecord, outcomes: Sequence[Reply | EndpointError]) -> dict[str, Any]:
    """An answer line: `raw` of one sample, `ballots` of several (only those with a reply), or a status."""
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    line: dict[str, Any] = {"id": item.id, "release": run.folder.hash, "base": run.preset.base}
    if not replies:
        slow = any(isinstance(outcome, TimedOut) for outcome in outcomes)
        line |= {"status": "timed_out" if slow else "failed", "raw": "", "error": str(outcomes[0])}
    elif run.preset.schema:
        line |= {"step_scores": _scores(replies[0]), "reply": _storable(replies[0].text)}
    elif run.samples == 1:
        line |= {"raw": _storable(replies[0].text)}
    else:
        line |= {"ballots": [_storable(reply.text) for reply in replies]}
        line |= {"ballots_missing": run.samples - len(replies)} if len(replies) < run.samples else {}
    if replies and all(reply.refused for reply in replies):
        line["status"] = "refused"
    cut = sum(reply.finish == "length" for reply in replies)
    if cut:
        line["cut_off"] = cut
    prompt, completion = (sum(reply.tokens[side] for reply in replies) for side in (0, 1))
    if replies:
        line["tokens"] = {"prompt": prompt, "completion": completion}
        if run.price:
            line["cost"] = run.price.of(prompt, completion)
    return line


def _scores(reply: Reply) -> list[float]:
    """The scores in a reply that was asked for them; none when they are no numbers, so that they are not understood."""
    found = (reply.parsed or {}).get("step_scores")
    return list((finite(found) if isinstance(found, list) else None) or ())


def _storable(text: str) -> str:
    """Without NUL and halves of characters, which an answers file may not hold."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def run_facts(run: Run, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How the answers were made, for a file beside them."""
    decoding = run.endpoint.decoding
    tokens = [line["tokens"] for line in lines if "tokens" in line]
    costs = [line["cost"] for line in lines if "cost" in line]
    return {
        "model": run.endpoint.model,
        "release": run.folder.hash,
        "answers_sha256": hashlib.sha256(text_of(lines).encode()).hexdigest(),
        "preset": run.preset.name,
        "preset_version": run.preset.version,
        "step_tag": run.preset.step_tag or None,
        "shots": run.shots,
        "demos": {"origin": run.demos.origin, "label_balance": run.label_balance()},
        "samples": run.samples,
        "tie_rule": TIE_RULE if run.samples > 1 else None,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "max_tokens": decoding.max_tokens,
        "seed": decoding.seed,
        "items": len(lines),
        "without_reply": dict(Counter(line["status"] for line in lines if "status" in line)),
        "cut_off": sum(line.get("cut_off", 0) for line in lines),
        "tokens": {name: sum(each[name] for each in tokens) for name in ("prompt", "completion")},
        "cost": sum(costs) if costs else None,
    }


def text_of(lines: Sequence[dict[str, Any]]) -> str:
    """The lines of an answers file."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
