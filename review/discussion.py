"""Talking about items and about clauses of the guideline."""

import re

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import audit
from annotation.models import Assignment, Project, Solution, User
from annotation.verdicts import VerdictError
from review.models import Comment, Mention
from review.pending import keep_up

NAMED = re.compile(r"@([\w.+-]*\w)")  # a full stop behind a name ends the sentence


class NotYetVisible(Exception):
    """Annotators see the discussion of an item only after they have submitted their label."""


def may_see(user: User, solution: Solution) -> bool:
    """Leads always; annotators once their own label of the item is in, so that they stay blind until then."""
    if user.leads:
        mine = Assignment.objects.filter(solution=solution, annotator=user)
        return not mine.filter(submitted_at=None).exists()
    return Assignment.objects.filter(solution=solution, annotator=user, submitted_at__isnull=False).exists()


@transaction.atomic
def say(project: Project, author: User, text: str, *, solution: Solution | None = None, clause: str = "") -> Comment:
    """Add a comment; whoever of the project is named with @login in it is told, annotators once they may see it.

    Raises: NotYetVisible, VerdictError when nothing is said.
    """
    if solution and not may_see(author, solution):
        raise NotYetVisible(_("You can talk about this item once you have submitted your label."))
    if not text.strip():
        raise VerdictError("text", _("Write something."))
    comment = Comment.objects.create(project=project, author=author, text=text, solution=solution, clause=clause)
    if solution:
        keep_up([solution.pk])  # a comment may be the answer that the item waits for
    named = User.objects.filter(username__in=NAMED.findall(text), is_active=True).exclude(pk=author.pk)
    Mention.objects.bulk_create(
        Mention(comment=comment, user=user)
        for user in named
        if user.leads or project.members.filter(pk=user.pk).exists()
    )
    audit.record("commented", author, project, solution=solution, clause=clause, text=text)
    return comment


def about(user: User, solution: Solution) -> QuerySet[Comment]:
    """The discussion of an item, oldest first.

    Raises: NotYetVisible.
    """
    if not may_see(user, solution):
        raise NotYetVisible(_("You can read the discussion once you have submitted your label."))
    return Comment.objects.filter(solution=solution).select_related("author").order_by("pk")


def unseen_mentions(user: User) -> QuerySet[Mention]:
    """The comments that name this person, may be seen by them and were not opened yet."""
    own = Assignment.objects.filter(solution=OuterRef("comment__solution"), annotator=user)
    may_see_it = ~Exists(own.filter(submitted_at=None)) if user.leads else Exists(own.exclude(submitted_at=None))
    rows = Mention.objects.filter(Q(comment__solution=None) | may_see_it, user=user, seen_at=None)
    return rows.select_related("comment__author", "comment__project", "comment__solution")


def mark_seen(user: User, comments: QuerySet[Comment]) -> None:
    """Note that this person has opened the comments."""
    Mention.objects.filter(user=user, comment__in=comments, seen_at=None).update(seen_at=timezone.now())
