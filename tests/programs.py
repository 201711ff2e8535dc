"""A program that uses the API with a token."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.authtoken.models import Token

from annotation.models import User


class Program:
    """Sends and receives JSON in somebody's name; says what came back and with which status."""

    def __init__(self, user: User) -> None:
        token, _made = Token.objects.get_or_create(user=user)
        self.client = Client(headers={"Authorization": f"Token {token.key}"})

    def get(self, path: str, status: int = 200) -> Any:
        return self._read(self.client.get(f"/api/{path}"), status)

    def post(self, path: str, status: int = 200, **sent: Any) -> Any:
        return self._read(self.client.post(f"/api/{path}", sent, content_type="application/json"), status)

    def patch(self, path: str, status: int = 200, **sent: Any) -> Any:
        return self._read(self.client.patch(f"/api/{path}", sent, content_type="application/json"), status)

    def upload(self, path: str, status: int, **sent: Any) -> Any:
        """Send a form with files; a value of bytes is the content of a file."""
        parts = {
            name: SimpleUploadedFile(f"{name}.jsonl", value) if isinstance(value, bytes) else value
            for name, value in sent.items()
        }
        return self._read(self.client.post(f"/api/{path}", parts), status)

    def _read(self, response: Any, status: int) -> Any:
        body = response.getvalue().decode()
        assert response.status_code == status, f"{response.status_code}, not {status}: {body[:2000]}"
        kind = response.headers.get("Content-Type", "").split(";")[0]
        return json.loads(body) if kind == "application/json" else body


def items(page: dict[str, Any]) -> list[str]:
    """The item ids of a page of a list."""
    return [row["item_id"] for row in page["results"]]
