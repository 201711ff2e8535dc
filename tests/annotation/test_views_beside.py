"""What the workbench asks for beside the label: drafts, leases, skips, reports, previews, raw text."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Draft, Project, Report, Skip, User
from annotation.views.beside import LARGEST_DRAFT
from tests.labels import RIGHT, say, solutions_of
from tests.pages import HTMX, fields, is_whole, words

AsUser = Callable[[User], Client]
LABEL = reverse("label", args=["trial"])
CONTENT = {"correct": "false", "reason": "Because."}


@pytest.fixture
def ana(project: Project, annotators: list[User], as_user: AsUser) -> Client:
    """The first annotator, who has taken an item."""
    client = as_user(annotators[0])
    client.get(LABEL)
    return client


@pytest.fixture
def slot(ana: Client, annotators: list[User]) -> Assignment:
    return Assignment.objects.get(annotator=annotators[0])


def at(name: str, slot: Assignment) -> str:
    return reverse(name, args=["trial", slot.pk])


def save(client: Client, slot: Assignment, body: Any) -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    return client.post(at("draft", slot), text, content_type="application/json")


def test_a_draft_is_kept_and_with_it_the_lease(ana: Client, slot: Assignment) -> None:
    answer = save(ana, slot, {"base": 0, "content": CONTENT})
    assert answer.status_code == 200
    assert answer.json()["version"] == 1
    assert 44 * 60 < answer.json()["lease"]["seconds"] <= 45 * 60
    assert Draft.objects.get().content == CONTENT


def test_another_tabs_text_comes_back_as_a_conflict(ana: Client, slot: Assignment) -> None:
    save(ana, slot, {"base": 0, "content": CONTENT})
    answer = save(ana, slot, {"base": 0, "content": {"reason": "Another."}})
    assert answer.status_code == 409
    assert (answer.json()["version"], answer.json()["content"]) == (1, CONTENT)


@pytest.mark.parametrize(
    "body",
    ["", "no json", "[]", "null", '{"content": {}}', '{"base": "x", "content": {}}', '{"base": 0, "content": "text"}',
     '{"base": 0, "content": {}, "key": "no uuid"}', '{"base": 0, "content": {}, "key": 7}'],
)  # fmt: skip
def test_what_is_no_draft_is_refused(ana: Client, slot: Assignment, body: str) -> None:
    answer = save(ana, slot, body)
    assert answer.status_code == 400
    assert answer.json()["detail"] == "This is no draft." or "content" in body
    assert not Draft.objects.exists()


def test_a_draft_too_large_to_be_kept_is_refused(ana: Client, slot: Assignment) -> None:
    assert save(ana, slot, {"base": 0, "content": {"reason": "x" * LARGEST_DRAFT}}).status_code == 400
    assert save(ana, slot, {"base": 0, "content": {"reason": "x" * (LARGEST_DRAFT - 100)}}).status_code == 200


def test_a_draft_of_somebody_else_is_refused(ana: Client, slot: Assignment, annotators: list[User]) -> None:
    answer = save(ana, slot, {"base": 0, "content": CONTENT, "annotator": str(annotators[1].pk)})
    assert answer.status_code == 403
    assert not Draft.objects.exists()


def test_a_label_of_somebody_else_is_refused(ana: Client, slot: Assignment, annotators: list[User]) -> None:
    sent = fields(ana.get(LABEL)) | {"correct": "true", "annotator": str(annotators[1].pk)}
    assert ana.post(LABEL, sent).status_code == 403
    slot.refresh_from_db()
    assert slot.submitted_at is None


def test_a_label_on_top_of_an_older_draft_is_held_back(ana: Client, slot: Assignment) -> None:
    sent = fields(ana.get(LABEL)) | {"correct": "true", "draft_base": "0"}
    save(ana, slot, {"base": 0, "content": CONTENT})
    answer = ana.post(LABEL, sent, headers=HTMX)
    assert answer.status_code == 409
    assert answer.json()["content"] == CONTENT
    assert ana.post(LABEL, sent | {"draft_base": "1"}, headers=HTMX).status_code == 200


def test_a_lease_is_renewed(ana: Client, slot: Assignment) -> None:
    before = slot.lease_ends_at
    answer = ana.post(at("lease", slot))
    slot.refresh_from_db()
    assert slot.lease_ends_at is not None
    assert before is not None
    assert slot.lease_ends_at > before
    assert answer.json()["lease"]["seconds"] > 0


def test_a_lease_that_went_to_somebody_else_is_not(ana: Client, slot: Assignment, annotators: list[User]) -> None:
    Assignment.objects.filter(pk=slot.pk).update(annotator=annotators[1])
    assert ana.post(at("lease", slot)).json() == {"lease": None}
    assert save(ana, slot, {"base": 0, "content": CONTENT}).json() == {"version": 1, "lease": None}


@pytest.mark.parametrize("name", ["skip", "report"])
def test_a_panel_is_a_part_for_htmx_and_a_page_without(ana: Client, slot: Assignment, name: str) -> None:
    whole, part = ana.get(at(name, slot)), ana.get(at(name, slot), headers=HTMX)
    assert (is_whole(whole), is_whole(part)) == (True, False)
    assert "<form" in part.content.decode()


def test_skipping_without_a_reason_comes_back(ana: Client, slot: Assignment) -> None:
    answer = ana.post(at("skip", slot), {"reason": " "})
    assert answer.status_code == 422
    assert "Say in a word why you skip it." in words(answer)
    assert not Skip.objects.exists()


def test_skipping_goes_on_to_the_next(ana: Client, slot: Assignment) -> None:
    assert ana.post(at("skip", slot), {"reason": "No."}).headers["Location"] == LABEL
    assert "Question 1?" in words(ana.get(LABEL))


@pytest.mark.parametrize("sent", [{}, {"kind": "wrong-key"}, {"kind": "no-kind", "comment": "It is wrong."}])
def test_a_report_with_a_fault_comes_back(ana: Client, slot: Assignment, sent: dict[str, str]) -> None:
    assert ana.post(at("report", slot), sent).status_code == 422
    assert not Report.objects.exists()


def test_a_report_that_says_too_little_comes_back(ana: Client, slot: Assignment) -> None:
    answer = ana.post(at("report", slot), {"kind": "wrong-key", "comment": "bad"})
    assert answer.status_code == 422
    assert "Say what is wrong, so that a lead can act on it." in words(answer)


def test_a_preview_is_set_and_safe(ana: Client, slot: Assignment) -> None:
    answer = ana.post(at("preview", slot), {"part": "reason", "reason": "<b>$x$</b>"}).content.decode()
    assert "&lt;b&gt;" in answer
    assert "<b>" not in answer


def test_a_preview_of_nothing_is_empty(ana: Client, slot: Assignment) -> None:
    sent = {"part": "reason", "reason": "  ", "first_error": "1"}
    assert ana.post(at("preview", slot), sent).content.decode().strip() == ""


def test_a_rectified_step_is_not_doubted(ana: Client, slot: Assignment) -> None:
    copied = {"part": "rectified", "rectified": "part 1 of 0, see step 1", "first_error": "1"}
    assert "notice" not in ana.post(at("preview", slot), copied).content.decode()


def test_raw_text_shows_problem_options_and_solution(ana: Client, slot: Assignment) -> None:
    problem = slot.solution.problem
    problem.options[1]["text"] = "tw\u200bo"
    problem.save()
    shown = words(ana.get(at("raw", slot)))
    assert "Question 0?" in shown
    assert "A one B tw ZWSP o" in shown
    assert "Step 1: part 0 of 0" in shown


@pytest.mark.parametrize("policy", [True, False])
def test_raw_text_shows_the_reference_only_where_the_policy_does(ana: Client, slot: Assignment, policy: bool) -> None:
    problem = slot.solution.problem
    problem.reference_solution = "As everyone knows."
    problem.save()
    Project.objects.update(show_reference=policy)
    assert ("As everyone knows." in words(ana.get(at("raw", slot)))) == policy


@pytest.mark.parametrize("name", ["draft", "lease", "skip", "report", "preview", "raw"])
def test_only_members_come_in(
    slot: Assignment, lead: User, make_user: Callable[..., User], as_user: AsUser, name: str
) -> None:
    get = name in ("skip", "report", "raw")
    for who, status in ((lead, 403), (make_user("stranger"), 404)):
        client = as_user(who)
        assert (client.get if get else client.post)(at(name, slot)).status_code == status


def test_a_slot_of_another_campaign_is_not_found(
    ana: Client, make_project: Callable[..., Project], annotators: list[User]
) -> None:
    other = solutions_of(make_project(1, slug="other"))[0]
    say(other, annotators[1], RIGHT)
    assert ana.get(at("raw", other.assignments.all()[0])).status_code == 404
