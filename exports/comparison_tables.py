"""A comparison of judges as tables in the terminal, on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from exports.differences import p_value, points, unsigned_points
from exports.flips import FLIPS
from exports.tables import on_stderr, table_with

_COUNTED = ("n", *FLIPS)


def show_comparison(report: Mapping[str, Any]) -> None:
    """Print the leaderboard, and for each pair its flips, the differences, and what the release can tell apart."""
    console = on_stderr()
    word = f" ({report['leaderboard']['word']})" if report["leaderboard"]["word"] else ""
    console.print(_leaderboard(report["leaderboard"], word))
    console.print(Text(_about_reasons(report["how"])), soft_wrap=True)
    if report["split"]:
        console.print(_halves(report["split"]))
        console.print(Text(_about_halves(report["split"])), soft_wrap=True)
    for pair in report["pairs"]:
        console.print(Text(f"{pair['first']} → {pair['second']}", style="bold"))
        console.print(_flips(pair["flips"]))
        console.print(_differences(pair["differences"], word))
        claim = pair["claim"]
        tested = f"p {p_value(claim['p'])}, Holm {p_value(claim['p_holm'])}"
        told = f"Claim: {claim['metric']}{word} {points(claim['difference'], claim['interval'])}, {tested}."
        for line in [told, pair["power"]["statement"], *pair["notes"]]:
            console.print(Text(line), soft_wrap=True)
    console.print(Text(_how(report)), soft_wrap=True)


def _how(report: Mapping[str, Any]) -> str:
    how, release, boot = report["how"], report["release"], report["how"]["bootstrap"]
    by = f", reasons by {'; '.join(how['reasons_by'])}" if how["reasons_by"] else ""
    return (
        f"Release {release['project']} {release['version']}, {release['hash']}; scorer {how['scorer_version']}, "
        f"{how['comparer_version']}, {boot['resamples']} resamples, seed {boot['seed']}{by}."
    )


def _about_reasons(how: Mapping[str, Any]) -> str:
    """What the figures of reasons are, and whose verdicts people have not checked."""
    unchecked = [name for name, checks in how["checks"].items() if checks is None]
    return {
        "not compared": (
            f"Reasons are not compared: they were judged in different ways ({'; '.join(how['reasons_by'])})."
            if len(how["reasons_by"]) > 1
            else "Reasons are not compared: one judge at least has none."
        ),
        "people": "Reasons were compared by people.",
        "corrected": "MR-Score and reason are corrected by people's checks of the model that compared the reasons.",
        "unchecked": (
            "MR-Score and reason are unchecked: a model compared the reasons, and people have not checked its verdicts "
            f"on {', '.join(unchecked)} (--human-checks)."
        ),
    }[how["reasons_standing"]]


def _leaderboard(board: Mapping[str, Any], word: str) -> Table:
    table = table_with(f"Judges by {board['metric']}{word}, 95 % intervals", ("rank", "score", "first in"))
    for row in board["judges"]:
        ranks = row["rank_interval"]
        rank = "–" if row["rank"] is None else f"{row['rank']}" + (f" ({ranks[0]:g}–{ranks[1]:g})" if ranks else "")
        around = row["interval"]
        score = "–" if row["score"] is None else f"{100 * row['score']:.1f}"
        score += f" ({100 * around[0]:.1f}–{100 * around[1]:.1f})" if around else ""
        score += f", raw {100 * row['raw']:.1f}" if row["raw"] is not None else ""
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
        beyond = points(row["beyond_references"], row["beyond_interval"])
        table.add_row(Text(name), *shares, points(row["gap"], row["interval"]), beyond, p_value(row["p_holm"]) + flag)
    return table


def _about_halves(split: Mapping[str, Any]) -> str:
    told = f"Halves of this size show a gap of {unsigned_points(split['smallest_gap'])} points or more."
    if any(row["reference"] for row in split["judges"]):
        return f"{told} A flag is a reason to look at a judge's training data, no proof."
    return f"{told} Name judges that cannot have seen the release (--reference) to test the gaps of the others."


def _flips(flipped: Mapping[str, Any]) -> Table:
    table = table_with("Items", (*(name.replace("_", " ") for name in _COUNTED), "points", "exact p", "BH q"))
    for kind, found in flipped.items():
        _flip_row(
            table,
            f"{kind} (model's verdicts, {found['word']})" if found["by_model"] else kind,
            found["total"],
            style="bold",
        )
        for subject, part in found["subjects"].items():
            _flip_row(table, f"  {subject or 'no subject'}", part)
    return table


def _flip_row(table: Table, name: str, found: Mapping[str, Any], style: str = "") -> None:
    counts = {"n": found["n"], **found["counts"]}
    cells = [str(counts[column]) for column in _COUNTED]
    cells += [points(found["difference"], found["interval"]), p_value(found["p"]), p_value(found.get("q"))]
    table.add_row(Text(name), *cells, style=style)


def _differences(found: Mapping[str, Any], word: str) -> Table:
    table = table_with("Differences in points, 95 % paired intervals", ("macro mean", "p", "pooled", "p"))
    for metric, macro in found["macro"].items():
        cells = []
        for part in (macro, found["pooled"][metric]):
            cells += [points(part["difference"], part["interval"]), p_value(part["p"])]
        table.add_row(metric + (word if metric in ("mr_score", "acc_reason") else ""), *cells)
    return table
