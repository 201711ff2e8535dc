"""The timings: what a lead's requests do at the queue, and what keeping it up adds to an annotator's."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Project, Role, User
from annotation.submission import Submission, revise
from annotation.verdicts import Verdict
from review import contests, pending
from review.adjudication import Decision, decide
from review.benchmark_agreement.campaign import PER_ITEM, make_campaign
from review.benchmark_agreement.timings import say, timed
from review.contests import Wanted
from review.models import Outcome

BY_CHANCE = 0.55  # of labels, so that about four items in five are disputed
TIMES = 5
QUERIES: dict[str, dict[str, str]] = {
    "whole queue": {}, "by subject": {"subject": "subject 3"}, "by kind": {"kind": "step"},
    "by batch": {"source": "file 1"}, "by age": {"days": "7"},
    "by all of them": {"subject": "subject 3", "kind": "verdict", "source": "file 1", "days": "7"},
}  # fmt: skip


PLAIN = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


@override_settings(STORAGES=settings.STORAGES | PLAIN)
def run(items: int) -> None:
    """Make a campaign of `items` solutions with three labels each, and time its queue of disputes."""
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        say(f"{connection.vendor}, {items} items x {PER_ITEM} labels")
        with timed("(making the campaign)"):
            project = make_campaign(items, BY_CHANCE)
            _spread(project)
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        _time(project, User.objects.create(username="lead", role=Role.LEAD))
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def _spread(project: Project) -> None:
    """Let a seventh of the items wait for a week or more, so that there is an age to narrow by."""
    old = Assignment.objects.filter(solution__problem__project=project, solution__problem__subject="subject 3")
    old.update(submitted_at=timezone.now() - timedelta(days=8))


def _time(project: Project, lead: User) -> None:
    with timed("building the queue anew"):
        pending.build(project)
    say(f"{pending.disputed(project).count()} disputed, {pending.agreed(project).count()} agreed")
    client = Client(SERVER_NAME="localhost")
    client.force_login(lead)
    client.get("/")  # what a process does once, such as reading its templates, is no part of the queue

    def get(name: str, **query: str) -> Callable[[], None]:
        def look() -> None:
            assert client.get(reverse(name, args=[project.slug]), query).status_code == 200

        return look

    for what, query in QUERIES.items():
        _least(f"page of the queue, {what}", get("adjudicate", **query))
    _least("next of the queue, the one before passed by", lambda: _next(project, lead))
    for page in ("1", "last"):
        _least(f"list of the disputed, page {page}", get("items", stage="disputed", page=page))
    _least("where the items stand", get("project"))
    _least("what all agree on", get("consensus"))
    _least("deciding", lambda: _decide(project, lead))
    _least("revising a label", lambda: _revise(project))


def _least(what: str, act: Callable[[], object]) -> None:
    """Do it some times, and print each: the first look may be the slowest."""
    for n in range(TIMES):
        if n in (0, TIMES - 1):
            with timed(f"{what}, {'first' if not n else 'last'} of {TIMES}"):
                act()
        else:
            act()


def _next(project: Project, lead: User) -> None:
    first = contests.claim(project, lead, Wanted())
    assert first is not None
    contests.claim(project, lead, Wanted(), after=first.pk)


def _decide(project: Project, lead: User) -> None:
    solution = contests.claim(project, lead, Wanted())
    assert solution is not None
    decide(solution, lead, Decision(Outcome.GOLD, Verdict(correct=True), rationale="They overlooked the lemma."))


def _revise(project: Project) -> None:
    slot = Assignment.objects.filter(solution__in=pending.disputed(project)[:1].values("pk")).first()
    assert slot is not None
    assert slot.annotator is not None
    verdict = Verdict(correct=False, first_error=0, category="logic", reason="This does not follow from it.")
    revise(slot.pk, slot.annotator, Submission(uuid4(), verdict))
