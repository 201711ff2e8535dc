"""The commands of the console script that compare judges, or run one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from annotation.llm import Endpoint, EndpointError
from annotation.protocols import Decoding
from annotation.sources.records import BadRecord, SolutionRecord
from annotation.sources.stepmark import read
from exports.ceiling import measured_error
from exports.cli import DONE, CannotRunError, say
from exports.compared_judges import judge_of
from exports.comparison_tables import show_comparison
from exports.console import grade_file, read_sheet, reason_policy, weights_checked
from exports.double_sampling import CannotCorrect
from exports.folder import ReleaseFolder, read_folder
from exports.grading import GradeReport
from exports.human_checks import Checks
from exports.judge_facts import account_of
from exports.judge_prompts import PRESETS, Demos, demos_of, with_tag
from exports.judge_runs import NO_DEMOS, CannotRun, Estimate, Price, Run, estimate, run_facts, run_judge, text_of
from exports.reasons import NO_REASONS, ReasonPolicy
from exports.scoring import WEIGHTS
from exports.splits import public_items
from exports.tables import progress_bar, show_report


def compare(options: argparse.Namespace) -> int:
    """Compare judges pairwise: tables on stderr, with --json everything on stdout."""
    weights_checked(options)
    if len(options.answers) < 2:
        raise CannotRunError("Two files of answers at least are needed.")
    folder = read_folder(options.release)
    names = _names(options.answers)
    policies = _policies(options, folder)
    sheets = _sheets(options)
    graded = [grade_file(path, folder, policy, options) for path, policy in zip(options.answers, policies, strict=True)]
    judges = [
        judge_of(name, report.report, report.graded)
        for name, report in zip(names, _with_sheets(graded, sheets), strict=True)
    ]
    comparing = import_module("exports.comparing")  # scipy and statsmodels take seconds to load
    noise = measured_error(folder.manifest) if options.label_noise is None else options.label_noise
    report = comparing.compare(
        judges, claims=options.claim, weights=options.weights, seed=options.seed, label_noise=noise
    )
    published = _published(options.public) if options.public else public_items(judges[0].items, folder.hash)
    report["split"] = import_module("exports.split_gap").split_facts(
        judges, published, options.reference, seed=options.seed
    )
    report["release"] = {name: folder.manifest.get(name) for name in ("project", "version")} | {"hash": folder.hash}
    show_comparison(report)
    if options.json:
        json.dump(report, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        sys.stdout.write("\n")
    return DONE


def _published(path: Path) -> frozenset[str]:
    """The ids in a file: one a line, or objects with an id as in items.jsonl."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    try:
        return frozenset(str(json.loads(line)["id"]) if line.startswith("{") else line for line in lines)
    except (ValueError, KeyError) as error:
        raise CannotRunError(f"{path}: lines with an item's id are expected.") from error


