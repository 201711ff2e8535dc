"""People check a model's verdicts on reasons: a random sample, blind, and what it does to the score."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import User
from exports.double_sampling import LEAST_IN_STRATUM, CannotCorrect
from exports.human_checks import BY_VERDICT, SIZE, draw, drawn_from, read_checks
from exports.models import ChecksDesign, HumanCheck, JudgeRun
from exports.outcomes import RIGHT_STEP
from exports.parsing import AnswerError
from exports.stored_runs import stored_report
from exports.trust import with_checks


class CannotCheck(Exception):
    """There is nothing to check, or the run's sample was drawn in another way."""


class NotTheirs(Exception):
    """The check is another person's, and there is no difference to settle."""


@transaction.atomic
def begin(run: JudgeRun, checker: User, design: str = "") -> list[HumanCheck]:
    """Give the checker the run's random sample; every checker gets the one that the first had drawn.

    `design` is one of ChecksDesign; without one it is that of the sample, else by verdict.
    Raises: CannotCheck.
    """
    locked = JudgeRun.objects.select_for_update().get(pk=run.pk)
    sample = list(own_checks(run).order_by("position").values_list("verdict_id", flat=True).distinct())
    if sample and design not in ("", locked.checks_design):
        drawn = ChecksDesign(locked.checks_design).label
        raise CannotCheck(_("The sample of this run was drawn before: %s. All check the same one.") % drawn)
    if not sample:
        locked.checks_design = design or BY_VERDICT
        sample = _draw(locked)
        locked.save(update_fields=["checks_design"])
    run.checks_design = locked.checks_design
    mine = list(own_checks(run).filter(checker=checker))
    return mine or HumanCheck.objects.bulk_create(
        HumanCheck(verdict_id=verdict, checker=checker, position=place) for place, verdict in enumerate(sample)
    )


def own_checks(run: JudgeRun) -> QuerySet[HumanCheck]:
    """What each checker has to say, without what settles differences."""
    return HumanCheck.objects.filter(verdict__run=run, adjudicated=False)


def _compared(run: JudgeRun) -> dict[str, tuple[int, bool]]:
    """Key and the model's verdict by item id where it compared reasons; undecided counts as different."""
    if run.report["reasons"]["mode"] != "llm":
        return {}
    rows = run.verdicts.filter(RIGHT_STEP).values_list("item__item_id", "pk", "reason_same")
    return {item: (pk, same is True) for item, pk, same in rows}


def _draw(run: JudgeRun) -> list[int]:
    told = _compared(run)
    if not told:
        raise CannotCheck(_("No model compared reasons in this run, so there is nothing to check."))
    rng = np.random.default_rng(run.report["how"]["bootstrap"]["seed"])
    same = {item: verdict for item, (_pk, verdict) in told.items()}
    return [told[item][0] for item in draw(same, rng, SIZE, run.checks_design)]


def may_answer(check: HumanCheck, by: User) -> bool:
    """One's own check always; another's once checkers differ on its comparison, to settle it."""
    return check.checker_id == by.pk or check.verdict_id in {row.verdict_id for row in differing(check.verdict.run)}


def take(check: HumanCheck, by: User, *, same: bool) -> HumanCheck:
    """Record what somebody says of a comparison: their own check, or what settles a difference.

    Whoever has nothing left to check finds the corrected scores computed, unless checkers differ.
    Raises: NotTheirs.
    """
    if not may_answer(check, by):
        raise NotTheirs(_("This check is somebody else’s."))
    taken, run = check, check.verdict.run
    if check.checker_id != by.pk:
        taken = settle(check, by, same=same)
    else:
        answer(check, same=same)
    if not own_checks(run).filter(checker=by, same=None).exists() and not differing(run):
        correct(run)
    return taken


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


def differing(run: JudgeRun, by: User | None = None) -> list[HumanCheck]:
    """One check of each comparison on which checkers differ and nobody has settled it; not one of `by`'s own.

    To answer one's own would change it, and hide that people differed.
    """
    rows = HumanCheck.objects.filter(verdict__run=run, same__isnull=False).select_related("verdict__item", "checker")
    by_verdict: dict[int, list[HumanCheck]] = {}
    for row in rows:
        by_verdict.setdefault(row.verdict_id, []).append(row)
    own = by.pk if by else None
    return [
        next(check for check in checks if check.checker_id != own) for checks in by_verdict.values()
        if len({check.same for check in checks}) > 1 and not any(check.adjudicated for check in checks)
    ]  # fmt: skip


