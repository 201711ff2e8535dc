"""The `stepmark` console script: grade, compare, verify, export. It needs no database and no server."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

DONE, FAULT, CANNOT, INTERRUPTED, UNREAD = 0, 1, 2, 130, 141  # the last two as a shell says of signals 2 and 13
_ABOUT = "Grade a judge's answers against a release, verify a release, write it in other formats. Needs no server."
EXIT_CODES = "Exit codes: 0 done; 1 the release or the answers are at fault; 2 the command cannot run."


class CannotRunError(Exception):
    """The command cannot run; the message says what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit code. What commands need is imported then: the script starts at once."""
    options = _parser().parse_args(arguments)
    try:
        module, function = options.command
        code: int = getattr(import_module(module), function)(options)
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    except KeyboardInterrupt:
        return say(
            "Interrupted. What the model answered so far is kept; the same command goes on from there.", INTERRUPTED
        )
    except OSError as error:
        return say(f"{error.filename}: {error.strerror}" if error.filename else str(error), CANNOT)
    except CannotRunError as error:
        return say(str(error), CANNOT)
    except ValueError as error:  # the release or the answers
        return say(str(error), FAULT)
    return code


def _unread() -> int:
    """Whoever reads the output has gone, as `head` does: end without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())  # else what is left in their buffers is complained about at the exit
    return UNREAD


