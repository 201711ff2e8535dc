"""Opening one's own label again: filled in, kept in versions, possible until a lead has decided."""

import re
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import drafts
from annotation.models import AfterError, Annotation, Assignment, Project, User
from annotation.submission import Submission, submit
from tests.labels import RIGHT, say, solutions_of, wrong
from tests.pages import HTMX, fields, text_in, words

AsUser = Callable[[User], Client]
OTHERWISE = {"correct": "false", "first_error": "2", "placement": "at", "category": "fact", "reason": "It is not so."}


@pytest.fixture
def label(project: Project, annotators: list[User]) -> Annotation:
    return say(solutions_of(project)[0], annotators[0], wrong(1, reason="This does not follow.", rectified="So."))


@pytest.fixture
def ana(label: Annotation, annotators: list[User], as_user: AsUser) -> Client:
    return as_user(annotators[0])


def page_of(label: Annotation) -> str:
    return reverse("revise", args=["trial", label.assignment_id])


def versions(label: Annotation) -> list[tuple[int, int | None, str]]:
    rows = Annotation.objects.filter(assignment=label.assignment_id).order_by("revision")
    return list(rows.values_list("revision", "first_error", "reason"))


def test_the_label_stands_in_the_form_as_it_was_given(ana: Client, label: Annotation) -> None:
    page = ana.get(page_of(label))
    assert text_in(page, "reason") == "This does not follow."
    assert text_in(page, "rectified") == "So."
    html = page.content.decode()
    assert 'name="first_error" value="1" checked' in html
    assert 'name="category" value="logic" checked' in html


def test_a_revision_is_a_further_version(ana: Client, label: Annotation) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE
    assert ana.post(page_of(label), sent).headers["Location"] == reverse("label", args=["trial"])
    assert versions(label) == [(1, 1, "This does not follow."), (2, 2, "It is not so.")]
    assert "✗ Step 2. This does not follow." in words(ana.get(page_of(label)))
    ana.post(page_of(label), fields(ana.get(page_of(label))) | {"correct": "true"})
    history = words(ana.get(page_of(label))).split("Earlier versions")[1]
    assert re.findall(r"✗ Step \d|: Correct", history) == [": Correct", "✗ Step 3", "✗ Step 2"]


def test_the_same_revision_sent_twice_is_one(ana: Client, label: Annotation) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE
    ana.post(page_of(label), sent)
    ana.post(page_of(label), sent)
    assert len(versions(label)) == 2


def test_with_htmx_the_address_goes_back_to_the_queue(ana: Client, label: Annotation) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE
    answer = ana.post(page_of(label), sent, headers=HTMX, follow=True)
    assert answer.headers["HX-Replace-Url"] == reverse("label", args=["trial"])


def test_a_revision_with_a_fault_comes_back_with_every_word(ana: Client, label: Annotation) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE | {"reason": "No."}
    answer = ana.post(page_of(label), sent)
    assert answer.status_code == 422
    assert text_in(answer, "reason") == "No."
    assert len(versions(label)) == 1


def test_a_decided_label_is_not_revised(ana: Client, label: Annotation) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE
    solution = label.assignment.solution
    solution.settled_at = timezone.now()
    solution.save()
    answer = ana.post(page_of(label), sent)
    assert answer.status_code == 422
    assert "already decided" in words(answer)
    assert len(versions(label)) == 1


def test_a_draft_of_a_revision_comes_before_the_label(ana: Client, label: Annotation, annotators: list[User]) -> None:
    drafts.save(annotators[0], label.assignment.solution, {"correct": "false", "reason": "Half a thought"}, 0)
    assert text_in(ana.get(page_of(label)), "reason") == "Half a thought"


def test_a_revision_on_top_of_an_older_draft_is_held_back(
    ana: Client, label: Annotation, annotators: list[User]
) -> None:
    sent = fields(ana.get(page_of(label))) | OTHERWISE | {"draft_base": "0"}
    drafts.save(annotators[0], label.assignment.solution, {"reason": "From the other tab"}, 0)
    assert ana.post(page_of(label), sent).status_code == 409
    assert len(versions(label)) == 1


def test_marks_of_every_step_stand_in_the_form(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    project = make_project(1, slug="steps", every_step=True, after_error=AfterError.LABELLED)
    slot = Assignment.objects.filter(solution__problem__project=project)[0]
    marks = {0: 1, 1: 0, 2: -1, 3: 1}
    submit(slot.pk, annotators[0], Submission(uuid.uuid4(), wrong(2), step_labels=marks))
    html = as_user(annotators[0]).get(reverse("revise", args=["steps", slot.pk])).content.decode()
    for position, value in marks.items():
        assert f'name="step_{position}" value="{value}" checked' in html


def test_a_confirmed_contradiction_stays_confirmed(
    make_project: Callable[..., Project], annotators: list[User], as_user: AsUser
) -> None:
    project = make_project(1, slug="sums")
    solution = solutions_of(project)[0]
    solution.final_answer = "B"
    solution.save()
    slot = solution.assignments.all()[0]
    submit(slot.pk, annotators[0], Submission(uuid.uuid4(), RIGHT, answer_conflict_confirmed=True))
    client, address = as_user(annotators[0]), reverse("revise", args=["sums", slot.pk])
    assert 'data-key="y" checked' in client.get(address).content.decode()


def test_the_labels_of_others_are_not_found(
    ana: Client, label: Annotation, annotators: list[User], project: Project
) -> None:
    theirs = say(solutions_of(project)[0], annotators[1], RIGHT)
    assert ana.get(page_of(theirs)).status_code == 404
    assert ana.post(page_of(theirs), OTHERWISE).status_code == 404
