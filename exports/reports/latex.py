"""The scores of a report as a LaTeX table that needs no package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from exports.reports.figures import METRICS, UNDEFINED, Figure, headed, is_checked, percent, score_rows
from exports.reports.summary import judge_told, reasons_told, title_of, versions

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "[": "{[}", "*": "{*}",  # after a line's end they would be its options
}  # fmt: skip


def latex(report: Mapping[str, Any]) -> str:
    """A `table` with a row for each average and subject: percent, with the 95 % interval in small print below."""
    names = headed(report, METRICS, corrected=True).values()
    head = " & ".join(["", *(rf"\stacked{{{escaped(name).replace(' (', r' \\ (')}}}" for name in names)])
    rows = [
        " & ".join([escaped(name), *(_cell(each) for each in figures.values())]) + r" \\"
        for name, figures in score_rows(report)
    ]
    return "\n".join(
        [
            r"\begin{table}", r"\centering", r"\def\stacked#1{\begin{tabular}[t]{@{}r@{}}#1\end{tabular}}",
            rf"\begin{{tabular}}{{l{'r' * len(METRICS)}}}", r"\hline",
            rf"{head} \\", r"\hline", *rows, r"\hline", r"\end{tabular}", rf"\caption{{{escaped(_caption(report))}}}",
            r"\end{table}", "",
        ]
    )  # fmt: skip


def _caption(report: Mapping[str, Any]) -> str:
    counts = report["counts"]
    corrected = " Corrected by people's checks, the raw figures of the model's verdicts below." * is_checked(report)
    return (
        f"{title_of(report)}. Judge: {judge_told(report)}. In percent, with 95 % intervals over problems; "
        f"{report['headline']}. Step and reason are shares of {counts['n_incorrect']} incorrect solutions, correct is "
        f"one of {counts['n_correct']}. {reasons_told(report)}.{corrected} {versions(report)}"
    )


def escaped(text: str) -> str:
    """A text as LaTeX prints it, on one line."""
    plain = " ".join(text.split())
    return re.sub(r"[\\{}$&#_%~^<>[*]", lambda found: _SPECIAL[found[0]], plain).replace("–", "--")


def _cell(shown: Figure) -> str:
    """The figure with its fraction; its interval and the raw figure on lines of their own."""
    if shown.value == UNDEFINED:
        return "--"
    around, fraction = shown.around, f" {_small(shown.fraction)}" if shown.fraction and not shown.raw else ""
    below = [f"[{_signed(percent(around[0]))}, {_signed(percent(around[1]))}]"] if around else []
    below += [f"{shown.raw} {shown.fraction}".strip()] if shown.raw else []
    lines = [f"{_signed(shown.value)}{fraction}", *map(_small, below)]
    return rf"\stacked{{{r' \\ '.join(lines)}}}" if below else lines[0]


def _small(text: str) -> str:
    return rf"{{\footnotesize {text}}}"


def _signed(number: str) -> str:
    return number.replace("-", "$-$")
