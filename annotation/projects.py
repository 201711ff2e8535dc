"""Setting up campaigns and changing their policy."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation import audit
from annotation.assignments import open_slots
from annotation.changes import more_labels_wanted
from annotation.models import Project, Solution, User

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mr-ben": {"overlap": 2, "show_reference": True, "ask_category": False},
    "processbench": {
        "overlap": 3, "show_reference": True, "ask_category": False, "ask_rectified": False, "min_reason": 0,
    },
    "prm800k": {
        "overlap": 1, "every_step": True, "ask_category": False, "ask_rectified": False, "min_reason": 0,
    },
}  # fmt: skip
"""The policies of published benchmarks as far as this project's policy can say them, by name."""


class PolicyError(ValueError):
    """A policy that the work already done forbids."""


def free_slug(name: str) -> str:
    """A short name that no project has yet, made from the letters and digits of a name."""
    wanted = slugify(name)[:40].strip("-") or "project"
    taken = set(Project.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    numbered = (f"{wanted}-{n}" for n in count(2))
    return wanted if wanted not in taken else next(slug for slug in numbered if slug not in taken)


@transaction.atomic
def create_project(project: Project, members: Iterable[User] = ()) -> Project:
    """Save a new campaign with its members."""
    project.full_clean()
    project.save()
    project.members.set(members)
    return project


@transaction.atomic
def change_policy(project: Project, members: Iterable[User], by: User) -> Project:
    """Save a changed policy; a larger overlap opens the further slots.

    Raises: PolicyError when the overlap is lowered, since labels already asked for cannot be unasked.
    """
    before = Project.objects.select_for_update().get(pk=project.pk)
    if project.overlap < before.overlap:
        raise PolicyError(_("The overlap can be raised, not lowered: work already handed out stays."))
    project.full_clean()
    project.save()
    project.members.set(members)
    changed = {f.name: str(getattr(project, f.name)) for f in project._meta.concrete_fields
               if getattr(project, f.name) != getattr(before, f.name)}  # fmt: skip
    audit.record("policy-changed", by, project, changed=changed)
    if project.overlap > before.overlap:
        open_slots(Solution.objects.filter(problem__project=project, settled_at=None), project.overlap)
        more_labels_wanted.send(Project, project=project)
    return project
