"""Errors of the API: all have one shape, `{"detail": what is wrong, "field": the part to change, or null}`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import APIException, NotFound
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

from annotation.forms import in_words
from annotation.verdicts import VerdictError

WHOLE = (NON_FIELD_ERRORS, api_settings.NON_FIELD_ERRORS_KEY)


class ErrorSerializer(serializers.Serializer[Any]):
    """What every refusal says."""

    detail = serializers.CharField()
    field = serializers.CharField(allow_null=True)


class Invalid(APIException):
    """What was sent cannot be taken; `field` names the part to change."""

    status_code = 400

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.field = field


class Conflict(Invalid):
    """What was sent is well-formed, and the state of things forbids it."""

    status_code = 409


@contextmanager
def refused_as(error: type[Invalid], *kinds: type[Exception], field: str | None = None) -> Iterator[None]:
    """Answer these exceptions of a rule with an error of the API."""
    try:
        yield
    except kinds as refusal:
        raise error(str(refusal), field) from refusal


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn whatever a view raises into the one shape; an error nobody foresaw stays a server error."""
    if isinstance(error, VerdictError):
        error = Invalid(in_words(error), error.field)
    elif isinstance(error, ValidationError):
        error = _of_model(error)
    elif isinstance(error, Http404):
        error = NotFound(_("There is no such thing here, or none that you may see."))
    response = exception_handler(error, context)
    if response is not None:
        detail, path = _first(response.data, [])
        detail = detail.encode("utf-8", "replace").decode()  # it may quote half a character, which cannot be sent back
        response.data = {"detail": detail, "field": getattr(error, "field", None) or ".".join(path) or None}
    return response


def _of_model(error: ValidationError) -> Invalid:
    if not hasattr(error, "error_dict"):
        return Invalid(error.messages[0])
    field, messages = next(iter(error.message_dict.items()))
    return Invalid(messages[0], None if field in WHOLE else field)


def _first(data: Any, path: list[str]) -> tuple[str, list[str]]:
    """The first message in what DRF nests, and where it stands."""
    if isinstance(data, dict):
        if set(data) == {"detail"}:
            return str(data["detail"]), path
        key, inner = next(iter(data.items()))
        return _first(inner, path if key in WHOLE else [*path, str(key)])
    if isinstance(data, list):
        place = next((n for n, inner in enumerate(data) if inner), 0)
        inner = data[place]
        return _first(inner, [*path, str(place)] if isinstance(inner, dict) else path)
    return str(data), path
