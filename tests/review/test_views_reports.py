"""The reports of a campaign: open ones first, answered in words, skips taken back."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation import reports
from annotation.models import Project, Report, ReportKind, Skip, User
from tests.labels import solutions_of
from tests.pages import words

AsUser = Callable[[User], Client]
ADDRESS = "/p/trial/reports/"


@pytest.fixture
def desk(lead: User, as_user: AsUser) -> Client:
    return as_user(lead)


@pytest.fixture
def row(project: Project, annotators: list[User]) -> Report:
    return reports.report(annotators[0], solutions_of(project)[0], ReportKind.BROKEN_PROBLEM, "<i>No figure.</i>")


def test_a_report_stands_with_who_and_what(desk: Client, row: Report) -> None:
    page = desk.get(ADDRESS)
    assert "The problem is broken" in words(page)
    assert row.annotator.username in words(page)
    assert "&lt;i&gt;No figure.&lt;/i&gt;" in page.content.decode()


def test_an_answer_closes_it(desk: Client, row: Report, lead: User) -> None:
    answer = desk.post(f"{ADDRESS}{row.pk}/close/", {"answer": "The figure is not needed."}, follow=True)
    assert "Answered." in words(answer)
    assert "No open report." in words(answer)
    row.refresh_from_db()
    assert (row.closed_by, row.answer) == (lead, "The figure is not needed.")
    assert "The figure is not needed." in words(desk.get(ADDRESS, {"state": "all"}))


def test_a_skip_is_taken_back(desk: Client, project: Project, annotators: list[User]) -> None:
    row = reports.skip(annotators[0], solutions_of(project)[0], "Not my subject.")
    assert "Not my subject." in words(desk.get(ADDRESS))
    assert "The item is offered again." in words(desk.post(f"/p/trial/skips/{row.pk}/", follow=True))
    assert not Skip.objects.exists()


def test_reports_of_another_campaign_are_not_found(
    desk: Client, row: Report, make_project: Callable[..., Project], annotators: list[User]
) -> None:
    make_project(1, slug="other")
    assert "No figure." not in words(desk.get("/p/other/reports/"))
    assert desk.post(f"/p/other/reports/{row.pk}/close/", {"answer": "No."}).status_code == 404
    row.refresh_from_db()
    assert row.closed_at is None


def test_annotators_are_refused(row: Report, annotators: list[User], as_user: AsUser) -> None:
    client = as_user(annotators[0])
    assert client.get(ADDRESS).status_code == 403
    assert client.post(f"{ADDRESS}{row.pk}/close/", {"answer": "No."}).status_code == 403
    row.refresh_from_db()
    assert row.closed_at is None
