"""The command of the console script that shows a grade report in another form."""

from __future__ import annotations

import argparse
import json
import sys

from exports.cli import DONE, say
from exports.reports import NoReport, check_report, plot, render


def report(options: argparse.Namespace) -> int:
    """Write a grade report as HTML, Markdown, LaTeX, SVG or JSON; on stdout without --out."""
    try:
        read = json.loads(options.report.read_bytes())
    except (ValueError, RecursionError) as error:
        raise NoReport(f"{options.report} is not JSON ({error}).") from error
    found = check_report(read)
    text = plot(found, options.plot) if options.format == "svg" else render(found, options.format)
    if options.out is None:
        sys.stdout.write(text)
        return DONE
    options.out.write_text(text, encoding="utf-8", newline="\n")
    return say(f"{options.out} is written.")