def _names(paths: Sequence[Path]) -> list[str]:
    stems = [path.stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def _policies(options: argparse.Namespace, folder: ReleaseFolder) -> list[ReasonPolicy]:
    """One policy for each judge: the same word for all, or a file of people's verdicts for each."""
    wanted, judges = options.reasons, len(options.answers)
    if len(wanted) == 1 and wanted[0] in ("none", "llm"):
        wanted = wanted * judges
    if len(wanted) != judges:
        raise CannotRunError(f"--reasons takes none, llm, or {judges} files: one for each judge, in order.")
    return [reason_policy(each, options, folder) for each in wanted]


def _sheets(options: argparse.Namespace) -> dict[Path, Checks]:
    """People's checks by file, read before a model is asked anything."""
    if options.human_checks and set(options.reasons) != {"llm"}:
        raise CannotRunError("--human-checks needs --reasons llm: it is about a model's verdicts.")
    return {path: read_sheet(path, options.model, options.answers) for path in options.human_checks}


def _with_sheets(graded: Sequence[GradeReport], sheets: Mapping[Path, Checks]) -> list[GradeReport]:
    """Each report with the sheet drawn from its answers, if there is one.

    Raises: CannotRunError for two of one judge.
    """
    taken: dict[str, Path] = {}
    for path, checks in sheets.items():
        answers = checks.drawn_from.get("answers", "")
        if answers in taken:
            raise CannotRunError(
                f"{path} and {taken[answers]} are about the same answers; put their lines in one file."
            )
        taken[answers] = path
    return [_checked(report, taken.get(report.report["answers"]["sha256"]), sheets) for report in graded]


def _checked(report: GradeReport, path: Path | None, sheets: Mapping[Path, Checks]) -> GradeReport:
    if path is None:
        return report
    try:
        found: GradeReport = import_module("exports.trust").with_checks(report, sheets[path])
    except CannotCorrect as error:
        raise CannotRunError(f"{path}: {error}") from error
    return found


def judge(options: argparse.Namespace) -> int:
    """Ask a model about every item of a release and write its answers, with a file beside them that says how."""
    folder = read_folder(options.release)
    run = _run(options, folder)
    if not options.out.parent.is_dir():
        raise CannotRunError(f"--out: there is no folder {options.out.parent}.")
    try:
        _agree(estimate(run), run, options)
        with progress_bar("asking the judge") as progress:
            lines = run_judge(run, concurrency=options.concurrency, progress=progress)
    except (CannotRun, EndpointError) as error:
        raise CannotRunError(str(error)) from error
    facts = run_facts(run, lines)
    _replace(options.out, text_of(lines))
    beside = account_of(options.out)
    _replace(beside, json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    tokens, money = facts["tokens"], "" if facts["cost"] is None else f", cost {facts['cost']:.4f}"
    say(
        f"{options.out}: {len(lines)} answers, {tokens['prompt']} + {tokens['completion']} tokens{money}; "
        f"how they were made is in {beside.name}."
    )
    for status, number in facts["without_reply"].items():
        say(f"{number} items without a usable reply: {status}.")
    if facts["cut_off"]:
        say(f"{facts['cut_off']} replies were cut off at the limit of tokens.")
    if options.grade:
        told = {
            "base": None,
            "parser": "stepmark",
            "threshold": 0.5,
            "weights": WEIGHTS,
            "label_noise": None,
            "seed": 0,
        }
        show_report(grade_file(options.out, folder, NO_REASONS, argparse.Namespace(**told)))
    return DONE


def _run(options: argparse.Namespace, folder: ReleaseFolder) -> Run:
    if options.preset not in PRESETS:
        raise CannotRunError(f"There is no preset {options.preset!r}; there are {', '.join(PRESETS)}.")
    if (options.price_in is None) != (options.price_out is None):
        raise CannotRunError("Give both --price-in and --price-out, or neither.")
    price = None if options.price_in is None else Price(options.price_in, options.price_out)
    decoding = Decoding(options.temperature, options.top_p, options.max_tokens, options.seed)
    preset = with_tag(PRESETS[options.preset], options.step_tag)
    endpoint = Endpoint(
        options.model, options.base_url, timeout=options.timeout, retries=options.retries, decoding=decoding,
        cache=options.cache, api=preset.api(options.api),
    )  # fmt: skip
    demos = _demos(options, folder) if options.shots else NO_DEMOS
    return Run(folder, endpoint, preset, options.shots, options.samples, demos, price)


def _demos(options: argparse.Namespace, folder: ReleaseFolder) -> Demos:
    """From the release itself, another release, or a file."""
    path: Path | None = options.demos
    if path is None:
        return demos_of(folder.items, "the release itself")
    if path.is_dir():
        return demos_of(read_folder(path).items, f"release {path.name}")
    found: list[SolutionRecord] = []
    for record in read(path.read_bytes(), path.name):
        if isinstance(record, BadRecord):
            raise CannotRunError(f"{path}, {record.where}: {record.oddities[0].message}")
        if record.gold is None:
            raise CannotRunError(f"{path}, {record.where}: a demonstration needs a gold label.")
        found.append(record)
    return Demos(tuple(found), f"file {path.name}")


def _agree(expected: Estimate, run: Run, options: argparse.Namespace) -> None:
    """Say what the run will ask and cost, and ask whether to go on."""
    asked = expected.requests - expected.cached
    money = "" if expected.cost is None else f", about {expected.cost:.4f} in money"
    say(
        f"{expected.requests} requests, {expected.cached} of them answered before; "
        f"about {expected.prompt_tokens} tokens of prompts and {expected.completion_tokens} of replies{money}."
    )
    if run.shots:
        balance = run.label_balance()
        say(f"Demonstrations show {balance['correct']} correct and {balance['incorrect']} incorrect solutions in all.")
    if options.yes or not asked:
        return
    if not sys.stdin.isatty():
        raise CannotRunError("Nobody is there to agree to that; add --yes.")
    print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CannotRunError("Nothing was asked.")


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8", newline="\n")
    partial.replace(path)
