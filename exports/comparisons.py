"""Comparing stored runs, and sending what judges doubt back to the leads."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation.models import Solution, User
from exports.comparing import NotComparable, compare
from exports.models import ErrorTag, JudgeRun, JudgeVerdict, Release, RunComparison
from exports.stored_runs import judges
from review.adjudication import reopen


def key_of(runs: Sequence[JudgeRun]) -> str:
    """The name under which a comparison of these runs is kept."""
    return ",".join(str(run.pk) for run in runs)


def kept(release: Release, runs: Sequence[JudgeRun]) -> RunComparison | None:
    """The comparison of these runs, when it was computed before."""
    return RunComparison.objects.filter(release=release, runs=key_of(runs)).first()


def compare_runs(release: Release, runs: Sequence[JudgeRun]) -> RunComparison:
    """Compare the runs on their common items and keep the result, or why it is refused; the seed is the release's."""
    noise = (release.manifest.get("gold_error") or {}).get("rate")
    try:
        report = compare(judges(runs), seed=int(release.content_hash[:8], 16), label_noise=noise)
    except NotComparable as error:
        report = {"refused": str(error)}
    row, _made = RunComparison.objects.update_or_create(
        release=release, runs=key_of(runs), defaults={"report": report}
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
