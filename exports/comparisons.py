"""Comparing stored runs, and sending what judges doubt back to the leads."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Solution, User
from exports.ceiling import measured_error
from exports.compared_judges import NotComparable
from exports.comparing import COMPARER_VERSION, compare
from exports.models import ErrorTag, JudgeRun, JudgeVerdict, Release, ReleaseItem, RunComparison
from exports.outcomes import RIGHT
from exports.split_gap import split_facts
from exports.splits import public_items
from exports.stored_runs import judges
from review.adjudication import reopen

MOST_RUNS = 50


def flipped(first: JudgeRun, second: JudgeRun, kind: str, flip: str) -> QuerySet[ReleaseItem]:
    """The items behind a number of the ledger of two runs: `kind` is one of RIGHT, `flip` one of FLIPS."""
    rows = JudgeVerdict.objects.filter(RIGHT[kind], item=OuterRef("pk"))
    one, other = (Q(Exists(rows.filter(run=run))) for run in (first, second))
    wanted = {"repaired": ~one & other, "broken": one & ~other, "both_right": one & other, "both_wrong": ~one & ~other}
    items = first.release.items.filter(wanted[flip]).order_by("position")
    return items if kind == "verdict" else items.filter(correct=False)


def key_of(runs: Sequence[JudgeRun], references: Collection[int] = ()) -> str:
    """The name under which a comparison of these runs is kept; keys of the references stand behind a bar."""
    told = ",".join(str(run.pk) for run in runs)
    return f"{told}|{','.join(map(str, sorted(references)))}" if references else told


def kept(release: Release, runs: Sequence[JudgeRun], references: Collection[int] = ()) -> RunComparison | None:
    """The comparison of these runs, when it was computed before in the way of today, with people's checks of today."""
    row = RunComparison.objects.filter(release=release, runs=key_of(runs, references)).first()
    return row if row and row.report.get("of") == _of(runs) else None


def _of(runs: Sequence[JudgeRun]) -> dict[str, Any]:
    """What a comparison of these runs rests on beside their answers, which do not change."""
    checks = [run.trust["agreement"]["confusion"] if run.trust else None for run in runs]
    return {"comparer_version": COMPARER_VERSION, "checks": checks}


def compare_runs(release: Release, runs: Sequence[JudgeRun], references: Collection[int] = ()) -> RunComparison:
    """Compare the runs on their common items and keep the result, or why it is refused; the seed is the release's.

    `references` are keys of runs of judges that cannot have seen the release.
    """
    noise = measured_error(release.manifest)
    seed, found = int(release.content_hash[:8], 16), judges(runs)
    try:
        report = compare(found, seed=seed, label_noise=noise)
        public = public_items(found[0].items, release.content_hash)
        report["split"] = split_facts(found, public, [run.name for run in runs if run.pk in references], seed=seed)
        report["release"] = {"project": release.project.slug, "version": release.version, "hash": release.content_hash}
    except NotComparable as error:
        report = {"refused": str(error)}
    row, _made = RunComparison.objects.update_or_create(
        release=release, runs=key_of(runs, references), defaults={"report": {**report, "of": _of(runs)}}
    )  # fmt: skip
    return row


def tag(verdict: JudgeVerdict, word: str, by: User) -> None:
    """Put a word on a judge's answer; the same word again takes it off."""
    word = word.strip()[:60]
    row, made = ErrorTag.objects.get_or_create(verdict=verdict, tag=word, defaults={"tagged_by": by})
    if not made:
        row.delete()


def doubt_gold(verdict: JudgeVerdict, lead: User) -> Solution | None:
    """Send an item back to adjudication because a judge disagrees with its gold; None when it is there already."""
    release = verdict.run.release
    solution = Solution.objects.filter(problem__project=release.project, item_id=verdict.item.item_id).first()
    if solution is None or solution.settled_at is None:
        return None
    note = _("Judge %(judge)s disagrees with release %(version)s.") % {
        "judge": verdict.run.name, "version": release.version
    }  # fmt: skip
    reopen(solution, lead, note)
    return solution
