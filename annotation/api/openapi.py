"""The OpenAPI document: what every operation may answer beside success."""

from typing import Any

METHODS = {"get", "post", "put", "patch", "delete"}
SAYS = {
    "400": "What was sent cannot be taken; `field` names the part to change.",
    "401": "Not logged in, or the token is not valid.",
    "403": "Your role does not allow this, or the CSRF token of the session is missing.",
    "404": "There is no such thing, or none that you may see.",
    "409": "The state of things forbids it; `detail` says what to do.",
    "429": "Too many attempts; wait and try again.",
}


def add_errors(result: dict[str, Any], **_generator: Any) -> dict[str, Any]:
    """Add to each operation the errors it can answer; those an operation states itself get their description."""
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            if method in METHODS:
                for status in _statuses(path, operation):
                    operation["responses"].setdefault(status, _error(status))
                for status in set(operation["responses"]) & set(SAYS):
                    operation["responses"][status]["description"] = SAYS[status]
    return result


def _statuses(path: str, operation: dict[str, Any]) -> list[str]:
    found = ["401", "403"] if operation.get("security") else []
    if "{" in path:
        found.append("404")
    takes = [p for p in operation.get("parameters", ()) if p["in"] == "query"]
    if "requestBody" in operation or takes:
        found.append("400")
    return found


def _error(status: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": SAYS[status], "content": {"application/json": {"schema": schema}}}
