"""The commands of the console script."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from annotation.llm import Endpoint, EndpointError
from annotation.protocols import Decoding
from exports import grading
from exports.cli import DONE, FAULT, CannotRunError, say
from exports.double_sampling import CannotCorrect
from exports.folder import ReleaseFolder, read_folder, verify_folder
from exports.formats import FORMATS
from exports.how_graded import PARSER_NAMES, CannotTune, HowGraded, Taken, read_as
from exports.human_checks import Checks, check_origin, draw, drawn_from, read_checks, sheet, verdicts
from exports.judge_facts import NotOfThisRun, facts_beside, with_judge
from exports.parsing import AnswerError
from exports.reasons import NO_REASONS, ReasonPolicy, by_model, by_people
from exports.scoring import check_weights
from exports.splits import half_of
from exports.tables import progress_bar, show_report
from review.comparison import PROMPT_VERSION


def grade(options: argparse.Namespace) -> int:
    """Grade a judge's answers: a table on stderr, with --json the report on stdout."""
    weights_checked(options)
    folder = read_folder(options.release)
    policy = reason_policy(options.reasons, options, folder)
    checks = _checks(options)
    report = grade_file(options.answers, folder, policy, options)
    if options.draw_checks:
        _draw_checks(report, options)
    if checks is not None:
        report = import_module("exports.trust").with_checks(report, checks)  # statsmodels takes seconds to load
    show_report(report)
    _write(report, options)
    return DONE


def _checks(options: argparse.Namespace) -> Checks | None:
    """People's checks, read before a model is asked anything."""
    if not (options.human_checks or options.draw_checks):
        return None
    if options.reasons != "llm":
        raise CannotRunError("--human-checks and --draw-checks need --reasons llm: they are about a model's verdicts.")
    if not options.human_checks:
        return None
    return read_sheet(options.human_checks, options.model, [options.answers])


def read_sheet(path: Path, model: str, answers: Iterable[Path]) -> Checks:
    """A sheet that people filled in, of one of these files of answers, as this model is to compare their reasons.

    It is held against them before that model is paid. Raises: ValueError naming the sheet.
    """
    with _opened(path) as lines:
        checks = read_checks(lines)
    known = [sha256(each.read_bytes()).hexdigest() for each in answers]
    ours = checks.drawn_from["answers"] if checks.drawn_from["answers"] in known else " or ".join(known)
    try:
        check_origin(checks, {"answers": ours, "model": model, "prompt_version": PROMPT_VERSION})
    except CannotCorrect as error:
        raise ValueError(f"{path}: {error}") from error
    return checks


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A file of answers or verdicts; what is wrong in it is told with its name."""
    with path.open("rb") as lines:
        try:
            yield lines
        except AnswerError as error:
            raise ValueError(f"{path}: {error}") from error


def _draw_checks(report: grading.GradeReport, options: argparse.Namespace) -> None:
    design = options.checks_design.replace("-", " ")
    ids = draw(verdicts(report.graded), np.random.default_rng(options.seed), options.checks, design)
    with options.draw_checks.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in sheet(ids, report.cases, drawn_from(report.report), design))
    say(f"{len(ids)} verdicts to be checked by people: fill in `same` in {options.draw_checks}.")


def weights_checked(options: argparse.Namespace) -> None:
    """Refuse weights that are no shares of 1."""
    try:
        check_weights(options.weights)
    except ValueError as error:
        raise CannotRunError(str(error)) from error


def verify(options: argparse.Namespace) -> int:
    """Say whether a release folder is as it was written."""
    faults = verify_folder(options.release)
    for fault in faults:
        say(fault)
    return FAULT if faults else say(f"{options.release} is intact.")


def export(options: argparse.Namespace) -> int:
    """Write a release in another format, and say what the format could not express."""
    if options.format not in FORMATS:
        raise CannotRunError(f"There is no format {options.format!r}; there are {', '.join(FORMATS)}.")
    folder = read_folder(options.release)
    items = half_of(folder.items, options.half, folder.hash) if options.half else folder.items
    with options.out.open("w", encoding="utf-8", newline="\n") as out:
        losses = FORMATS[options.format](items, out)
    for message, times in Counter(loss.message for loss in losses).items():
        say(f"{times} of {len(items)} items: {message}")
    return DONE


def reason_policy(wanted: str, options: argparse.Namespace, folder: ReleaseFolder) -> ReasonPolicy:
    """How reasons are compared: `wanted` is none, llm, or a file of people's verdicts."""
    if wanted == "none":
        return NO_REASONS
    if wanted == "llm":
        if not options.model:
            raise CannotRunError("--reasons llm needs --model: the name of the model that compares the reasons.")
        decoding = Decoding(temperature=options.reason_temperature)
        endpoint = Endpoint(options.model, cache=options.cache, decoding=decoding)
        asked = {"votes": options.reason_votes, "self_checks": options.self_checks}
        try:
            return by_model(endpoint, concurrency=options.concurrency, **asked)
        except ValueError as error:
            raise CannotRunError(str(error)) from error
    with _opened(Path(wanted)) as lines:
        return by_people(lines, [item.id for item in folder.items])


def grade_file(
    path: Path, folder: ReleaseFolder, policy: ReasonPolicy, options: argparse.Namespace
) -> grading.GradeReport:
    """Grade one file of answers, with a bar on stderr while reasons are compared."""
    taken = _answers(path, folder, options)
    judge = _judge_of(path, folder, taken)
    try:
        with progress_bar() as progress:
            graded = grading.grade(
                taken.folder, taken.answers, reasons=policy, weights=options.weights, seed=options.seed,
                progress=progress, label_noise=options.label_noise, tuned=taken.tuned,
            )  # fmt: skip
    except EndpointError as error:
        raise CannotRunError(str(error)) from error
    return replace(graded, report=with_judge(graded.report, judge))


def _judge_of(path: Path, folder: ReleaseFolder, taken: Taken) -> dict[str, Any]:
    """How the answers were made, from the file beside them; one that does not fit is named and left aside."""
    try:
        return facts_beside(path, folder.hash, taken.answers.sha256)
    except NotOfThisRun as error:
        say(f"{error} The report does not say how the answers were made.")
        return {}


def _answers(path: Path, folder: ReleaseFolder, options: argparse.Namespace) -> Taken:
    if options.parser not in PARSER_NAMES:
        raise CannotRunError(f"There is no parser {options.parser!r}; there are {', '.join(PARSER_NAMES)}.")
    try:
        with _opened(path) as lines:
            return read_as(HowGraded(options.parser, options.base, options.threshold), lines, folder)
    except CannotTune as error:
        raise ValueError(f"{path}: {error}") from error


def _write(report: grading.GradeReport, options: argparse.Namespace) -> None:
    if options.items:
        with options.items.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(json.dumps(row.as_dict(), ensure_ascii=False) + "\n" for row in report.rows)
    if options.json:
        json.dump(report.as_dict(), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        sys.stdout.write("\n")
