"""How lists are cut into pages and filtered."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.api.errors import Invalid

TRUTHS = {"true": True, "false": False}


class Pages(PageNumberPagination):
    """Fifty rows a page, or as many as asked for."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 500


class ColumnFilter(BaseFilterBackend):
    """Filter by the columns a view names in `filters` (texts) and `truth_filters` (true or false)."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        """Keep the rows that fit every filter in the address."""
        for name, lookup in filters_of(view).items():
            value = request.query_params.get(name)
            if value is not None:
                queryset = queryset.filter(**{lookup: _text(name, value)})
        for name, lookup in truth_filters_of(view).items():
            value = request.query_params.get(name)
            if value is not None:
                queryset = queryset.filter(**{lookup: _truth(name, value)})
        return queryset

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """The filters as the OpenAPI document has them."""
        kinds = dict.fromkeys(filters_of(view), "string") | dict.fromkeys(truth_filters_of(view), "boolean")
        return [
            {"name": name, "in": "query", "required": False, "schema": {"type": kind}} for name, kind in kinds.items()
        ]


def filters_of(view: APIView) -> Mapping[str, str]:
    """Text filters of a view: name in the address to column."""
    found: Mapping[str, str] = getattr(view, "filters", {})
    return found


def truth_filters_of(view: APIView) -> Mapping[str, str]:
    """Yes-or-no filters of a view: name in the address to lookup."""
    found: Mapping[str, str] = getattr(view, "truth_filters", {})
    return found


def _text(name: str, value: str) -> str:
    if "\x00" in value:
        raise Invalid(_("A text has no null characters."), name)  # PostgreSQL cannot look for one
    return value


def _truth(name: str, value: str) -> bool:
    if value not in TRUTHS:
        raise Invalid(_("%(name)s is true or false.") % {"name": name}, name)
    return TRUTHS[value]