def say(sentence: str, code: int = DONE) -> int:
    """Print a sentence on stderr and hand back the exit code."""
    print(sentence, file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stepmark", description=_ABOUT, epilog=EXIT_CODES)
    commands = parser.add_subparsers(required=True, metavar="command")
    _grade_options(commands.add_parser("grade", help="grade a judge's answers against a release", epilog=EXIT_CODES))
    _compare_options(commands.add_parser("compare", help="compare judges item by item", epilog=EXIT_CODES))
    _judge_options(commands.add_parser("judge", help="ask a model to judge a release", epilog=EXIT_CODES))
    _report_options(commands.add_parser("report", help="show a grade report in another form", epilog=EXIT_CODES))
    command = commands.add_parser("verify", help="tell whether a release folder was changed", epilog=EXIT_CODES)
    command.add_argument("release", type=Path, metavar="FOLDER")
    command.set_defaults(command=("exports.console", "verify"))
    command = commands.add_parser("export", help="write a release in another format", epilog=EXIT_CODES)
    command.add_argument("release", type=Path, metavar="FOLDER")
    command.add_argument("--format", required=True, help="stepmark, mr-ben or processbench")
    command.add_argument("--half", choices=("public", "private"), help="only this half of the problems (all)")
    command.add_argument("out", type=Path, metavar="OUT")
    command.set_defaults(command=("exports.console", "export"))
    return parser


def _grade_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("release", type=Path, metavar="RELEASE_FOLDER")
    add("answers", type=Path, metavar="ANSWERS.jsonl", help="lines with id and correct, first_error ...; or id and raw")
    add("--json", action="store_true", help="print the report as JSON on stdout")
    add("--reasons", default="none", metavar="none|llm|FILE", help="how reasons are compared (FILE: people's verdicts)")
    _scoring_options(command)
    add("--items", type=Path, metavar="OUT.jsonl", help="write how each item was graded")
    help_draw = "write a random sample of the model's verdicts on reasons, for people to check blind"
    add("--draw-checks", type=Path, metavar="OUT.jsonl", help=help_draw)
    add("--checks", type=_positive, default=200, metavar="N", help="verdicts in that sample (200)")
    help_design = "half of each verdict of the model (by-verdict, the default), or a plain random sample"
    add("--checks-design", choices=("by-verdict", "random"), default="by-verdict", help=help_design)
    add("--human-checks", type=Path, metavar="FILE", help="that sample, filled in: corrects ACC_reason")
    command.set_defaults(command=("exports.console", "grade"))


def _compare_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("release", type=Path, metavar="RELEASE_FOLDER")
    add("answers", type=Path, nargs="+", metavar="ANSWERS.jsonl", help="two judges or more; the first is the old one")
    add("--json", action="store_true", help="print the comparison as JSON on stdout, with the ids of all items")
    help_reasons = "how reasons are compared (FILE: people's verdicts, one file for each judge in order)"
    add("--reasons", nargs="+", default=["none"], metavar="none|llm|FILE", help=help_reasons)
    _scoring_options(command)
    help_checks = "filled-in samples of the model's verdicts, at most one for each judge: correct ACC_reason"
    add("--human-checks", type=Path, nargs="+", default=[], metavar="FILE", help=help_checks)
    help_claim = "a pair by file names without .jsonl; may be repeated (all against the first)"
    add("--claim", action="append", default=[], type=_pair, metavar="FIRST,SECOND", help=help_claim)
    help_public = "ids of the items that are public, one a line (default: the half that `export --half public` writes)"
    add("--public", type=Path, metavar="FILE", help=help_public)
    help_reference = "a judge that cannot have seen the release: others' public gaps are tested against its; repeatable"
    add("--reference", action="append", default=[], metavar="NAME", help=help_reference)
    command.set_defaults(command=("exports.console_judges", "compare"))


def _judge_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("release", type=Path, metavar="RELEASE_FOLDER")
    add("--out", type=Path, required=True, metavar="ANSWERS.jsonl", help="where the answers go, with all raw replies")
    add("--model", required=True, type=_name, help="the model to be judged as a judge")
    add("--base-url", metavar="URL", help="its endpoint (OPENAI_BASE_URL; the key is OPENAI_API_KEY)")
    add("--api", choices=("chat", "responses"), default="chat", help="responses is used where the endpoint has it")
    add(
        "--preset",
        default="mr-ben",
        metavar="NAME",
        help="the prompt: mr-ben, processbench, step-scores, or reward-model",
    )
    help_tag = "what a reward model scores: the mark behind each step (<extra_0>)"
    add("--step-tag", metavar="TEXT", help=help_tag)
    add("--shots", type=_not_negative, default=0, metavar="N", help="demonstrations in each prompt (0)")
    help_demos = "a release or a file of lines with gold labels (default: other problems of the release)"
    add("--demos", type=Path, metavar="PATH", help=help_demos)
    add("--samples", type=_positive, default=1, metavar="N", help="replies for each item, decided by vote (1)")
    add("--temperature", type=_amount, default=0.0, metavar="T", help="0")
    add("--top-p", type=_share, metavar="P")
    add("--max-tokens", type=_positive, metavar="N", help="limit of a reply (the server's own)")
    add("--seed", type=_not_negative, default=0, metavar="N", help="sent with every request (0)")
    add("--timeout", type=_seconds, default=120.0, metavar="S", help="seconds to wait for a reply (120)")
    add("--retries", type=_not_negative, default=5, metavar="N", help="further attempts (5)")
    add("--concurrency", type=_positive, default=8, metavar="N", help="requests at a time (8)")
    add("--cache", type=Path, default=_default_cache(), metavar="DIR", help="where the model's replies are kept")
    add("--price-in", type=_amount, metavar="P", help="price of a million prompt tokens")
    add("--price-out", type=_amount, metavar="P", help="price of a million reply tokens")
    add("--grade", action="store_true", help="grade the answers afterwards, without comparing reasons")
    add("--yes", action="store_true", help="do not ask after the estimate")
    command.set_defaults(command=("exports.console_judges", "judge"))


def _report_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("report", type=Path, metavar="REPORT.json", help="what `stepmark grade --json` printed")
    add("--format", choices=("html", "md", "tex", "svg", "json"), default="html", help="html is one file by itself")
    add("--plot", choices=("subjects", "reliability", "risk"), default="subjects", help="which plot, as svg (subjects)")
    add("--out", type=Path, metavar="FILE", help="instead of stdout")
    command.set_defaults(command=("exports.console_reports", "report"))


def _scoring_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--model", help="the model that compares the reasons (OPENAI_BASE_URL, OPENAI_API_KEY say where)")
    add(
        "--reason-votes", type=_positive, default=1, metavar="K", help="odd number of the model's votes on a reason (1)"
    )
    add(
        "--reason-temperature", type=_amount, default=0.0, metavar="T", help="of that model; votes need more than 0 (0)"
    )
    help_checks = "reasons asked about again as decoys and in another order, to check the model (0)"
    add("--self-checks", type=_not_negative, default=0, metavar="N", help=help_checks)
    add("--concurrency", type=_positive, default=8, metavar="N", help="requests to the model at a time (8)")
    add("--cache", type=Path, default=_default_cache(), metavar="DIR", help="where the model's replies are kept")
    add("--weights", type=_weights, default=(0.2, 0.3, 0.5), metavar="MCC,STEP,REASON", help="of MR-Score (.2,.3,.5)")
    add("--seed", type=_not_negative, default=0, metavar="N", help="of the bootstrap intervals (0)")
    add("--parser", default="stepmark", metavar="NAME", help="stepmark, mr-ben-official or processbench-official")
    help_threshold = (
        "scores of steps: wrong at or below NUMBER (0.5); tune:dev tunes on the dev split and leaves it out"
    )
    add("--threshold", type=_threshold, default=0.5, metavar="NUMBER|tune:dev", help=help_threshold)
    add("--label-noise", type=_share, metavar="SHARE", help="share of gold labels known to be wrong, as 0.02")
    add("--base", type=int, choices=(0, 1), help="where numbers of steps count from (else they are printed labels)")


def _default_cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "stepmark" / "replies"


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1 is needed")
    return int(text)


def _not_negative(text: str) -> int:
    if int(text) < 0:
        raise argparse.ArgumentTypeError("0 or more is needed")
    return int(text)


def _amount(text: str) -> float:
    if not 0 <= float(text) < math.inf:
        raise argparse.ArgumentTypeError("a number from 0 is needed")
    return float(text)


def _seconds(text: str) -> float:
    if not 0 < float(text) < math.inf:
        raise argparse.ArgumentTypeError("a number above 0 is needed")
    return float(text)


def _name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("a name is needed")
    return text


def _share(text: str) -> float:
    if not 0 <= float(text) <= 1:
        raise argparse.ArgumentTypeError("a share is from 0 to 1")
    return float(text)


def _threshold(text: str) -> float | None:
    """None means tuned on the dev split."""
    if text == "tune:dev":
        return None
    if not math.isfinite(float(text)):
        raise argparse.ArgumentTypeError("a finite number is needed, or tune:dev")
    return float(text)


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError("two names with a comma between are needed")
    return first, second


def _weights(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
