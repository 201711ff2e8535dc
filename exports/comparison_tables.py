"""A comparison of judges as tables in the terminal, on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from exports.tables import on_stderr, table_with

UNCHECKED = "MR-Score and reason are unchecked: a model compared the reasons, and nobody checked its verdicts."
_FLIPS = ("n", "repaired", "broken", "both_right", "both_wrong")


def show_comparison(report: Mapping[str, Any]) -> None:
    """Print the leaderboard, and for each pair its flips, the differences, and what the release can tell apart."""
    console = on_stderr()
    console.print(_leaderboard(report["leaderboard"]))
    if report["how"]["reasons_unchecked"]:
        console.print(Text(UNCHECKED), soft_wrap=True)
    if report["split"]:
        console.print(_halves(report["split"]))
        console.print(Text(_about_halves(report["split"])), soft_wrap=True)
    for pair in report["pairs"]:
        console.print(Text(f"{pair['first']} → {pair['second']}", style="bold"))
        console.print(_flips(pair["flips"]))
        console.print(_differences(pair["differences"]))
        claim = pair["claim"]
        told = [
            f"Claim: {claim['metric']} {_points(claim['difference'])}, p {_p(claim['p'])}, Holm {_p(claim['p_holm'])}."
        ]
        for line in [*told, pair["power"]["statement"], *pair["notes"]]:
            console.print(Text(line), soft_wrap=True)


def _leaderboard(board: Mapping[str, Any]) -> Table:
    table = table_with(f"Judges by {board['metric']}, 95 % intervals", ("rank", "score", "first in"))
    for row in board["judges"]:
        ranks = row["rank_interval"]
        rank = "–" if row["rank"] is None else f"{row['rank']}" + (f" ({ranks[0]:g}–{ranks[1]:g})" if ranks else "")
        around = row["interval"]
        score = "–" if row["score"] is None else f"{100 * row['score']:.1f}"
        score += f" ({100 * around[0]:.1f}–{100 * around[1]:.1f})" if around else ""
        first = "–" if row["first"] is None else f"{100 * row['first']:.0f} %"
        table.add_row(Text(row["judge"]), rank, score, first)
    return table


def _halves(split: Mapping[str, Any]) -> Table:
    title = f"Right verdicts on the public half ({split['n_public']}) and the private one ({split['n_private']})"
    table = table_with(title, ("public", "private", "gap", "beyond references", "Holm p"))
    for row in split["judges"]:
        name = f"{row['judge']} (reference)" if row["reference"] else row["judge"]
        flag = " flagged" if row["flagged"] else ""
        shares = (f"{100 * row[half]:.1f}" for half in ("public", "private"))
        beyond = _points(row["beyond_references"], row["beyond_interval"])
        table.add_row(Text(name), *shares, _points(row["gap"], row["interval"]), beyond, _p(row["p_holm"]) + flag)
    return table


def _about_halves(split: Mapping[str, Any]) -> str:
    told = f"Halves of this size show a gap of {100 * split['smallest_gap']:.1f} points or more."
    if any(row["reference"] for row in split["judges"]):
        return f"{told} A flag is a reason to look at a judge's training data, no proof."
    return f"{told} Name judges that cannot have seen the release (--reference) to test the gaps of the others."


def _flips(flipped: Mapping[str, Any]) -> Table:
    table = table_with("Items", (*(name.replace("_", " ") for name in _FLIPS), "points", "exact p", "BH q"))
    for kind, found in flipped.items():
        _flip_row(table, kind, found["total"], style="bold")
        for subject, part in found["subjects"].items():
            _flip_row(table, f"  {subject or 'no subject'}", part)
    return table


def _flip_row(table: Table, name: str, found: Mapping[str, Any], style: str = "") -> None:
    counts = {"n": found["n"], **found["counts"]}
    cells = [str(counts[column]) for column in _FLIPS]
    points = _points(found["difference"], found["interval"])
    table.add_row(Text(name), *cells, points, _p(found["p"]), _p(found.get("q")), style=style)


def _differences(found: Mapping[str, Any]) -> Table:
    table = table_with("Differences in points, 95 % paired intervals", ("macro mean", "p", "pooled", "p"))
    for metric, macro in found["macro"].items():
        pooled = found["pooled"][metric]
        cells = [
            cell for part in (macro, pooled) for cell in (_points(part["difference"], part["interval"]), _p(part["p"]))
        ]
        table.add_row(metric, *cells)
    return table


def _points(difference: float | None, interval: tuple[float, float] | None = None) -> str:
    if difference is None:
        return "–"
    around = f" ({100 * interval[0]:+.1f} to {100 * interval[1]:+.1f})" if interval else ""
    return f"{100 * difference:+.1f}{around}"


def _p(value: float | None) -> str:
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"
