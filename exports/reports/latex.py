"""The scores of a report as a LaTeX table that needs no package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from exports.reports.sections import METRICS, percent, reason_heading, score_rows, title_of

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def latex(report: Mapping[str, Any]) -> str:
    """A `table` with a row for each average and subject: percent, with the 95 % interval in small print."""
    named = {**METRICS, "acc_reason": reason_heading(report)}
    head = " & ".join(["", *(escaped(name) for name in named.values())])
    rows = [
        " & ".join([escaped(name), *(_cell(found.get(metric), spans.get(metric)) for metric in METRICS)]) + r" \\"
        for name, found, spans in score_rows(report)
    ]
    how = report["how"]
    caption = (
        f"{title_of(report)}. In percent; {report['headline']}. Step and reason are shares of "
        f"{report['counts']['n_incorrect']} incorrect solutions, correct is one of {report['counts']['n_correct']}. "
        f"Release {str(how['release']['hash'])[:16]}, scorer {how['scorer_version']}, parser {how['parser_version']}."
    )
    return "\n".join(
        [
            r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{l{'r' * len(METRICS)}}}", r"\hline",
            rf"{head} \\", r"\hline", *rows, r"\hline", r"\end{tabular}", rf"\caption{{{escaped(caption)}}}",
            r"\end{table}", "",
        ]
    )  # fmt: skip


def escaped(text: str) -> str:
    """A text as LaTeX prints it, on one line."""
    plain = " ".join(text.split())
    return re.sub(r"[\\{}$&#_%~^<>]", lambda found: _SPECIAL[found[0]], plain).replace("–", "--")


def _cell(value: float | None, around: tuple[float, float] | None) -> str:
    if value is None:
        return "--"
    span = rf" {{\footnotesize [{percent(around[0])}, {percent(around[1])}]}}" if around else ""
    return percent(value) + span
