"""Keeping the agreement figures at hand: what is kept, whether it is fresh, and computing it again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, StepValue
from review import label_rows
from review.agreement import Label, measure
from review.annotator_figures import annotator_figures, confusions
from review.consensus_table import consensus_table
from review.counting import Counts
from review.every_step import StepLabels, every_step
from review.figure_items import items_of
from review.freshness import CONSENSUS, Freshness, freshness, is_fresh, reasons_standing
from review.label_columns import LabelColumns, Mask
from review.models import AgreementSnapshot
from review.reason_agreement import reason
from review.slices import DIMENSIONS, parts_of

__all__ = ["FIGURES", "QUESTIONS", "VIEWS", "is_fresh", "items_of", "measured", "refresh", "snapshots"]


@dataclass(frozen=True, slots=True)
class Given:
    """The blind first labels of a campaign with their guideline versions and, where asked, their steps' labels."""

    labels: LabelColumns
    versions: Counts
    steps: StepLabels | None


RESAMPLES, RESAMPLES_OF_MANY = 10_000, 1_000
MANY_ITEMS = 10_000  # from here on there are fewer resamples, and the intervals come after the figures

QUESTIONS = {
    "correctness": _("Correctness"),
    "first_error": _("Verdict and first erroneous step"),
    "given_both_incorrect": _("The step, where at least two say incorrect"),
    "category": _("The category, where at least two name the same step"),
    "every_step": _("Every step"),
    "reason": _("The reason, where two name the same step"),
}
FIGURES = {
    "unanimous": _("All agree"),
    "percent": _("Percent agreement"),
    "within_one": _("Within one step"),
    "alpha": _("Krippendorff’s alpha"),
    "ac1": _("Gwet’s AC1"),
    "brennan_prediger": _("Brennan–Prediger"),
    "alpha_ordinal": _("Alpha, ordinal"),
    "positive": _("Agreement on correct"),
    "negative": _("Agreement on incorrect"),
    "same_lead": _("Judged the same by leads"),
    "same_hint": _("Judged the same by the model"),
    "hint_agrees": _("Hints that agree with leads"),
    "hint_kappa": _("Cohen’s kappa of hints and leads"),
}
VIEWS = ("annotators", "confusion", CONSENSUS)


def snapshots(project: Project, view: str = "") -> list[AgreementSnapshot]:
    """What is kept for a view: the whole campaign (empty), a dimension it is cut by, or one of VIEWS."""
    return list(project.agreement_snapshots.filter(dimension=view).order_by("pk"))


def refresh(project: Project, view: str = "") -> None:
    """Compute what is kept for a view again. Each seed is the campaign's own."""
    for _stage in stages(project, view):
        pass


def stages(project: Project, view: str = "") -> Iterator[int]:
    """Compute a view; yields after each stage that is kept: in large campaigns the intervals come second."""
    if view == CONSENSUS:
        _keep(project, view, freshness(project, view), [("", _consensus(project))])
        yield 1
        return
    labels, versions, pks = label_rows.label_columns(project)
    now = Freshness(int(pks.max(initial=0)), len(pks))
    if view in VIEWS:
        _keep(project, view, now, [("", annotator_figures(labels) if view == "annotators" else confusions(labels))])
        yield 1
        return
    steps = label_rows.step_labels(project, pks) if project.every_step else None
    many = len(labels.items) > MANY_ITEMS
    for stage, resamples in enumerate((0, RESAMPLES_OF_MANY) if many else (RESAMPLES,), start=1):
        last = bool(resamples) or not many
        _keep(project, view, now, _reports(project, view, Given(labels, versions, steps), resamples, waiting=not last))
        yield stage


def measured(slug: str, subject: str, labels: Sequence[Label] | LabelColumns) -> dict[str, Any]:
    """The agreement figures of some labels as JSON values, without the ids of the items (`items_of` finds them)."""
    seed = seed_of(slug, subject)
    report: dict[str, Any] = measure(labels, seed=seed, resamples=RESAMPLES).as_dict()
    return _without_ids(report)


def seed_of(slug: str, part: str) -> int:
    """The seed of a campaign's intervals: always the same, so that the same labels give the same figures."""
    return crc32(f"{slug}/{part}".encode())


def _without_ids(report: dict[str, Any]) -> dict[str, Any]:
    for name in QUESTIONS:
        for figure in report[name]["figures"].values() if name in report else ():
            figure["differing"] = len(figure.pop("disagreeing"))
            del figure["agreeing"]
    return report


def _reports(
    project: Project, view: str, given: Given, resamples: int, *, waiting: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The report of the whole campaign, or of each part of a dimension."""
    if view not in DIMENSIONS:
        found = _report(project, seed_of(project.slug, ""), given, resamples)
        yield "", found | _reasons(project, resamples) | {"waiting": waiting}
        return
    parts = parts_of(project, view, given.labels, given.versions)
    for value, of_part in parts:
        seed = seed_of(project.slug, f"{view}/{value}")
        yield value, _report(project, seed, given, resamples, of_part) | {
            "waiting": waiting, "parts_left_out": parts.left_out
        }  # fmt: skip


def _report(project: Project, seed: int, given: Given, resamples: int, part: Mask | None = None) -> dict[str, Any]:
    labels = given.labels if part is None else given.labels.only(part)
    report = measure(labels, seed=seed, resamples=resamples).as_dict()
    if given.steps:
        scheme = label_rows.step_scheme(project)
        steps = given.steps.counts(given.labels, scheme, part)
        names = [StepValue(value).name.lower() for value in scheme]
        report["every_step"] = every_step(steps, names, seed=seed, resamples=resamples).as_dict()
    return _without_ids(report)


def _reasons(project: Project, resamples: int) -> dict[str, Any]:
    standing = reasons_standing(project)
    if not standing:
        return {"reasons_standing": ""}
    pairs = label_rows.reason_pairs(project)
    found = reason(pairs, seed=seed_of(project.slug, "reason"), resamples=resamples).as_dict()
    return _without_ids({"reason": found}) | {"reasons_standing": standing}


def _consensus(project: Project) -> dict[str, Any]:
    rows = consensus_table(label_rows.in_order(project))
    return {"subjects": {subject: row.as_dict() for subject, row in rows.items()}}


def _keep(project: Project, view: str, now: Freshness, reports: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Replace what is kept for a view at once; parts that are no more are dropped."""
    found = list(reports)  # computed before the transaction begins
    with transaction.atomic():
        _replace(project, view, now, found)


def _replace(project: Project, view: str, now: Freshness, found: list[tuple[str, dict[str, Any]]]) -> None:
    project.agreement_snapshots.filter(dimension=view).exclude(value__in=[value for value, _report in found]).delete()
    for value, report in found:
        kept = {"through": now.through, "labels": now.labels, "seed": report.get("seed", 0), "report": report}
        AgreementSnapshot.objects.update_or_create(project=project, dimension=view, value=value, defaults=kept)
