"""What a report says first: which judge on which release, its score, and what that is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from exports.reports.figures import METRICS, Report, figure, is_checked, trust_of, trust_word

_SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "step_tag")


def title_of(report: Report) -> str:
    """The heading of the whole."""
    release = report["how"]["release"]
    return f"Judge report: {release.get('project')} {release.get('version')}"


def summary(report: Report) -> list[str]:
    """The sentences below the heading: the judge, and its headline score with the word that belongs to it."""
    return [f"Judge: {judge_told(report)}.", headline(report)]


def judge_told(report: Report) -> str:
    """The judge's name, model, prompt with its version, and settings, as far as they are known."""
    judge: Mapping[str, Any] = report["how"].get("judge") or {}
    name = judge.get("name") or ("" if judge else f"answers {str(report['answers']['sha256'])[:16]}")
    if "model" not in judge:
        return f"{name}; its model and prompt are not recorded"
    settings = [f"prompt {judge.get('preset')} version {judge.get('preset_version')}"]
    settings += [_counted(judge[what], what) for what in ("shots", "samples") if what in judge]
    settings += [f"{what.replace('_', ' ')} {judge[what]}" for what in _SETTINGS if what in judge]
    return f"{f'{name}: ' if name else ''}{judge['model']}, {', '.join(settings)}"


def versions(report: Report) -> str:
    """Which release, and what read and scored the answers."""
    how = report["how"]
    release = str(how["release"]["hash"])[:16]
    return f"Release {release}, scorer {how['scorer_version']}, parser {how['parser_version']}."


def _counted(number: Any, what: str) -> str:
    return f"{number} {what.removesuffix('s') if number == 1 else what}"


def headline(report: Report) -> str:
    """The macro mean: MR-Score, or F1 where no reasons were compared."""
    metric = "mr_score" if report["macro"]["mr_score"] is not None else "f1"
    corrected = (trust_of(report).get("corrected") or {}).get("macro")
    told = figure(report["macro"], metric, report["intervals"]["macro"], corrected, checked=is_checked(report))
    score = str(told).partition(";")[0]
    if metric == "f1":
        why = report["reasons"]["why_null"] or "No solution is incorrect."
        return f"{METRICS[metric]} {score} (macro). MR-Score and reason have no value: {why}"
    words = {"raw": f", corrected; {told.raw}", "unchecked": ", reasons unchecked"}
    return f"{METRICS[metric]} {score} (macro{words.get(trust_word(report), '')}). {reasons_told(report)}."


def reasons_told(report: Report) -> str:
    """Who compared the reasons, with which prompt, and how far that was checked."""
    reasons, trust = report["reasons"], trust_of(report)
    if reasons["why_null"]:
        return str(reasons["why_null"]).rstrip(".")
    if reasons["mode"] == "file":
        return f"{reasons['compared']} reasons compared by people"
    by = f"by {reasons.get('model')}, prompt {reasons.get('prompt_version')}"
    checked = "unchecked by people"
    if is_checked(report):
        agreement = trust["agreement"]
        checked = f"{agreement['n_checked']} of {agreement['n_compared']} verdicts checked by people"
    return f"{reasons['compared']} reasons compared {by}, {checked}"
