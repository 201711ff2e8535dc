"""Annotators two by two, against the majority of the others, and by their weight in alpha."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from review.exhibits.exhibit import Cell, Column, Exhibit, address, count, percent, score, text, translated
from review.pictures import Dot, Heat, dots, heat

MOST_IN_PICTURE = 30


def annotator_exhibits(
    project: Project, question: str, report: Mapping[str, Any], names: Mapping[int, str]
) -> list[Exhibit]:  # fmt: skip
    """The three pictures of one question; `names` are the annotators' by id."""
    return [
        _matrix(project, question, report["pairs"], names),
        _against(project, question, report["against_others"], names),
        _influence(report["influence"], names),
    ]


def _matrix(
    project: Project, question: str, pairs: Sequence[Mapping[str, Any]], names: Mapping[int, str]
) -> Exhibit:  # fmt: skip
    seen: dict[int, int] = {}
    for pair in pairs:
        for who in (pair["first"], pair["second"]):
            seen[who] = seen.get(who, 0) + pair["n_common"]
    shown = sorted(sorted(seen, key=lambda who: -seen[who])[:MOST_IN_PICTURE], key=lambda who: names.get(who, ""))
    at, cells = {who: place for place, who in enumerate(shown)}, {}
    for pair in pairs:
        if pair["first"] in at and pair["second"] in at:
            share = pair["percent"]["value"]
            cell = Heat(share, "·" if share is None else f"{100 * share:.0f}")
            cells[at[pair["first"]], at[pair["second"]]] = cells[at[pair["second"]], at[pair["first"]]] = cell
    labels = [names.get(who, str(who)) for who in shown]
    title = _("Annotator by annotator")
    return Exhibit(
        key="pairs",
        title=title,
        columns=[
            Column(_("First"), ("first",)), Column(_("Second"), ("second",)),
            Column(_("Items in common"), ("items in common",), "num"),
            Column(_("Percent agreement"), ("percent", "hidden"), "num"),
            Column(_("Cohen’s kappa"), ("kappa", "undefined"), "num"),
        ],
        rows=[_pair_row(project, question, pair, names) for pair in pairs],
        picture=heat(labels, labels, cells, title) if shown else "",
        legend=_("Percent agreement; the stronger the colour, the higher. A dot: fewer than 20 items in common."),
        notes=[_("The picture shows the %d with most items in common.") % MOST_IN_PICTURE]
        if len(seen) > MOST_IN_PICTURE
        else [],
    )  # fmt: skip


def _pair_row(
    project: Project, question: str, pair: Mapping[str, Any], names: Mapping[int, str]
) -> list[Cell]:  # fmt: skip
    one, other = pair["first"], pair["second"]
    opened = address("items", project, {"figure": question, "first": one, "second": other})
    share, kappa = pair["percent"], pair["kappa"]
    hidden, why = translated(share["undefined"]), translated(kappa["undefined"])
    return [
        text(names.get(one, one)),
        text(names.get(other, other)),
        count(pair["n_common"], opened),
        Cell((share["value"], hidden), percent(share["value"]) if share["value"] is not None else "", hidden),
        Cell((kappa["value"], why), score(kappa["value"]), "" if why == hidden else why),
    ]


def _against(
    project: Project, question: str, found: Sequence[Mapping[str, Any]], names: Mapping[int, str]
) -> Exhibit:  # fmt: skip
    title = _("Each annotator against the majority of the others")
    special = {
        "correctness": [
            Column(_("Correct against incorrect"), ("correct against incorrect",), "num"),
            Column(_("Incorrect against correct"), ("incorrect against correct",), "num"),
        ],
        "first_error": [Column(_("Steps earlier (−) or later"), ("shift in steps",), "num")],
    }[question]
    return Exhibit(
        key="against-others",
        title=title,
        columns=[
            Column(_("Annotator"), ("annotator",)), Column(_("Items"), ("items",), "num"),
            Column(_("Agrees"), ("share",), "num"), Column(_("Interval, 95 %"), ("low", "high"), "num muted"),
            Column(_("Differs on"), ("differs on",), "num"), Column(_("Ties left out"), ("ties",), "num"), *special,
        ],
        rows=[_against_row(project, question, each, names) for each in found],
        picture=dots([Dot(names.get(x["annotator"], ""), x["share"], x["low"], x["high"]) for x in found], title)
        if found
        else "",
        legend=_("The annotator’s own label is left out of the majority. Wilson intervals."),
    )  # fmt: skip


def _against_row(
    project: Project, question: str, each: Mapping[str, Any], names: Mapping[int, str]
) -> list[Cell]:  # fmt: skip
    opened = {"figure": question, "annotator": each["annotator"]}
    cells = {(own, others): n for own, others, n in each["confusion"]}
    shift = each["shift"]
    special = {
        "correctness": [count(cells.get((True, False), 0)), count(cells.get((False, True), 0))],
        "first_error": [Cell(shift, "–" if shift is None else f"{shift:+.2f}".replace("-", "−"))],
    }[question]
    return [
        text(names.get(each["annotator"], each["annotator"])),
        count(each["n_units"], address("items", project, opened)),
        Cell(each["share"], percent(each["share"]), "" if each["n_units"] else _("no item with a majority")),
        Cell((each["low"], each["high"]), _between(each["low"], each["high"])),
        count(each["n_units"] - each["n_agreed"], address("items", project, opened | {"outcome": "differs"})),
        count(each["n_ties"]),
        *special,
    ]


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.1f} – {100 * high:.1f} %"


def _influence(found: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> Exhibit:
    title = _("Alpha without each annotator")
    with_all = next((x["without"]["value"] - x["change"] for x in found if x["change"] is not None), None)
    return Exhibit(
        key="influence",
        title=title,
        columns=[
            Column(_("Annotator"), ("annotator",)), Column(_("Labels left"), ("labels left",), "num"),
            Column(_("Alpha without"), ("alpha without", "undefined"), "num"), Column(_("Change"), ("change",), "num"),
            Column(_("Stands out"), ("stands out",)),
        ],
        rows=[
            [
                text(names.get(x["annotator"], x["annotator"])),
                count(x["without"]["n_labels"]),
                Cell(
                    (x["without"]["value"], translated(x["without"]["undefined"])),
                    score(x["without"]["value"]), translated(x["without"]["undefined"]),
                ),
                Cell(x["change"], "–" if x["change"] is None else f"{x['change']:+.3f}".replace("-", "−")),
                Cell(int(x["stands_out"]), _("rises by more than two standard errors") if x["stands_out"] else ""),
            ]
            for x in found
        ],
        picture=dots([Dot(names.get(x["annotator"], ""), x["without"]["value"]) for x in found], title, with_all)
        if found
        else "",
        legend=_("The dashed line is alpha with all. A rise is a reason to look, never a rank."),
    )  # fmt: skip
