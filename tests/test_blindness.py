"""No page, no endpoint and no search gives an annotator what another said of an item, nor what a file said of it."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from annotation.models import Annotation, Project, User
from annotation.verdicts import Verdict
from tests.addresses import HIDDEN, SECRET, SECRET_STEP, World, logged_in, make_world
from tests.labels import say, wrong
from tests.test_roles import MATRIX

SEARCHES = ("?q=fifty-six", "?stage=part", "?figure=correctness", "?page_size=500", "?state=open")
LISTS = ("items/", "mine/", "solutions/", "problems/", "annotations/", "disputes/", "adjudications/", "log/")


@pytest.fixture
def world(
    make_project: Callable[..., Project], annotators: list[User], make_user: Callable[..., User],
    django_capture_on_commit_callbacks: Any,
) -> World:  # fmt: skip
    return make_world(make_project, annotators, make_user, lambda: django_capture_on_commit_callbacks(execute=True))


def read(client: Client, url: str) -> str:
    """All that an address says."""
    response = client.get(url, follow=True)
    return str(response.headers) + response.getvalue().decode(errors="replace")


def everything(world: World, who: User) -> str:
    """All that the site says to somebody who opens every address, and searches where one can."""
    client = logged_in(who)
    found = []
    for route, (pk, _statuses) in MATRIX.items():
        for search in ("", *(SEARCHES if route.endswith(LISTS) else ())):
            with transaction.atomic():
                found.append(read(client, f"{world.filled(route, pk)}{search}"))
                transaction.set_rollback(True)
    return "\n".join(found)


def test_an_annotator_finds_nothing_of_another_label_before_submitting(world: World) -> None:
    text = everything(world, world.people["member"])
    assert world.solutions[0].item_id in text  # what they hold is there
    for hidden in (SECRET, SECRET_STEP, HIDDEN):
        assert hidden not in text


def test_an_annotator_finds_nothing_of_another_label_after_submitting_alone(world: World) -> None:
    project, ben = world.project, Annotation.objects.get(reason=SECRET).assignment.annotator
    assert ben is not None
    own = wrong(0, reason="My own words of the fault.")
    say_in_own_slot(world, own)
    theirs = everything(world, ben)
    assert own.reason not in theirs
    assert SECRET in theirs  # their own label is theirs to see
    assert SECRET not in everything(world, world.people["member"])
    assert project.members.count() == 3


def say_in_own_slot(world: World, verdict: Verdict) -> None:
    world.solutions[0].assignments.filter(pk=world.pks["slot"]).update(annotator=None)
    say(world.solutions[0], world.people["member"], verdict)


def test_a_lead_finds_all_of_it(world: World) -> None:
    text = everything(world, world.people["lead"])
    assert all(each in text for each in (SECRET, SECRET_STEP, HIDDEN))


def test_what_an_annotator_does_tells_them_nothing_of_others(world: World) -> None:
    client = logged_in(world.people["member"])
    slot = world.pks["slot"]
    answers = chain(
        [client.post("/api/projects/trial/claim/", {}, content_type="application/json")],
        (
            client.post(f"/api/assignments/{slot}/submit/", sent, content_type="application/json")
            for sent in ({}, {"key": "1f0e6a52-6d5c-4a9c-9a53-0e5b8f3f7c11", "correct": False, "first_error": 9})
        ),
        [client.post("/p/trial/label/", {"assignment": str(slot), "correct": "false"})],
    )
    text = "\n".join(answer.content.decode() for answer in answers)
    assert world.solutions[0].item_id in text
    assert not any(hidden in text for hidden in (SECRET, SECRET_STEP, HIDDEN))
