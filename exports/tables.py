"""A grading as a table in the terminal, and the bar while it runs; both on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from exports.differences import points
from exports.grading import GradeReport
from exports.reports.figures import METRICS, Figure, figure, headed, percent, score_rows, trust_word
from exports.reports.summary import judge_told

_WIDEST = 10_000  # characters; tables are drawn no wider than what stands in them


@contextmanager
def progress_bar(what: str = "comparing reasons") -> Iterator[Callable[[int, int], None]]:
    """A bar that moves as replies come, with the time that is left; nothing is drawn before the first."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        tasks: list[Any] = []

        def move(done: int, total: int) -> None:
            if not tasks:
                tasks.append(bar.add_task("", total=total))
            bar.update(tasks[0], completed=done)

        yield move


def on_stderr() -> Console:
    """Where tables go. In a file or a pipe they are as wide as they need, in a terminal as wide as it is."""
    shown = sys.stderr.isatty() or "COLUMNS" in os.environ
    return Console(stderr=True, highlight=False, width=None if shown else _WIDEST)


def show_report(report: GradeReport) -> None:
    """Print the scores with their intervals, the baselines, and what was counted how."""
    console, facts = on_stderr(), report.as_dict()
    console.print(_scores(facts))
    console.print(_baselines(facts))
    for line in _notes(facts):
        console.print(Text(line), soft_wrap=True)


def _scores(facts: Mapping[str, Any]) -> Table:
    words = {"unchecked": "; reasons unchecked", "raw": "; corrected by people's checks of reasons, with the raw below"}
    title = f"Scores in percent, 95 % intervals{words.get(trust_word(facts), '')}"
    table = table_with(title, headed(facts, METRICS, corrected=True).values())
    for place, (name, figures) in enumerate(score_rows(facts)):
        table.add_row(Text(name), *map(_cell, figures.values()), style="" if place else "bold")
    return table


def _baselines(facts: Mapping[str, Any]) -> Table:
    table = table_with("Judges that know nothing (macro mean)", METRICS.values())
    for baseline in facts["baselines"]:
        cells = (_cell(figure(baseline["macro"], metric)) for metric in METRICS)
        table.add_row(Text(baseline["name"].replace("_", " ")), *cells)
    return table


def table_with(heading: str, columns: Iterable[str]) -> Table:
    """An empty table: names on the left, then the columns."""
    table = Table(title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", overflow="fold")
    for title in columns:
        table.add_column(title, justify="right", overflow="fold")
    return table


def _cell(shown: Figure) -> str:
    """The figure, its fraction, its interval and the raw figure, each on a line; a raw fraction would be too wide."""
    around = f"{percent(shown.around[0])}–{percent(shown.around[1])}" if shown.around else ""
    return "\n".join(part for part in (shown.value, shown.fraction * (not shown.raw), around, shown.raw) if part)


def _notes(facts: Mapping[str, Any]) -> Iterator[str]:
    how, answers, reasons = facts["how"], facts["answers"], facts["reasons"]
    release = how["release"]
    yield f"Release {release['project']} {release['version']}, {release['hash']}"
    yield f"Judge: {judge_told(facts)}."
    yield f"Headline: {facts['headline']}."
    counted = ", ".join(f"{number} {status}" for status, number in answers["statuses"].items() if number)
    yield f"Answers: {counted}. What is not answered or not understood counts as wrong."
    yield f"Parser {how['parser']}: {100 * facts['parse_rate']:.1f} % of the items have a verdict that was understood."
    if answers["flags"]:
        yield "Flags: " + ", ".join(f"{number} {flag}" for flag, number in answers["flags"].items())
    if answers["unread_fields"]:
        told = ", ".join(f"{name} on {number} lines" for name, number in answers["unread_fields"].items())
        yield f"Fields that mean nothing were passed over: {told}."
    if reasons["why_null"]:
        yield f"MR-Score and reason have no value: {reasons['why_null']}"
    else:
        undecided = len(reasons["unresolved"])
        yield f"Reasons: {reasons['compared']} compared, {reasons['same']} the same, {undecided} undecided."
        yield _trust_note(reasons["trust"])
        yield from _self_check_notes(reasons["self_checks"])
    yield from _extra_notes(facts)
    low, high = facts["reason_bounds"] or (0.0, 0.0)
    if high > low:
        reason = " ".join(part for part in (trust_word(facts), "reason") if part)
        yield f"Undecided reasons count as different; pooled, {reason} lies from {percent(low)} to {percent(high)}."


def _trust_note(trust: Mapping[str, Any]) -> str:
    if trust["status"] == "people":
        return "Reasons were compared by people."
    if trust["status"] == "unchecked":
        return "Reasons are unchecked: the model's verdicts on them were not compared with people's (--draw-checks)."
    told, around = trust["agreement"], trust["agreement"]["intervals"]["kappa"]
    kappa = "undefined" if told["kappa"] is None else f"{told['kappa']:.2f}"
    span = f" ({around[0]:.2f}–{around[1]:.2f})" if around else ""
    return (
        f"People checked {told['n_checked']} of {told['n_compared']} verdicts on reasons: kappa {kappa}{span}, "
        f"bias {points(told['bias'])} points; corrected figures use that."
    )


def _self_check_notes(checks: Mapping[str, Any] | None) -> Iterator[str]:
    if checks is None:
        return
    for name, what in (
        ("false_credit", "must be different but were called the same"),
        ("false_denial", "must be the same but were not"),
    ):
        found = checks[name]
        if found["n"]:
            undecided = found.get("undecided", 0)
            yield (
                f"Self-check: {found['failed'] - undecided} of {found['n']} decoys {what}"
                f"{f'; {undecided} were left undecided' if undecided else ''}."
            )
    swap = checks["order_swap"]
    if swap["n"]:
        undecided = swap.get("undecided", 0)
        yield (
            f"Self-check: {swap['changed']} of {swap['n']} verdicts changed when the candidate came first"
            f"{f'; {undecided} were left undecided' if undecided else ''}."
        )


def _extra_notes(facts: Mapping[str, Any]) -> Iterator[str]:
    scores, sure, cost = facts["step_scores"], facts["calibration"], facts["cost"]
    if scores and scores["prm_score"] is not None:
        tuned = ", tuned on the dev split, which is left out here" if scores["tuned"] else ""
        yield f"PRMScore {100 * scores['prm_score']:.1f} at threshold {scores['threshold']:g}{tuned}."
    if sure:
        yield (
            f"Confidence: RMS calibration error {_points(sure, 'rms')}, ECE {_points(sure, 'ece')}, "
            f"Brier {sure['brier']:.3f}{_brier_span(sure)}; n {sure['n']}."
        )
    if cost:
        money = "" if cost["cost"] is None else f", cost {cost['cost']:.4f} ({cost['cost_per_item']:.5f} an item)"
        yield f"Tokens: {cost['prompt_tokens']} in prompts, {cost['completion_tokens']} in replies{money}."


def _points(sure: Mapping[str, Any], name: str) -> str:
    around = sure["intervals"][name]
    span = f"{percent(around[0])}–{percent(around[1])}, " if around else ""
    return f"{percent(sure[name])} points ({span}{percent(sure['expected_if_calibrated'][name])} if calibrated)"


def _brier_span(sure: Mapping[str, Any]) -> str:
    around = sure["intervals"]["brier"]
    return f" ({around[0]:.3f}–{around[1]:.3f})" if around else ""