def lines(run: JudgeRun) -> Iterator[bytes]:
    """The answered checks in the form of a filled-in sheet, as `stepmark grade --human-checks` reads it."""
    origin = drawn_from(run.report)
    rows = HumanCheck.objects.filter(verdict__run=run, same__isnull=False).select_related("verdict__item")
    for row in rows.defer("verdict__raw", "verdict__item__record").order_by("position", "checker", "pk"):
        told = {
            "id": row.verdict.item.item_id, "same": row.same, "checker": f"p{row.checker_id}",
            "adjudicated": row.adjudicated, "design": run.checks_design, **origin,
        }  # fmt: skip
        yield json.dumps(told, ensure_ascii=False).encode()


def correct(run: JudgeRun) -> str:
    """Compute what the checks say of the model, and the corrected scores; returns why not, empty when it worked."""
    if differing(run):
        return _("Checkers differ on some comparisons. Settle these first.")
    told = list(lines(run))
    try:
        checked = with_checks(stored_report(run), read_checks(told))
    except (CannotCorrect, AnswerError) as error:
        return _too_few(wanted(run)) or str(error)
    run.trust = checked.report["reasons"]["trust"] | {"checks_sha256": _digest(told)}
    run.save(update_fields=["trust"])
    return ""


def _digest(told: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\n".join(told)).hexdigest()


def _too_few(still: "Wanted") -> str:
    if not still.same and not still.different:
        return ""
    return _(
        "Too few are checked: at least %(same)d that the model called the same and %(different)d that it called "
        "different are still wanted."
    ) % {"same": still.same, "different": still.different}


def is_stale(run: JudgeRun) -> bool:
    """Whether checks were made or changed since the corrected scores were computed."""
    return bool(run.trust) and run.trust.get("checks_sha256") != _digest(lines(run))


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many verdicts of each kind have to be checked before anything can be corrected."""

    same: int
    different: int


def wanted(run: JudgeRun) -> Wanted:
    """What is still wanted, counted at every tenth check: after each it would tell what the model said of the last one.

    When nothing of the sample is left it is counted exactly.
    """
    rows = HumanCheck.objects.filter(verdict__run=run).order_by("checked_at", "pk")
    said = dict(rows.filter(same__isnull=False).values_list("verdict_id", "verdict__reason_same"))
    counted = list(said.values())
    if len(said) < rows.order_by().values("verdict_id").distinct().count():
        counted = counted[: len(counted) // 10 * 10]
    same, needed = sum(verdict is True for verdict in counted), _needed(run)
    return Wanted(max(0, needed.same - same), max(0, needed.different - len(counted) + same))


def _needed(run: JudgeRun) -> Wanted:
    """Checks that a correction needs of each verdict: all of one that the model gave rarely."""
    given = run.verdicts.filter(RIGHT_STEP).aggregate(n=Count("pk"), same=Count("pk", filter=Q(reason_same=True)))
    return Wanted(min(LEAST_IN_STRATUM, given["same"]), min(LEAST_IN_STRATUM, given["n"] - given["same"]))


def is_nothing(run: JudgeRun) -> bool:
    """Whether no model compared a reason in this run, so that there is nothing to check."""
    return run.report["reasons"]["mode"] != "llm" or not run.report["reasons"]["compared"]


def is_hopeless(run: JudgeRun) -> bool:
    """Whether the sample that was drawn holds too few of one verdict, however many are checked."""
    drawn = own_checks(run).order_by().values_list("verdict_id", "verdict__reason_same").distinct()
    verdicts = [same is True for _pk, same in drawn]
    if not verdicts:
        return False
    same, needed = sum(verdicts), _needed(run)
    return same < needed.same or len(verdicts) - same < needed.different


@dataclass(frozen=True, slots=True)
class Share:
    """How far a checker is."""

    checker: User
    done: int
    total: int


def progress(run: JudgeRun) -> list[Share]:
    """How far each checker is with the run's sample, who began first on top."""
    rows = own_checks(run).order_by().values("checker").annotate(done=Count("same"), total=Count("pk"))
    people = User.objects.in_bulk([row["checker"] for row in rows])
    return [
        Share(people[row["checker"]], row["done"], row["total"]) for row in sorted(rows, key=lambda row: row["checker"])
    ]
