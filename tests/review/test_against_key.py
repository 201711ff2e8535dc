"""Labels that say correct against the answer key: counted for each annotator, and opened down to their items."""

import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation import submission
from annotation.assignments import claim_next
from annotation.models import Project, Solution, User
from annotation.submission import Submission, submit
from annotation.verdicts import Verdict
from tests.labels import RIGHT, wrong
from tests.pages import words

AsUser = Callable[[User], Client]


def confirmed(verdict: Verdict) -> Submission:
    return Submission(uuid.uuid4(), verdict, answer_conflict_confirmed=True)


@pytest.fixture
def project(make_project: Callable[..., Project], annotators: list[User]) -> Project:
    """Ana confirms two of three items against the key, and takes one of these labels back; Ben finds an error."""
    made = make_project(3)
    Solution.objects.filter(pk__in=Solution.objects.order_by("pk").values("pk")[:2]).update(final_answer="B")
    ana, ben, _chen = annotators
    slots = []
    for annotator, verdict in ((ana, RIGHT), (ana, RIGHT), (ana, RIGHT), (ben, wrong(1))):
        slots.append(claim_next(annotator, made))
        submit(slots[-1].pk, annotator, confirmed(verdict) if len(slots) != 3 else Submission(uuid.uuid4(), verdict))
    submission.revise(slots[1].pk, ana, confirmed(wrong(0)))
    return made


def test_each_annotator_has_their_number(project: Project, lead: User, as_user: AsUser) -> None:
    page = words(as_user(lead).get(reverse("project", args=["trial"])))
    assert "ana 3 " in page
    table = as_user(lead).get(reverse("project", args=["trial"])).context["annotators"]
    assert {row.username: row.against_key for row in table} == {"ana": 1, "ben": 0, "chen": 0}


def test_the_number_opens_to_its_items(project: Project, annotators: list[User], lead: User, as_user: AsUser) -> None:
    address = f"{reverse('items', args=['trial'])}?against_key={annotators[0].pk}"
    assert address in as_user(lead).get(reverse("project", args=["trial"])).content.decode()
    page = as_user(lead).get(address)
    assert "ana says correct, against the key" in words(page)
    assert [row.problem.question for row in page.context["page_obj"]] == ["Question 0?"]


@pytest.mark.parametrize("who", ["0", "nobody", "9" * 30])
def test_nobody_has_no_items(project: Project, lead: User, as_user: AsUser, who: str) -> None:
    page = as_user(lead).get(reverse("items", args=["trial"]), {"against_key": who})
    assert page.status_code == 200
    assert not page.context["page_obj"].object_list
