"""The timings: each kept view of the agreement, and what a request does."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from annotation.models import Project
from review import figure_items, kept_figures, label_rows
from review.benchmark_agreement.campaign import PER_ITEM, label_every_step, make_campaign
from review.slices import DIMENSIONS


def run(items: int, *, every_step: bool) -> None:
    """Make a campaign of `items` solutions with three labels each, and time what its pages need."""
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        say(f"{connection.vendor}, {items} items x {PER_ITEM} labels{', every step labelled' if every_step else ''}")
        with timed("(making the campaign)"):
            project = make_campaign(items)
            if every_step:
                label_every_step(project)
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        _time(project)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def _time(project: Project) -> None:
    with timed("reading the labels"):
        _labels, _versions, pks = label_rows.label_columns(project)
    if project.every_step:
        with timed("reading the labels of steps"):
            found = label_rows.step_labels(project, pks)
        say(f"{len(found.label)} steps labelled")
    for view in ("", *DIMENSIONS, *kept_figures.VIEWS):
        start = _clocks()
        took = [_since(start) for _stage in kept_figures.stages(project, view)]
        n = len(kept_figures.snapshots(project, view))
        say(f"refresh {view or 'whole campaign'} ({n} kept): after {', then '.join(took)}")
    for look in ("first", "second"):
        with timed(f"in the request: is it fresh? ({look} look)"):
            kept_figures.is_fresh(project, kept_figures.snapshots(project))
    with timed("in the request: 50 items behind a figure, counted"):
        rows = figure_items.items_of(project, "first_error").filter(differs=True).order_by("pk")
        say(f"{rows.count()} items, {len(rows[:50])} of them shown")
    say(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = _clocks()
    yield
    say(f"{what}: {_since(start)}")


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(start: tuple[float, float]) -> str:
    """Seconds on the wall and, since machines do other work too, of this process."""
    wall, own = (now - then for now, then in zip(_clocks(), start, strict=True))
    return f"{wall:.2f} s (processor {own:.2f} s)"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
