"""Asking a judge model about every item of a release, and grading what it answers."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.jobs import Progress, no_progress
from annotation.llm import Endpoint
from annotation.models import User
from annotation.protocols import Decoding
from exports.folder import read_folder
from exports.how_graded import HowGraded
from exports.judge_prompts import PRESETS, demos_of, with_tag
from exports.judge_runs import CannotRun, Price, Run, estimate, run_facts, run_judge, text_of
from exports.judging import check_name, grade_run
from exports.models import JudgeRun, Release
from exports.releases import folder_of
from exports.step_scores import split_off_dev


def planned(release: Release, options: dict[str, Any]) -> Run:
    """The run that the options describe: model, preset, shots, samples, temperature, top_p, max_tokens, seed, prices.

    `api` is chat or responses. Raises: exports.judge_runs.CannotRun.
    """
    held = read_folder(folder_of(release))
    decoding = Decoding(
        options["temperature"], options.get("top_p"), options["max_tokens"] or None, options.get("seed")
    )
    prices = options.get("price_in"), options.get("price_out")
    price = None if prices[0] is None or prices[1] is None else Price(prices[0], prices[1])
    preset = with_tag(PRESETS[options["preset"]], options.get("step_tag"))
    endpoint = Endpoint(
        options["model"], decoding=decoding, cache=settings.MODEL_CACHE_DIR, api=preset.api(options.get("api", "chat"))
    )
    demos = demos_of(held.items, f"{release.project.slug} {release.version}")
    run = Run(held, endpoint, preset, options["shots"], options["samples"], demos, price)
    run.check()
    if HowGraded(**options.get("how", {})).threshold is None:
        _check_tunable(run)
    return run


def _check_tunable(run: Run) -> None:
    """Before anything is paid for."""
    if not run.preset.schema:
        raise CannotRun(_("Only scores of steps have a threshold to tune: choose step-scores or reward-model."))
    try:
        split_off_dev(run.folder.items)
    except ValueError as error:
        raise CannotRun(str(error)) from error


def foreseen(release: Release, options: dict[str, Any]) -> dict[str, Any]:
    """What the run would ask: requests, those in the cache already, tokens; and how the demonstrations are balanced.

    Raises: exports.judge_runs.CannotRun.
    """
    run = planned(release, options)
    return asdict(estimate(run)) | {"label_balance": run.label_balance()}


def run_model(
    release: Release, name: str, options: dict[str, Any], by: User, progress: Progress = no_progress
) -> JudgeRun:  # fmt: skip
    """Ask, then grade. Replies are kept on disk, so an interrupted run goes on without paying twice.

    Raises: NameTaken, exports.judge_runs.CannotRun, annotation.llm.EndpointError.
    """
    check_name(release, name)
    run = planned(release, options)
    lines = run_judge(run, concurrency=settings.MODEL_CONCURRENCY, progress=progress)
    answers, grader = text_of(lines).encode(), options["grader"]
    how = HowGraded(**options.get("how", {}))
    row = grade_run(release, name, answers, by, model=grader, how=how, progress=progress)
    row.options = row.options | {"run": run_facts(run, lines)}
    row.save(update_fields=["options"])
    return row
