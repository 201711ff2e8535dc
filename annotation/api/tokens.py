"""Tokens: what a program logs in with."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.authtoken.models import Token
from rest_framework.authtoken.serializers import AuthTokenSerializer
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle, ScopedRateThrottle
from rest_framework.views import APIView

from annotation.access import person
from annotation.api.errors import ErrorSerializer
from annotation.api.parsers import Json


class LoginSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    password = serializers.CharField()


class TokenSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(help_text="Send it as `Authorization: Token …`.")


@extend_schema(tags=["token"])
class OwnToken(APIView):
    """Getting and revoking a token."""

    parser_classes = (Json, FormParser, MultiPartParser)
    throttle_scope = "token"

    def get_throttles(self) -> list[BaseThrottle]:
        """Guessing passwords is slowed down."""
        return [ScopedRateThrottle()] if self.request.method == "POST" else []

    def get_permissions(self) -> list[Any]:
        """Everybody may log in."""
        return [AllowAny() if self.request.method == "POST" else IsAuthenticated()]

    @extend_schema(
        request=LoginSerializer, responses={200: TokenSerializer, 429: ErrorSerializer}, auth=[],
        examples=[OpenApiExample("A login", request_only=True, value={"username": "ana", "password": "…"})],
    )  # fmt: skip
    def post(self, request: Request) -> Response:
        """Exchange name and password for a token. It is valid until it is revoked."""
        login = AuthTokenSerializer(data=request.data, context={"request": request})
        login.is_valid(raise_exception=True)
        token, _made = Token.objects.get_or_create(user=login.validated_data["user"])
        return Response({"token": token.key})

    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        """Revoke your token."""
        Token.objects.filter(user=person(request)).delete()
        return Response(status=204)
