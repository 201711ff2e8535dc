"""Who may use which endpoint; what a role means is said once, by the account (`annotation.models.people`)."""

from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.access import person


class LeadsOnly(IsAuthenticated):
    """Refuse an endpoint to annotators."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and person(request).leads


class LeadsChange(IsAuthenticated):
    """Everybody reads, leads change."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and (request.method in SAFE_METHODS or person(request).leads)
