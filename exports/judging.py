"""Grading a judge's answers to a release and keeping the result with every item it counts."""

import hashlib
from io import BytesIO

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.translation import gettext as _

from annotation import audit
from annotation.jobs import Progress, no_progress
from annotation.llm import Endpoint
from annotation.models import Upload, User
from annotation.protocols import Decoding
from annotation.uploads import keep
from exports.folder import ReleaseFolder, read_folder
from exports.grading import GradeReport, Row, grade
from exports.how_graded import AS_USUAL, CannotTune, HowGraded, Taken, read_as
from exports.models import JudgeRun, JudgeVerdict, Release
from exports.parsing import AnswerError
from exports.reasons import NO_REASONS, ReasonPolicy, by_model, by_people
from exports.releases import folder_of


class NameTaken(ValueError):
    """This release has a run of that name."""


class FileRefused(ValueError):
    """A sent file does not fit the release; `field` names which."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def check_name(release: Release, name: str) -> None:
    """Raise NameTaken when the release has a run of that name."""
    if JudgeRun.objects.filter(release=release, name=name).exists():
        raise NameTaken(_("This release already has a run with this name; choose another."))


def read_run(release: Release, answers: bytes, how: HowGraded = AS_USUAL) -> Taken:
    """Read an answers file against the release.

    Raises: exports.parsing.AnswerError listing the lines at fault, exports.how_graded.CannotTune.
    """
    return read_as(how, BytesIO(answers), read_folder(folder_of(release)))


VOTE_TEMPERATURE = 0.7  # at 0 all votes would be one


def reason_policy(held: ReleaseFolder, model: str, people: bytes | None, how: HowGraded = AS_USUAL) -> ReasonPolicy:
    """Reasons compared by people's verdicts when there are some, else by a model when one is named, else not."""
    if people is not None:
        return by_people(BytesIO(people), [item.id for item in held.items])
    if model:
        decoding = Decoding(temperature=VOTE_TEMPERATURE if how.votes > 1 else 0.0)
        endpoint = Endpoint(model, cache=settings.MODEL_CACHE_DIR, decoding=decoding)
        asked = {"votes": how.votes, "self_checks": how.self_checks}
        return by_model(endpoint, concurrency=settings.MODEL_CONCURRENCY, **asked)
    return NO_REASONS


def check_files(release: Release, how: HowGraded, answers: bytes, people: bytes | None = None) -> None:
    """Raise FileRefused when the answers, or people's verdicts on the reasons, do not fit the release."""
    try:
        taken = read_run(release, answers, how)
    except AnswerError as error:
        raise FileRefused("answers", str(error)) from error
    except CannotTune as error:
        raise FileRefused("tune", str(error)) from error
    try:
        reason_policy(taken.folder, "", people)
    except AnswerError as error:
        raise FileRefused("people", str(error)) from error


def grade_run(
    release: Release, name: str, answers: bytes, by: User, *, model: str = "", how: HowGraded = AS_USUAL,
    reasons_file: bytes | None = None, progress: Progress = no_progress,
) -> JudgeRun:  # fmt: skip
    """Grade a judge's answers and store the run with a row for every item of the release.

    Replies of the model are kept on disk, so repeating an interrupted grading pays for nothing twice.

    Raises: NameTaken, exports.parsing.AnswerError, exports.how_graded.CannotTune, annotation.llm.EndpointError.
    """
    check_name(release, name)
    taken = read_run(release, answers, how)
    held = taken.folder
    policy = reason_policy(held, model, reasons_file, how)
    seed = int(held.hash[:8], 16)
    graded = grade(held, taken.answers, reasons=policy, seed=seed, progress=progress, tuned=taken.tuned)
    return _store(release, name, answers, by, graded)


def answers_of(run: JudgeRun) -> Upload | None:
    """The answers file of a run as it was read: every raw reply, all ballots, scores of steps and tokens.

    Its content, which may be large, is read only by who takes it.
    """
    return Upload.objects.filter(project=run.release.project, sha256=run.answers_sha256).defer("content").first()


@transaction.atomic
def _store(release: Release, name: str, answers: bytes, by: User, graded: GradeReport) -> JudgeRun:
    Release.objects.select_for_update().get(pk=release.pk)
    check_name(release, name)
    run = JudgeRun.objects.create(
        release=release, name=name, answers_sha256=hashlib.sha256(answers).hexdigest(), graded_by=by,
        options=graded.report["reasons"], report=graded.as_dict(),
    )  # fmt: skip
    if answers_of(run) is None:
        keep(release.project, ContentFile(answers, f"{name}.jsonl"), by)
    audit.record("graded", by, release.project, release=release.version, judge=name)
    items = dict(release.items.values_list("item_id", "pk"))
    JudgeVerdict.objects.bulk_create((_verdict(run, items[row.id], row) for row in graded.rows), batch_size=500)
    return run


def _verdict(run: JudgeRun, item: int, row: Row) -> JudgeVerdict:
    return JudgeVerdict(
        run=run, item_id=item, status=row.status, flags=list(row.flags), correct=row.correct,
        first_error=row.first_error, category=row.category[:60], reason=row.reason, rectified=row.rectified,
        confidence=row.confidence, raw=row.raw, reason_same=row.reason_same, reason_explanation=row.explanation,
    )  # fmt: skip
