"""Setting up campaigns on pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Project, User
from tests.pages import words

AsUser = Callable[[User], Client]


def filled(project: Project | None = None, **changes: Any) -> dict[str, Any]:
    """A form as a lead fills it in."""
    policy = {
        "name": "Physics", "slug": "physics", "description": "Waves.", "members": [], "overlap": 2, "lease_minutes": 30,
        "categories": "calculation\nlogic", "min_reason": 10, "after_error": "unlabelled", "daily_goal": 0,
    }  # fmt: skip
    if project:
        policy |= {"name": project.name, "slug": project.slug, "overlap": project.overlap}
        policy["members"] = [member.pk for member in project.members.all()]
    return policy | changes


def test_annotators_see_their_campaigns_and_leads_all(
    make_project: Callable[..., Project], annotators: list[User], lead: User, make_user: Any, as_user: AsUser
) -> None:
    make_project(0, slug="first")
    make_project(0, slug="second").members.remove(annotators[0])
    home = reverse("home")
    assert "First" in words(as_user(annotators[0]).get(home))
    assert "Second" not in words(as_user(annotators[0]).get(home))
    assert "Second" in words(as_user(lead).get(home))
    assert "not a member of any project" in words(as_user(make_user("stranger")).get(home))


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_as_many_queries_for_one_as_for_many(
    make_project: Callable[..., Project], lead: User, as_user: AsUser, django_assert_num_queries: Any, rows: int
) -> None:
    for n in range(rows):
        make_project(0, slug=f"p{n}")
    client = as_user(lead)
    with django_assert_num_queries(5):
        client.get(reverse("home"))


def test_a_lead_sets_up_a_campaign_and_is_led_to_it(lead: User, annotators: list[User], as_user: AsUser) -> None:
    client = as_user(lead)
    answer = client.post(reverse("new-project"), filled(members=[annotators[0].pk]))
    project = Project.objects.get()
    assert answer["Location"] == reverse("project", args=["physics"])
    assert (project.name, project.categories) == ("Physics", ["calculation", "logic"])
    assert list(project.members.all()) == annotators[:1]
    assert "Import problems next" in words(client.get(answer["Location"]))


def test_a_project_without_a_short_name_gets_one_from_its_name(lead: User, as_user: AsUser) -> None:
    client = as_user(lead)
    for name in ("Waves & Light!", "Waves, light", "物理"):
        client.post(reverse("new-project"), filled(name=name, slug=""))
    assert list(Project.objects.order_by("pk").values_list("slug", flat=True)) == [
        "waves-light", "waves-light-2", "project",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "overlap", "every_step", "reference"),
    [("", 2, False, False), ("mr-ben", 2, False, True), ("processbench", 3, False, True), ("prm800k", 1, True, False),
     ("unheard-of", 2, False, False)],
)  # fmt: skip
def test_a_new_project_can_start_from_the_policy_of_a_benchmark(
    lead: User, as_user: AsUser, preset: str, overlap: int, every_step: bool, reference: bool
) -> None:
    page = as_user(lead).get(reverse("new-project"), {"preset": preset})
    shown = [page.context["form"][name].value() for name in ("overlap", "every_step", "show_reference")]
    assert shown == [overlap, every_step, reference]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "required"),
        ({"slug": "two words"}, "slug"),
        ({"slug": "trial"}, "already exists"),
        ({"overlap": 0}, "greater than or equal to 1"),
        ({"categories": " \n "}, "required"),
        ({"categories": "logic\nlogic"}, "twice"),
        ({"members": [4711]}, "valid choice"),
    ],
)
def test_a_form_with_faults_comes_back_with_what_was_typed(
    project: Project, lead: User, as_user: AsUser, change: dict[str, Any], said: str
) -> None:
    answer = as_user(lead).post(reverse("new-project"), filled(**change))
    assert answer.status_code == 422
    assert said in words(answer)
    assert "Waves." in words(answer)
    assert Project.objects.count() == 1


def test_settings_change_the_policy_and_open_further_slots(project: Project, lead: User, as_user: AsUser) -> None:
    url = reverse("settings", args=[project.slug])
    assert "Trial" in as_user(lead).get(url).content.decode()
    answer = as_user(lead).post(url, filled(project, overlap=3, slug="elsewhere"))
    project.refresh_from_db()
    assert answer["Location"] == reverse("project", args=["trial"])
    assert (project.slug, project.overlap, project.members.count()) == ("trial", 3, 3)
    assert Assignment.objects.count() == 9


def test_a_policy_that_the_work_forbids_is_refused_by_field(project: Project, lead: User, as_user: AsUser) -> None:
    answer = as_user(lead).post(reverse("settings", args=[project.slug]), filled(project, overlap=1))
    assert answer.status_code == 422
    assert "The overlap can be raised, not lowered" in words(answer)
    project.refresh_from_db()
    assert project.overlap == 2
