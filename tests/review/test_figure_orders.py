"""Ordering figures: one refresh of a campaign waits or runs at a time, however many pages ask."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotation.models import Project
from review.figure_orders import order
from tests.at_once import at_once


@pytest.fixture(autouse=True)
def _workers_of_their_own(settings: Any) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}


@pytest.mark.django_db(transaction=True)
def test_pages_that_ask_in_the_same_moment_order_once(project: Project) -> None:
    at_once(*[lambda: order(project)] * 6)
    assert DBTaskResult.objects.count() == 1


def test_an_order_waits_for_the_one_before(make_project: Callable[..., Project]) -> None:
    project, other = make_project(1), make_project(1, slug="other")
    order(project)
    order(project, "subject")
    order(other)
    assert [task.args_kwargs["args"] for task in DBTaskResult.objects.order_by("enqueued_at")] == [
        [project.pk, ""], [other.pk, ""]
    ]  # fmt: skip
    mine = DBTaskResult.objects.filter(args_kwargs__args__0=project.pk)
    mine.update(status="RUNNING", started_at=timezone.now())
    order(project, "subject")
    assert mine.count() == 1
    mine.update(status="SUCCESSFUL")
    order(project, "subject")
    assert mine.count() == 2


def test_a_worker_that_died_does_not_stop_the_next(project: Project) -> None:
    order(project)
    DBTaskResult.objects.update(status="RUNNING", started_at=timezone.now() - timedelta(minutes=6))
    order(project)
    assert DBTaskResult.objects.count() == 2
