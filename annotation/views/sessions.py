"""Logging out."""

from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse

from annotation.access import person
from annotation.assignments import release


class LogOut(LogoutView):
    """Log out and give the reserved items back; drafts stay."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.user.is_authenticated:
            release(person(request))
        return super().post(request, *args, **kwargs)
