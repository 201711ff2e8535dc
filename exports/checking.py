"""People check a model's verdicts on reasons: a random sample, blind, and what it does to the score."""

import json
from collections.abc import Iterator

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import User
from exports.double_sampling import CannotCorrect
from exports.human_checks import DESIGN, SIZE, draw, drawn_from, read_checks
from exports.models import HumanCheck, JudgeRun
from exports.parsing import AnswerError
from exports.stored_runs import stored_report
from exports.trust import with_checks


class CannotCheck(Exception):
    """No model compared reasons in this run, so there is nothing to check."""


class NotTheirs(Exception):
    """The check is another person's, and there is no difference to settle."""


@transaction.atomic
def begin(run: JudgeRun, checker: User) -> list[HumanCheck]:
    """Give the checker the run's random sample; every checker gets the same one.

    Raises: CannotCheck.
    """
    run = JudgeRun.objects.select_for_update().get(pk=run.pk)
    mine = list(HumanCheck.objects.filter(verdict__run=run, checker=checker, adjudicated=False))
    if mine:
        return mine
    compared = run.verdicts.filter(item__correct=False, correct=False).select_related("item")
    told = {row.item.item_id: row.reason_same is True for row in compared if row.first_error == row.item.first_error}
    if run.report["reasons"]["mode"] != "llm" or not told:
        raise CannotCheck(_("No model compared reasons in this run, so there is nothing to check."))
    chosen = draw(told, np.random.default_rng(run.report["how"]["bootstrap"]["seed"]), SIZE)
    verdicts = dict(run.verdicts.values_list("item__item_id", "pk"))
    return HumanCheck.objects.bulk_create(
        HumanCheck(verdict_id=verdicts[item], checker=checker, position=place) for place, item in enumerate(chosen)
    )


def may_answer(check: HumanCheck, by: User) -> bool:
    """One's own check always; another's once checkers differ on its comparison, to settle it."""
    return check.checker_id == by.pk or check.verdict_id in {row.verdict_id for row in differing(check.verdict.run)}


@transaction.atomic
def take(check: HumanCheck, by: User, *, same: bool) -> HumanCheck:
    """Record what somebody says of a comparison: their own check, or what settles a difference.

    Raises: NotTheirs.
    """
    if not may_answer(check, by):
        raise NotTheirs(_("This check is somebody else’s."))
    if check.checker_id != by.pk:
        return settle(check, by, same=same)
    answer(check, same=same)
    return check


@transaction.atomic
def answer(check: HumanCheck, *, same: bool) -> None:
    """Record what the checker says of one comparison."""
    check.same, check.checked_at = same, timezone.now()
    check.save(update_fields=["same", "checked_at"])


@transaction.atomic
def settle(check: HumanCheck, lead: User, *, same: bool) -> HumanCheck:
    """Decide a comparison on which two checkers differ."""
    row, _made = HumanCheck.objects.update_or_create(
        verdict=check.verdict, checker=lead, adjudicated=True,
        defaults={"same": same, "checked_at": timezone.now(), "position": check.position},
    )  # fmt: skip
    audit.record("checked", lead, check.verdict.run.release.project, item=check.verdict.item.item_id, same=same)
    return row


def differing(run: JudgeRun) -> list[HumanCheck]:
    """One check of each comparison on which checkers differ and nobody has settled it."""
    rows = HumanCheck.objects.filter(verdict__run=run, same__isnull=False).select_related("verdict__item", "checker")
    by_verdict: dict[int, list[HumanCheck]] = {}
    for row in rows:
        by_verdict.setdefault(row.verdict_id, []).append(row)
    return [
        checks[0] for checks in by_verdict.values()
        if len({check.same for check in checks}) > 1 and not any(check.adjudicated for check in checks)
    ]  # fmt: skip


def lines(run: JudgeRun) -> Iterator[bytes]:
    """The checks in the form of a filled-in sheet, as `stepmark grade --human-checks` reads it."""
    origin = drawn_from(run.report)
    rows = HumanCheck.objects.filter(verdict__run=run).select_related("verdict__item", "checker").order_by("position")
    for row in rows:
        told = {
            "id": row.verdict.item.item_id, "same": row.same, "checker": f"p{row.checker_id}",
            "adjudicated": row.adjudicated, "design": DESIGN, **origin,
        }  # fmt: skip
        yield json.dumps(told, ensure_ascii=False).encode()


def correct(run: JudgeRun) -> str:
    """Compute what the checks say of the model, and the corrected scores; returns why not, empty when it worked."""
    try:
        checked = with_checks(stored_report(run), read_checks(lines(run)))
    except (CannotCorrect, AnswerError) as error:
        return str(error)
    run.trust = checked.report["reasons"]["trust"]
    run.save(update_fields=["trust"])
    return ""
