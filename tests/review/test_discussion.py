"""Talking about items without giving anything away too early."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.models import Assignment, Project, Solution, User
from annotation.verdicts import VerdictError
from review import discussion
from review.models import Mention
from tests.labels import RIGHT, say_all, solutions_of
from tests.pages import words


@pytest.fixture
def item(make_project: Callable[..., Project], annotators: list[User]) -> Solution:
    """Ana has submitted her label, Ben has not."""
    (solution,) = say_all(make_project(1), {0: {annotators[0]: RIGHT}})
    return solution


def test_annotators_see_and_say_something_only_once_their_label_is_in(
    item: Solution, annotators: list[User], lead: User
) -> None:
    project = item.problem.project
    discussion.say(project, lead, "Mind the second step.", solution=item)
    assert [comment.text for comment in discussion.about(annotators[0], item)] == ["Mind the second step."]
    with pytest.raises(discussion.NotYetVisible):
        discussion.about(annotators[1], item)
    with pytest.raises(discussion.NotYetVisible):
        discussion.say(project, annotators[1], "What do you think?", solution=item)


def test_a_mention_reaches_annotators_once_they_may_see_the_item(
    item: Solution, annotators: list[User], lead: User, make_user: Callable[..., User]
) -> None:
    make_user("stranger")
    ana, ben = annotators[:2]
    discussion.say(item.problem.project, lead, "@stranger, @nobody: what says @ana? Or @ben.", solution=item)
    assert [row.user for row in Mention.objects.order_by("user__username")] == [ana, ben]
    assert (discussion.unseen_mentions(ana).count(), discussion.unseen_mentions(ben).count()) == (1, 0)
    say_all(item.problem.project, {0: {ben: RIGHT}})
    assert discussion.unseen_mentions(ben).count() == 1


def test_every_page_counts_the_mentions_that_wait(
    item: Solution, annotators: list[User], lead: User, as_user: Callable[[User], Client]
) -> None:
    ana = as_user(annotators[0])
    discussion.say(item.problem.project, lead, "@ana?", solution=item)
    assert "Mentions 1" in words(ana.get("/"))
    ana.get(f"/p/trial/talk/{item.pk}/")
    assert "Mentions 1" not in words(ana.get("/"))


def test_a_lead_with_a_label_to_give_is_told_afterwards(item: Solution, annotators: list[User], lead: User) -> None:
    slot = Assignment.objects.create(solution=item, annotator=lead)
    discussion.say(item.problem.project, annotators[0], "What say you, @lena?", solution=item)
    assert discussion.unseen_mentions(lead).count() == 0
    slot.delete()
    assert discussion.unseen_mentions(lead).count() == 1


def test_a_mention_is_unseen_until_the_comments_are_opened(item: Solution, annotators: list[User], lead: User) -> None:
    discussion.say(item.problem.project, lead, "@ana?", solution=item)
    assert discussion.unseen_mentions(annotators[0]).count() == 1
    discussion.mark_seen(annotators[0], discussion.about(annotators[0], item))
    assert discussion.unseen_mentions(annotators[0]).count() == 0


def test_every_member_may_talk_about_a_clause(project: Project, annotators: list[User]) -> None:
    discussion.say(project, annotators[0], "Is rounding an error, @ben?", clause="Rounding")
    assert discussion.unseen_mentions(annotators[1]).count() == 1


def test_a_comment_says_something(project: Project, lead: User) -> None:
    with pytest.raises(VerdictError):
        discussion.say(project, lead, " \n", solution=solutions_of(project)[0])
