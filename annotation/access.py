"""Who may open what."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, cast

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404

from annotation.assignments import is_member
from annotation.models import Project, User

type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def person(request: HttpRequest) -> User:
    """The logged-in person; every page but the login needs one."""
    return cast(User, request.user)


def visible_projects(user: User) -> Any:
    """Leads see every campaign, annotators those they belong to."""
    return Project.objects.all() if user.leads else Project.objects.filter(members=user)


def project_for(user: User, slug: str) -> Project:
    """The campaign of that name, if this person may see it; else the page does not exist for them."""
    project: Project = get_object_or_404(visible_projects(user), slug=slug)
    return project


def in_project(request: HttpRequest, project: Project, here: str) -> dict[str, Any]:
    """What the page frame needs: the campaign, which tab is open, and whether this person labels here."""
    return {"project": project, "here": here, "labels_here": is_member(person(request), project)}


def leads_only[**P](view: View[P]) -> View[P]:
    """Refuse a page to annotators."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not person(request).leads:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def admins_only[**P](view: View[P]) -> View[P]:
    """Refuse a page to everybody but administrators."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not person(request).administers:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def number_in(query: QueryDict, name: str) -> int:
    """A row's key that a form names; 0, which no row has, when it is no key."""
    text = str(query.get(name, ""))
    return int(text) if text.isdecimal() and len(text) < 18 else 0
