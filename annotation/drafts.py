"""What is typed before submitting, kept on the server so that no tab, crash or logout loses it."""

import uuid
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Annotation, Draft, Solution, User


class DraftConflict(Exception):
    """Another tab has saved since; `current` is what it saved."""

    def __init__(self, current: Draft) -> None:
        super().__init__(_("This item was changed in another tab."))
        self.current = current


def draft_of(annotator: User, solution: Solution) -> Draft | None:
    """The annotator's draft of the solution."""
    return Draft.objects.filter(annotator=annotator, solution=solution).first()


def check_base(annotator: User, solution: Solution, content: dict[str, Any], base: int) -> Draft | None:
    """The draft that content typed on top of version `base` may replace, None when there is none.

    Raises: DraftConflict when another version, with another content, was saved meanwhile.
    """
    draft = draft_of(annotator, solution)
    if draft and draft.version != base and draft.content != content:
        raise DraftConflict(draft)
    return draft


@transaction.atomic
def save(
    annotator: User, solution: Solution, content: dict[str, Any], base: int, key: uuid.UUID | None = None
) -> Draft | None:
    """Save what was typed on top of version `base` (0: there was none). The same content again changes nothing.

    `key` is that of the form: a save that arrives after the form was submitted is let go, and the answer is None.

    Raises: DraftConflict when another version was saved meanwhile.
    """
    User.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if key and Annotation.objects.filter(key=key).exists():
        return None
    draft = check_base(annotator, solution, content, base)
    if draft is None:
        return Draft.objects.create(annotator=annotator, solution=solution, content=content)
    if draft.content != content:
        draft.content, draft.version = content, draft.version + 1
        draft.save()
    return draft


def drop(annotator: User, solution: Solution) -> None:
    """Forget the draft: it has become a label, or its writer does not want it any more."""
    Draft.objects.filter(annotator=annotator, solution=solution).delete()
