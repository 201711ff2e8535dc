"""The guide for leads."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.views.guide import show_guide


@require_safe
def leads(request: HttpRequest) -> HttpResponse:
    """The guide for leads."""
    return show_guide(request, Path(__file__).parents[1] / "docs", "leads")
