"""Setting up campaigns: what is refused, and what a changed policy opens."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotation.models import Assignment, Project, User
from annotation.projects import PolicyError, change_policy, create_project
from tests.labels import solutions_of


def test_a_new_campaign_has_its_members(annotators: list[User]) -> None:
    project = create_project(Project(slug="physics", name="Physics"), annotators[:2])
    assert list(project.members.order_by("username")) == annotators[:2]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"name": ""}, "name"),
        ({"slug": "two words"}, "slug"),
        ({"overlap": 0}, "overlap"),
        ({"overlap": 21}, "overlap"),
        ({"lease_minutes": 1}, "lease_minutes"),
    ],
)
def test_an_impossible_policy_is_refused_by_field(parts: dict[str, object], field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        create_project(Project(**{"slug": "physics", "name": "Physics"} | parts))
    assert list(refusal.value.message_dict) == [field]
    assert not Project.objects.exists()


def test_a_name_is_taken_once(project: Project) -> None:
    with pytest.raises(ValidationError, match="already exists"):
        create_project(Project(slug=project.slug, name="Another"))


def test_a_larger_overlap_reopens_only_what_is_not_decided(
    project: Project, annotators: list[User], lead: User
) -> None:
    decided, *others = solutions_of(project)
    decided.settled_at = timezone.now()
    decided.save()
    project.overlap = 4
    change_policy(project, annotators, lead)
    assert decided.assignments.count() == 2
    assert [each.assignments.count() for each in others] == [4, 4]


def test_a_refused_change_leaves_policy_and_members(project: Project, annotators: list[User], lead: User) -> None:
    project.overlap, project.name = 1, "Changed"
    with pytest.raises(PolicyError):
        change_policy(project, annotators[:1], lead)
    project.refresh_from_db()
    assert (project.overlap, project.name, project.members.count()) == (2, "Trial", 3)
    assert Assignment.objects.count() == 6
