"""Where a campaign stands, its items by filter, and one item with all that was said of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project, User
from review import pending
from review.adjudication import Decision, decide
from review.models import Outcome
from tests.labels import RIGHT, say_all, solutions_of, wrong
from tests.pages import words

AsUser = Callable[[User], Client]
ITEMS = reverse("items", args=["trial"])


@pytest.fixture
def staged(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Project:
    """One item at each stage: unlabelled, part, disputed, agreed, decided."""
    ana, ben, _chen = annotators
    project = make_project(5)
    solutions = say_all(
        project,
        {
            1: {ana: RIGHT},
            2: {ana: RIGHT, ben: wrong(1, reason="The sum is lost.")},
            3: {ana: wrong(0), ben: wrong(0)},
            4: {ana: RIGHT, ben: RIGHT},
        },
    )
    decide(solutions[4], lead, Decision(Outcome.GOLD, RIGHT))
    return project


def shown(client: Client, **query: Any) -> list[int]:
    """Places of the items a list shows."""
    page = client.get(ITEMS, query).context["page_obj"]
    order = [solution.pk for solution in solutions_of(Project.objects.get(slug="trial"))]
    return [order.index(row.pk) for row in page]


def test_a_lead_sees_every_stage_with_its_number(staged: Project, lead: User, as_user: AsUser) -> None:
    page = as_user(lead).get(reverse("project", args=["trial"]))
    stages = [(str(name), n) for _stage, name, n in page.context["stages"]]
    assert stages == [
        ("Unlabelled", 1), ("Partly labelled", 1), ("Back with its annotators", 0), ("Disputed", 1),
        ("Agreed, to be confirmed", 1), ("Decided", 1),
    ]  # fmt: skip
    for text in ("7 of 10 labels submitted", "ana", "ben", "All 5"):
        assert text in words(page)


def test_seconds_count_once_for_whoever_labels_in_several_campaigns(
    staged: Project, annotators: list[User], make_project: Callable[..., Project], lead: User, as_user: AsUser
) -> None:
    for slug in ("second", "third"):
        say_all(make_project(1, slug=slug), {0: {annotators[0]: RIGHT}})
    page = as_user(lead).get(reverse("project", args=["trial"]))
    ana = page.context["annotators"].get(username="ana")
    assert (ana.submitted, ana.seconds) == (4, 120), "thirty seconds a label"


def test_an_annotator_sees_their_own_part_only(staged: Project, annotators: list[User], as_user: AsUser) -> None:
    page = words(as_user(annotators[0]).get(reverse("project", args=["trial"])))
    assert "You have submitted 4, 4 of them today." in page
    for hidden in ("Disputed", "ben", "Recent work", "Import"):
        assert hidden not in page


@pytest.mark.parametrize("stage", ["unlabelled", "part", "disputed", "agreed", "decided"])
def test_a_stage_lists_the_items_it_counts(staged: Project, lead: User, as_user: AsUser, stage: str) -> None:
    place = ["unlabelled", "part", "disputed", "agreed", "decided"].index(stage)
    assert shown(as_user(lead), stage=stage) == [place]


def test_items_are_found_by_id_number_and_words(staged: Project, lead: User, as_user: AsUser) -> None:
    client, third = as_user(lead), solutions_of(staged)[3]
    assert shown(client, q=third.item_id) == [3]
    assert shown(client, q="p3") == [3]
    assert shown(client, q=" question 3") == [3]
    assert shown(client, q="nothing like it") == []
    assert "No item fits" in words(client.get(ITEMS, {"q": "nothing like it"}))


def test_items_are_filtered_by_subject_and_by_figure(staged: Project, lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    staged.problems.filter(external_id__in=["p2", "p4"]).update(subject="biology")
    assert shown(client, subject="biology") == [2, 4]
    assert shown(client, figure="correctness") == [2, 3, 4]
    assert shown(client, figure="correctness", outcome="differs") == [2]
    assert shown(client, figure="correctness", outcome="agrees", subject="math") == [3]
    assert shown(client, figure="category") == [3]


@pytest.mark.parametrize("query", [{"stage": "nowhere"}, {"figure": "unheard"}, {"page": "zero"}, {"page": "99"}])
def test_a_filter_that_is_none_shows_everything(
    staged: Project, lead: User, as_user: AsUser, query: dict[str, str]
) -> None:
    assert len(shown(as_user(lead), **query)) == 5


def test_long_lists_have_pages_that_keep_the_filter(
    make_project: Callable[..., Project], lead: User, as_user: AsUser
) -> None:
    make_project(51)
    client = as_user(lead)
    assert len(shown(client, subject="math")) == 50
    assert shown(client, subject="math", page="2") == [50]
    page = client.get(ITEMS, {"subject": "math"})
    assert "Page 1 of 2, 51 in all" in words(page)
    assert "subject=math&amp;page=2" in page.content.decode()


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_as_many_queries_for_one_as_for_many(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser,
    django_assert_num_queries: Any, rows: int,
) -> None:  # fmt: skip
    project = make_project(rows)
    say_all(project, {n: {annotators[0]: RIGHT, annotators[1]: wrong(0)} for n in range(rows)})
    client = as_user(lead)
    with django_assert_num_queries(9):
        client.get(ITEMS)


@pytest.mark.parametrize("rows", [1, 3])
def test_progress_takes_as_many_queries_for_one_as_for_many(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser,
    django_assert_num_queries: Any, rows: int,
) -> None:  # fmt: skip
    project = make_project(rows)
    say_all(project, {n: {annotators[0]: RIGHT, annotators[1]: wrong(0)} for n in range(rows)})
    client = as_user(lead)
    pending.build(project)
    with django_assert_num_queries(15):
        client.get(reverse("project", args=["trial"]))


def test_one_item_shows_everything_said_and_decided(staged: Project, lead: User, as_user: AsUser) -> None:
    solution = solutions_of(staged)[2]
    decide(solution, lead, Decision(Outcome.OPEN, rationale="Ask the physicist."))
    page = words(as_user(lead).get(reverse("item", args=["trial", solution.pk])))
    for text in ("ana", "ben", "incorrect at Step 2", "The sum is lost.", "Kept open", "Ask the physicist.", "lena"):
        assert text in page


def test_an_item_of_another_campaign_is_not_found(
    staged: Project, make_project: Callable[..., Project], lead: User, as_user: AsUser
) -> None:
    (stranger,) = solutions_of(make_project(1, slug="other"))
    assert as_user(lead).get(reverse("item", args=["trial", stranger.pk])).status_code == 404
