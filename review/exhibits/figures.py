"""The figures of each question: of the whole campaign or one part of it, and part by part."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.forms import category_name
from annotation.models import Project, StepValue
from review.exhibits.exhibit import Cell, Column, Exhibit, address, count, percent, score, span, text, translated
from review.intervals import NoInterval
from review.kept_figures import FIGURES, QUESTIONS
from review.models import AgreementSnapshot
from review.pictures import Dot, dots, trend
from review.slices import DIMENSIONS
from review.working import arithmetic

PRIMARY = {
    "correctness": ("alpha", "ac1"),
    "first_error": ("percent", "brennan_prediger"),
    "given_both_incorrect": ("percent", "within_one"),
    "category": ("percent", "alpha"),
    "every_step": ("alpha", "ac1"),
}
MOST_SHARES = 6


def of_snapshot(project: Project, snapshot: AgreementSnapshot) -> list[Exhibit]:
    """Each question with its figures, what its labels say, its warnings and its working."""
    query = {"by": snapshot.dimension, "part": snapshot.value} if snapshot.dimension else {}
    return [
        _question(project, key, snapshot.report[key], query) for key in QUESTIONS if key in snapshot.report
    ]  # fmt: skip


def by_part(project: Project, dimension: str, kept: Sequence[AgreementSnapshot]) -> list[Exhibit]:
    """Each question, one row a part."""
    return [
        _parts(project, key, dimension, [each for each in kept if key in each.report])
        for key in PRIMARY
        if any(key in each.report for each in kept)
    ]


def part_name(dimension: str, value: str) -> str:
    """What people call a part."""
    if not value:
        return _("none")
    return _("Version %s") % value if dimension == "guideline" else value


def value_name(question: str, value: str) -> str:
    """What people call a value of a question; steps are counted from one."""
    if question in ("first_error", "given_both_incorrect") and value.isdecimal():
        return _("step %d") % (int(value) + 1)
    if question == "category":
        return category_name(value)
    if question == "every_step":
        return str(StepValue[value.upper()].label)
    words = {
        "no error": _("no error"), "correct": _("correct"), "incorrect": _("incorrect"),
        "same": _("the same"), "different": _("different"),
    }  # fmt: skip
    return words.get(value, value)


def _question(project: Project, key: str, report: Mapping[str, Any], query: Mapping[str, str]) -> Exhibit:
    figures = {name: report["figures"][name] for name in FIGURES if name in report["figures"]}
    plotted = [
        Dot(str(FIGURES[name]), part["value"], part["interval"]["low"], part["interval"]["high"])
        for name, part in figures.items()
        if part["value"] is not None
    ]
    title = str(QUESTIONS[key])
    return Exhibit(
        key=key,
        title=title,
        columns=[
            Column(_("Figure"), ("figure",)),
            Column(_("Value"), ("value", "undefined"), "num"),
            Column(_("Interval, 95 %"), ("low", "high", "no interval"), "num muted"),
            Column(_("Pairs") if key == "reason" else _("Units"), ("units",), "num"),
            Column(_("Labels"), ("labels",), "num"),
            Column(_("Items that differ"), ("items that differ",), "num"),
        ],
        rows=[_figure_row(project, key, name, part, query) for name, part in figures.items()],
        picture=dots(plotted, title) if plotted else "",
        warnings=[translated(warning) for warning in report["warnings"]],
        notes=[*_prevalence(key, report), *_entering(report), *_worked(report), *_caveats(figures)],
        links=_working_links(project, key, report, query),
    )


def _figure_row(
    project: Project, key: str, name: str, part: Mapping[str, Any], query: Mapping[str, str]
) -> list[Cell]:  # fmt: skip
    interval, why = part["interval"], translated(part["undefined"])
    opened = {"figure": key, "within": name if name == "within_one" or key == "reason" else "", **query}
    missing = "" if part["value"] is None else translated(interval["missing"])
    # That there are too few items stands above the table, as a warning.
    told = "" if interval["missing"] == NoInterval.TOO_FEW else missing
    return [
        Cell(name, str(FIGURES[name])),
        Cell((part["value"], why), score(part["value"]) if part["value"] is not None else "", why),
        Cell((interval["low"], interval["high"], missing), span(interval["low"], interval["high"]) or "–", told),
        count(part["n_units"], address("items", project, opened)),
        count(part["n_labels"]),
        count(part["differing"], address("items", project, opened | {"outcome": "differs"})),
    ]


def _prevalence(key: str, report: Mapping[str, Any]) -> Iterator[str]:
    shares = sorted(report["shares"].items(), key=lambda entry: -entry[1])
    if not any(share for _value, share in shares):
        return
    said = [f"{value_name(key, value)} {percent(share)}" for value, share in shares[:MOST_SHARES] if share]
    if len(shares) > MOST_SHARES:
        said.append(_("other values %s") % percent(sum(share for _value, share in shares[MOST_SHARES:])))
    yield _("What was said: %s.") % ", ".join(said)


def _entering(report: Mapping[str, Any]) -> Iterator[str]:
    if report["entering"] is not None and report["entering"] < 1:
        yield _("%s of the items with two labels enter here: the others have no two such labels.") % percent(
            report["entering"]
        )  # fmt: skip


def _worked(report: Mapping[str, Any]) -> Iterator[str]:
    worked = arithmetic(report["coincidences"])
    if worked.alpha is not None:
        yield _(
            "Alpha: %(n)d labels in %(pairs)d pairs; observed disagreement %(observed)s, expected by chance "
            "%(expected)s; 1 − observed / expected = %(alpha)s."
        ) % {
            "n": worked.n, "pairs": report["n_pairs"], "observed": score(worked.observed),
            "expected": score(worked.expected), "alpha": score(worked.alpha),
        }  # fmt: skip


def _caveats(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for caveat in dict.fromkeys(part["caveat"] for part in figures.values() if part["caveat"]):
        yield translated(caveat)


def _working_links(
    project: Project, key: str, report: Mapping[str, Any], query: Mapping[str, str]
) -> list[tuple[str, str]]:  # fmt: skip
    asked = {"question": key, **query}
    links = [(_("Units (CSV)"), address("agreement-units", project, asked))]
    if report["coincidences"]:
        links.append((_("Coincidence table (CSV)"), address("agreement-coincidences", project, asked)))
    return links


def _parts(project: Project, key: str, dimension: str, kept: Sequence[AgreementSnapshot]) -> Exhibit:
    names = [name for name in FIGURES if name in kept[0].report[key]["figures"]]
    main, second = PRIMARY[key]
    rows, plotted = [], []
    for each in kept:
        figures, name = each.report[key]["figures"], part_name(dimension, each.value)
        rows.append([
            text(each.value or "", address("agreement", project, {"by": dimension, "part": each.value}))
            if each.value
            else Cell("", name, href=address("agreement", project, {"by": dimension, "part": ""})),
            count(
                figures[main]["n_units"],
                address("items", project, {"figure": key, "by": dimension, "part": each.value}),
            ),
            *(_part_cell(figures[figure]) for figure in names),
        ])  # fmt: skip
        interval = figures[main]["interval"]
        plotted.append(Dot(name, figures[main]["value"], interval["low"], interval["high"], figures[second]["value"]))
    title = _("%(question)s, by %(dimension)s") % {
        "question": QUESTIONS[key], "dimension": str(DIMENSIONS[dimension].name).lower()
    }  # fmt: skip
    draw = trend if dimension == "week" else dots
    return Exhibit(
        key=key,
        title=title,
        columns=[
            Column(str(DIMENSIONS[dimension].name), (dimension,)),
            Column(_("Units"), ("units",), "num"),
            *(
                Column(str(FIGURES[name]), (name, f"{name} low", f"{name} high", f"{name} undefined"), "num")
                for name in names
            ),
        ],
        rows=rows,
        picture=draw(plotted, title),
        legend=_("Filled: %(main)s with its interval. Hollow: %(second)s.")
        % {"main": FIGURES[main], "second": FIGURES[second]},
        warnings=list(_warnings_of_parts(key, dimension, kept)),
        notes=_left_out(kept),
    )


def _warnings_of_parts(key: str, dimension: str, kept: Sequence[AgreementSnapshot]) -> Iterator[str]:
    """Each warning once, with the parts that it is about."""
    about: dict[str, list[str]] = {}
    for each in kept:
        for warning in each.report[key]["warnings"]:
            about.setdefault(translated(warning), []).append(part_name(dimension, each.value))
    for warning, parts in about.items():
        yield f"{', '.join(parts)}: {warning}"


def _part_cell(part: Mapping[str, Any]) -> Cell:
    low, high = part["interval"]["low"], part["interval"]["high"]
    why = translated(part["undefined"])
    return Cell((part["value"], low, high, why), score(part["value"]), span(low, high) or why)


def _left_out(kept: Sequence[AgreementSnapshot]) -> list[str]:
    n = kept[0].report.get("parts_left_out", 0)
    sentence = ngettext(
        "%(n)d smaller part is not shown.", "%(n)d smaller parts are not shown.", n
    ) % {"n": n}  # fmt: skip
    return [sentence] if n else []
