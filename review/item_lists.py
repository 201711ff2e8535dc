"""Which items a list shows: those in a stage, those behind a figure, those with some words."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Event, Project, Solution, User
from review import figure_items
from review.against_key import items_against_key
from review.disagreements import NO_ERROR
from review.exhibits.figures import part_name, value_name
from review.kept_figures import QUESTIONS
from review.models import Adjudication, Cause
from review.slices import DIMENSIONS, solutions_in
from review.stages import STAGES, in_stage

# What a link from a figure says besides the question; the list's own form keeps it.
KEPT = (
    "figure", "within", "by", "part", "first", "second", "annotator", "one", "other", "consensus", "against_key",
    "cause", "clause", "confirmation",
)  # fmt: skip


def in_list(project: Project, query: Mapping[str, str]) -> "QuerySet[Any]":
    """The solutions that fit all that is asked, in the order of import."""
    rows = _behind_figure(project, query)
    if rows is not None:
        rows = rows.order_by("pk")
        if query.get("outcome") in ("agrees", "differs"):
            rows = rows.filter(differs=query["outcome"] == "differs")
    elif query.get("against_key"):
        rows = items_against_key(project, _number(query, "against_key"))
    elif query.get("stage", "") in STAGES:
        rows = in_stage(project, query["stage"])
    else:
        rows = Solution.objects.filter(problem__project=project)
    if query.get("by") in DIMENSIONS and query.get("figure") not in QUESTIONS:
        rows = solutions_in(rows, query["by"], query.get("part", ""))
    decided = {name: query[name] for name in ("cause", "clause") if query.get(name)}
    if decided:
        current = Adjudication.objects.current().filter(solution__problem__project=project)
        rows = rows.filter(pk__in=current.exclude(cause="").filter(**decided).values("solution"))
    if query.get("confirmation"):
        acts = Event.objects.filter(
            project=project, act="confirmed", detail__confirmation=_number(query, "confirmation")
        )
        rows = rows.filter(pk__in=acts.values("solution"))
    if query.get("subject"):
        rows = rows.filter(problem__subject=query["subject"])
    if query.get("q"):
        words = query["q"].strip()
        rows = rows.filter(Q(item_id=words) | Q(problem__external_id=words) | Q(problem__question__icontains=words))
    return rows


def about(query: Mapping[str, str]) -> list[str]:
    """What a link from a figure asks for besides the question, in words."""
    found = []
    if query.get("by") in DIMENSIONS:
        name = str(DIMENSIONS[query["by"]].name)
        found.append(f"{name}: {part_name(query['by'], query.get('part', ''))}")
    names = _people(query)
    if query.get("first"):
        found.append(_("%(one)s beside %(other)s") % {"one": names["first"], "other": names["second"]})
    if query.get("annotator"):
        found.append(_("%s against the majority of the others") % names["annotator"])
    if query.get("against_key"):
        found.append(_("%s says correct, against the key") % names["against_key"])
    if query.get("one"):
        said = [value_name(query.get("figure", ""), _value(query.get(name, ""))) for name in ("one", "other")]
        found.append(_("one says %(one)s, the other %(other)s") % dict(zip(("one", "other"), said, strict=True)))
    if query.get("cause") in Cause.values:
        found.append(_("Why readers differ: %s") % Cause(query["cause"]).label)
    if query.get("clause"):
        found.append(_("Clause of the guideline: %s") % query["clause"])
    if query.get("confirmation"):
        found.append(_("Confirmed together"))
    if query.get("consensus"):
        kind, _dash, taken = query["consensus"].partition("-")
        names = {"error": _("error"), "correct": _("correct"), "none": _("none in 5"), "waiting": _("too few labels")}
        found.append(" ".join(filter(None, [names.get(kind, kind), f"3/{taken}" if taken else ""])))
    return found


def _people(query: Mapping[str, str]) -> dict[str, str]:
    asked = {name: _number(query, name) for name in ("first", "second", "annotator", "against_key")}
    wanted = {pk for pk in asked.values() if pk}
    names = dict(User.objects.filter(pk__in=wanted).values_list("pk", "username")) if wanted else {}
    return {name: names.get(pk, "–") for name, pk in asked.items()}


def _value(said: str) -> str:
    return "no error" if said == str(NO_ERROR) else said


def _behind_figure(project: Project, query: Mapping[str, str]) -> "QuerySet[Any] | None":
    """The solutions behind a figure with `differs`, None when no figure is asked for."""
    question = query.get("figure", "")
    if query.get("consensus"):
        return figure_items.with_consensus(project, query["consensus"])
    if question not in QUESTIONS:
        return None
    if query.get("first") or query.get("second"):
        return figure_items.compared(project, question, _number(query, "first"), _number(query, "second"))
    if query.get("annotator"):
        return figure_items.against_others(project, question, _number(query, "annotator"))
    if query.get("one") or query.get("other"):
        return figure_items.saying(project, question, query.get("one", ""), query.get("other", ""))
    by, part = query.get("by", ""), query.get("part", "")
    return figure_items.items_of(project, question, query.get("within", ""), by=by, part=part)


def _number(query: Mapping[str, str], name: str) -> int:
    """The id of a person; 0, which is nobody's, when it is none."""
    value = query.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 19 else 0
