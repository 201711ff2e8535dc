"""Measuring the gold's own error: a random sample decided again by a lead who does not see the first decision."""

import random
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import Project, User
from annotation.verdicts import Verdict, VerdictError
from review.intervals import wilson
from review.models import Adjudication, Outcome, Recheck, RecheckItem


class CannotRecheck(Exception):
    """There is no gold that this lead could decide again without having seen it."""


@dataclass(frozen=True)
class GoldError:
    """How often gold changed when decided again blind: share of `n`, Wilson interval of 95 %; None if none."""

    n: int
    changed_verdict: int
    changed_place: int
    rate: float | None
    low: float | None
    high: float | None


def _candidates(project: Project, lead: User) -> list[int]:
    gold = Adjudication.objects.current().filter(
        solution__problem__project=project, outcome=Outcome.GOLD, solution__settled_at__isnull=False
    )
    unseen = gold.exclude(decided_by=lead).exclude(seconds_by=lead)
    labelled = unseen.exclude(solution__assignments__annotator=lead)
    done = RecheckItem.objects.filter(recheck__project=project).values("gold")
    return list(labelled.exclude(pk__in=done).order_by("pk").values_list("pk", flat=True))


@transaction.atomic
def begin(project: Project, lead: User, size: int) -> Recheck:
    """Draw a sample of gold that this lead neither decided nor labelled.

    Raises: CannotRecheck.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    found = _candidates(project, lead)
    if not found:
        raise CannotRecheck(_("There is no gold left that you have neither decided nor labelled."))
    seed = random.SystemRandom().getrandbits(63)
    chosen = random.Random(seed).sample(found, min(size, len(found)))  # noqa: S311 - a sample, not a secret
    recheck = Recheck.objects.create(project=project, lead=lead, seed=seed)
    RecheckItem.objects.bulk_create(RecheckItem(recheck=recheck, gold_id=pk) for pk in chosen)
    return recheck


@transaction.atomic
def decide_again(item: RecheckItem, lead: User, verdict: Verdict) -> RecheckItem:
    """Record the second, blind verdict; it does not change gold by itself.

    Raises: VerdictError.
    """
    solution = item.gold.solution
    verdict.check(solution.steps.count())
    if verdict.category and verdict.category not in solution.problem.project.categories:
        raise VerdictError("category", _("This project has no error category “%s”.") % verdict.category)
    for name, value in verdict.as_dict().items():
        setattr(item, name, value)
    item.decided_at = timezone.now()
    item.save()
    audit.record("rechecked", lead, solution.problem.project, solution=solution, **verdict.as_dict())
    return item


def gold_error(project: Project) -> GoldError:
    """The share of rechecked gold whose verdict or step was decided differently the second time."""
    items = RecheckItem.objects.filter(recheck__project=project, decided_at__isnull=False).select_related("gold")
    pairs = [(item.verdict, item.gold.verdict) for item in items]
    verdicts = sum(again.correct != first.correct for again, first in pairs)
    places = sum(not again.same_place(first) for again, first in pairs)
    if not pairs:
        return GoldError(0, 0, 0, None, None, None)
    return GoldError(len(pairs), verdicts, places, places / len(pairs), *wilson(places, len(pairs)))
