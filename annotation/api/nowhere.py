"""Addresses that lead nowhere, and errors that nobody foresaw."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.defaults import server_error as error_page
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView


@extend_schema(exclude=True)
class Nowhere(APIView):
    """Every other address of the API, so that a wrong one is answered in the one shape too."""

    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse at once, whatever the method."""
        raise Http404


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error nobody foresaw: a program gets it in the one shape, people get a page."""
    if not request.path.startswith("/api/"):
        return error_page(request)
    detail = _("Something went wrong on our side. Nothing you submitted before is lost.")
    return JsonResponse({"detail": detail, "field": None}, status=500)
