"""The workbench: an item on every visit, the next in the answer to a submission, and no text ever lost."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.intake import take_in
from annotation.models import Annotation, Assignment, Project, Solution, User
from annotation.verdicts import Verdict
from tests.conftest import solution_record
from tests.labels import RIGHT, say, solutions_of
from tests.pages import HTMX, fields, is_whole, text_in, words

AsUser = Callable[[User], Client]
URL = reverse("label", args=["trial"])
REASON = "The second part does not follow."
WRONG = {
    "correct": "false", "first_error": "1", "placement": "at", "category": "logic",
    "reason": REASON, "rectified": "So.",
}  # fmt: skip


@pytest.fixture
def ana(project: Project, annotators: list[User], as_user: AsUser) -> Client:
    return as_user(annotators[0])


def held_by(annotator: User) -> Assignment:
    return Assignment.objects.get(annotator=annotator, submitted_at=None)


def sent(client: Client, typed: dict[str, str], **options: Any) -> Any:
    """Fill in the form of a fresh page and send it."""
    return client.post(URL, fields(client.get(URL)) | typed, **options)


def test_a_visit_reserves_an_item_and_shows_it(project: Project, ana: Client, annotators: list[User]) -> None:
    page = ana.get(URL)
    slot = held_by(annotators[0])
    assert is_whole(page)
    for text in (slot.solution.problem.question, "part 0 of 0", "Step 1", "Answer", "one", "two"):
        assert text in words(page)
    assert fields(page)["assignment"] == str(slot.pk)
    assert ana.get(URL).context["slot"] == slot, "the same item at the next visit"
    assert page["Cache-Control"].startswith("max-age=0")


def test_with_htmx_the_next_item_is_in_the_answer(project: Project, ana: Client, annotators: list[User]) -> None:
    page = ana.get(URL)
    first = held_by(annotators[0])
    answer = ana.post(URL, fields(page) | WRONG | {"active_seconds": "17"}, headers=HTMX)
    assert (answer.status_code, is_whole(answer)) == (200, False)
    label = Annotation.objects.get()
    assert label.verdict == Verdict(False, 1, "at", "logic", REASON, "So.")
    assert (label.assignment, label.active_seconds) == (first, 17)
    second = held_by(annotators[0])
    assert second.solution != first.solution
    assert fields(answer)["assignment"] == str(second.pk)
    assert fields(answer)["key"] != fields(page)["key"]
    assert text_in(answer, "reason") == ""


def test_logging_out_gives_the_item_back(ana: Client, annotators: list[User]) -> None:
    ana.get(URL)
    assert Assignment.objects.filter(annotator=annotators[0]).exists()
    ana.post(reverse("logout"))
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_without_scripts_the_same_form_works(ana: Client, annotators: list[User]) -> None:
    answer = sent(ana, {"correct": "true"})
    assert (answer.status_code, answer["Location"]) == (302, URL)
    assert Annotation.objects.get().verdict == RIGHT


def test_what_was_typed_before_choosing_correct_does_not_count(ana: Client) -> None:
    sent(ana, WRONG | {"correct": "true"})
    assert Annotation.objects.get().verdict == RIGHT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"correct": ""}, "Say whether the solution is correct."),
        ({"first_error": ""}, "first erroneous step"),
        ({"first_error": "4"}, "Select a valid choice"),
        ({"category": ""}, "Choose what kind of error it is."),
        ({"category": "astrology"}, "Select a valid choice"),
        ({"reason": "no"}, "at least 5 characters"),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_a_label_with_a_fault_comes_back_with_every_word(
    ana: Client, annotators: list[User], change: dict[str, str], said: str, headers: dict[str, str]
) -> None:
    page = ana.get(URL)
    typed = WRONG | change
    answer = ana.post(URL, fields(page) | typed, headers=headers)
    assert (answer.status_code, is_whole(answer)) == (422, not headers)
    assert said in words(answer)
    assert (text_in(answer, "reason"), text_in(answer, "rectified")) == (typed["reason"], "So.")
    assert fields(answer)["key"] == fields(page)["key"], "the repaired form is still the same submission"
    assert not Annotation.objects.exists()
    assert held_by(annotators[0])


def test_an_item_that_went_to_others_keeps_the_text(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    make_project(1, overlap=1)
    ana = as_user(annotators[0])
    page = ana.get(URL)
    Assignment.objects.update(lease_ends_at=timezone.now() - timedelta(minutes=1))
    sent(as_user(annotators[1]), {"correct": "true"})
    answer = ana.post(URL, fields(page) | WRONG, headers=HTMX)
    assert answer.status_code == 422
    assert "somebody else has taken this item" in words(answer)
    assert text_in(answer, "reason") == REASON
    assert Annotation.objects.count() == 1


def test_an_item_a_lead_has_decided_says_so(ana: Client) -> None:
    page = ana.get(URL)
    Solution.objects.update(settled_at=timezone.now())
    answer = ana.post(URL, fields(page) | WRONG, headers=HTMX)
    assert answer.status_code == 422
    assert "already decided" in words(answer)


def test_the_same_form_sent_twice_is_one_label_and_no_fault(ana: Client, annotators: list[User]) -> None:
    form = fields(ana.get(URL)) | WRONG
    first, second = ana.post(URL, form, headers=HTMX), ana.post(URL, form, headers=HTMX)
    assert [answer.status_code for answer in (first, second)] == [200, 200]
    assert Annotation.objects.count() == 1
    assert fields(first)["assignment"] == fields(second)["assignment"]


def test_when_nothing_is_open_it_says_why(project: Project, ana: Client, annotators: list[User]) -> None:
    for solution in solutions_of(project):
        say(solution, annotators[0], RIGHT)
    page = ana.get(URL)
    assert page.status_code == 200
    assert "You have labelled every item that is open to you" in words(page)
    assert "You have labelled 3 items" in words(page)


def test_correct_against_the_key_is_asked_twice(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    project = make_project(0)
    take_in(project, [solution_record(0, final_answer="B")])
    ana = as_user(annotators[0])
    page = ana.get(URL)
    assert "That is not the key’s answer." in words(page)
    assert "confirm_conflict" not in page.content.decode()
    form = fields(page) | {"correct": "true"}
    asked = ana.post(URL, form, headers=HTMX)
    assert asked.status_code == 422
    assert 'name="confirm_conflict"' in asked.content.decode()
    assert not Annotation.objects.exists()
    assert ana.post(URL, form | {"confirm_conflict": "on"}, headers=HTMX).status_code == 200
    assert Annotation.objects.get().answer_conflict_confirmed


def test_the_key_is_shown_only_where_the_policy_says_so(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    make_project(1, show_answer_key=False)
    page = words(as_user(annotators[0]).get(URL))
    assert "answer key" not in page
    assert "agrees with the key" not in page


def test_hostile_texts_are_shown_not_run(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    project = make_project(1)
    Solution.objects.get().steps.update(text="<script>alert(1)</script><img src=x onerror=alert(1)>")
    project.problems.update(question="<b onclick=alert(1)>bold</b> {{ settings.SECRET_KEY }}")
    page = as_user(annotators[0]).get(URL).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<b onclick" not in page
    assert "&lt;script&gt;" in page
    assert "{{ settings.SECRET_KEY }}" in page


@pytest.mark.parametrize("assignment", ["", "0", "abc", "9" * 30, "4711"])
def test_a_slot_that_is_not_there_is_not_found(ana: Client, assignment: str) -> None:
    typed = WRONG | {"assignment": assignment, "key": str(uuid.uuid4())}
    assert ana.post(URL, typed).status_code == 404


def test_a_slot_of_another_campaign_is_not_found(
    make_project: Callable[..., Project], ana: Client, annotators: list[User]
) -> None:
    other = make_project(1, slug="other")
    slot = Assignment.objects.filter(solution__problem__project=other).first()
    assert slot is not None
    typed = WRONG | {"assignment": str(slot.pk), "key": str(uuid.uuid4())}
    assert ana.post(URL, typed).status_code == 404


@pytest.mark.parametrize("steps", [1, 3])
def test_an_item_takes_as_many_queries_with_one_step_as_with_many(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser, django_assert_num_queries: Any,
    steps: int,
) -> None:  # fmt: skip
    project = make_project(0)
    take_in(project, [solution_record(0, steps=steps)])
    ana = as_user(annotators[0])
    ana.get(URL)
    with django_assert_num_queries(19):
        ana.get(URL)
