"""The commands of the console script that deal with several judges, or run one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from exports import comparing
from exports.cli import DONE, CannotRunError
from exports.comparing import Judge
from exports.comparison_tables import show_comparison
from exports.console import grade_file, reason_policy, weights_checked
from exports.folder import ReleaseFolder, read_folder
from exports.reasons import ReasonPolicy


def compare(options: argparse.Namespace) -> int:
    """Compare judges pairwise: tables on stderr, with --json everything on stdout."""
    weights_checked(options)
    if len(options.answers) < 2:
        raise CannotRunError("Two files of answers at least are needed.")
    folder = read_folder(options.release)
    names = _names(options.answers)
    policies = _policies(options, folder)
    judges = [
        _judge(name, path, folder, policy, options)
        for name, path, policy in zip(names, options.answers, policies, strict=True)
    ]
    report = comparing.compare(
        judges, claims=options.claim, weights=options.weights, seed=options.seed, label_noise=options.label_noise
    )
    report["release"] = {name: folder.manifest.get(name) for name in ("project", "version")} | {"hash": folder.hash}
    show_comparison(report)
    if options.json:
        json.dump(report, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
        sys.stdout.write("\n")
    return DONE


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


def _judge(name: str, path: Path, folder: ReleaseFolder, policy: ReasonPolicy, options: argparse.Namespace) -> Judge:
    graded = grade_file(path, folder, policy, options)
    facts = graded.report["reasons"]
    by = "people" if facts["mode"] == "file" else f"{facts.get('model')}, prompt {facts.get('prompt_version')}"
    return Judge(name, graded.graded, reasons=not facts["why_null"], reasons_how=by)
