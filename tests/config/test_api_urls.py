"""The OpenAPI document: valid, complete, and what the endpoints keep to."""

import re
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver

from annotation.models import Project, User
from review.api import agreement
from tests.addresses import addresses

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document, generated without a warning and validated."""
    path = tmp_path_factory.mktemp("openapi") / "api.yaml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(path))
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, each in document["paths"].items()
        for method, operation in each.items()
        if method in METHODS
    }


def test_every_endpoint_is_in_the_document(document: dict[str, Any]) -> None:
    routes = {"/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route) for route in addresses() if route.startswith("api/")}
    known = {re.sub(r"\{id\}", "{pk}", path) for path in document["paths"]}
    assert known == routes - {"/api/schema/", "/api/{rest}/"}


def test_every_operation_says_what_it_does_and_what_it_refuses(document: dict[str, Any]) -> None:
    tags = {tag["name"] for tag in document["tags"]}
    for name, operation in operations(document).items():
        assert operation.get("description"), name
        assert set(operation["tags"]) <= tags, name
        statuses = set(operation["responses"])
        if name != "POST /api/token/":
            assert {"401", "403"} <= statuses, name
        if "{" in name:
            assert "404" in statuses, name
        if "requestBody" in operation:
            assert "400" in statuses, name
        for status in statuses & {"400", "401", "403", "404", "409", "429"}:
            content = operation["responses"][status]["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/Error"}, (name, status)


def test_what_can_conflict_says_so(document: dict[str, Any]) -> None:
    found = operations(document)
    for name in (
        "POST /api/projects/{slug}/claim/", "POST /api/projects/{slug}/adjudications/",
        "POST /api/projects/{slug}/releases/", "POST /api/projects/{slug}/consensus/confirm/",
        "PATCH /api/projects/{slug}/",
    ):  # fmt: skip
        assert "409" in found[name]["responses"], name


def test_what_annotators_read_has_no_room_for_what_is_hidden(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert set(schemas["SolutionReading"]["properties"]) == {
        "item_id", "problem", "steps", "final_answer", "answer_agrees"
    }  # fmt: skip
    hidden = {"source", "external_id", "extra", "answer_keys", "standing"}
    assert not hidden & set(schemas["ProblemReading"]["properties"])


def test_everybody_may_read_the_document(client: Client, db: None) -> None:
    answer = client.get("/api/schema/", headers={"Accept": "application/json"})
    assert answer.status_code == 200
    assert get_resolver().resolve("/api/schema/").url_name == "api-schema"


def test_an_error_nobody_foresaw_has_the_shape_of_all_errors(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(agreement, "standings", broken)
    client = Client(raise_request_exception=False)
    client.force_login(lead)
    answer = client.get("/api/projects/trial/progress/")
    assert answer.status_code == 500
    assert answer.json()["field"] is None
    assert "broken" not in answer.json()["detail"]


def test_an_address_without_its_slash_is_led_to_it(client: Client, project: Project) -> None:
    assert client.get("/api/projects")["Location"] == "/api/projects/"
