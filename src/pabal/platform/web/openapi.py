"""The description of every endpoint: OpenAPI 3.1 for programs, and the same as a page that needs no network."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts

import pabal
from pabal.platform.web.described import PROBLEM, PROBLEMS, example_of, list_problems, problems_of
from pabal.platform.web.exposure import require_docs_reader
from pabal.platform.web.idempotency import HEADER
from pabal.platform.web.identify import Guest
from pabal.platform.web.problems import PROBLEM_JSON

router = APIRouter(include_in_schema=False, dependencies=[Depends(require_docs_reader)])
Schema = dict[str, Any]

_ABOUT = """\
Sign in with `Authorization: Bearer pbl_…`. Errors are `application/problem+json` (RFC 9457) with a stable `code`; their
sentences follow `Accept-Language`. Lists answer `items`, `next_cursor` and `has_more`; unknown parameters are refused.
Moments are RFC 3339 in UTC. `Idempotency-Key` makes a request safe to repeat; `ETag` with `If-Match` keeps one from
overwriting what somebody else changed."""
_ORG = {
    "name": "org",
    "in": "query",
    "required": False,
    "description": "Only this organisation unit and what is below it.",
    "schema": {"type": "integer", "minimum": 1},
    "example": 3,
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag you read: it is changed only if it still holds.",
    "schema": {"type": "string"},
    "example": '"v3"',
}
_IF_NONE_MATCH = {**_IF_MATCH, "name": "If-None-Match", "description": "The ETag you have: 304 if it still holds."}


@router.get("/openapi.json")
async def read_openapi(request: Request) -> Response:
    return JSONResponse(schema_of(request.app), headers={"Cache-Control": "no-cache"})


@router.get("/docs")
async def show_docs(visit: Guest) -> Response:
    schema = schema_of(visit.request.app)
    return await visit.show("docs.html", groups=group_operations(schema), info=schema["info"])


@router.get("/docs/problems")
async def show_problems(visit: Guest) -> Response:
    return await visit.show("docs_problems.html", problems=list_problems())


def schema_of(app: FastAPI) -> Schema:
    """Made once: it depends on the code only."""
    if not hasattr(app.state, "openapi"):
        app.state.openapi = make_schema(app)
    found: Schema = app.state.openapi
    return found


def make_schema(app: FastAPI) -> Schema:
    contexts = [one for one in iter_route_contexts(app.routes) if (one.path or "").startswith("/api/")]
    made = get_openapi(title="Pabal", version=pabal.__version__, description=_ABOUT, routes=contexts)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = PROBLEM
    made["components"]["responses"] = {f"Problem{status}": _problem(says) for status, says in PROBLEMS.items()}
    for path, method, operation in operations_of(made):
        _describe(path, method, operation, schemas)
    return made


def operations_of(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def group_operations(schema: Schema) -> dict[str, list[Schema]]:
    """By their first tag, each with what the page shows of it."""
    groups: dict[str, list[Schema]] = {}
    for path, method, operation in operations_of(schema):
        shown = {
            "path": path,
            "method": method,
            "body": _body_example(operation),
            "answers": _answers(operation),
            "problems": [status for status in operation["responses"] if status >= "400"],
            **operation,
        }
        groups.setdefault(operation.get("tags", ["other"])[0], []).append(shown)
    return groups


def _describe(path: str, method: str, operation: Schema, schemas: Mapping[str, Schema]) -> None:
    """What holds for all endpoints need not be said by each of them."""
    operation["summary"] = str(operation.pop("description", operation["summary"])).strip().rstrip(".")
    responses = operation["responses"]
    responses.pop("422", None)
    _add_parameters(path, method, operation)
    for status, answer in responses.items():
        for media, content in answer.get("content", {}).items():
            if media == "application/json":
                content.setdefault("example", example_of(content.get("schema", {}), schemas))
        if status == "200" and method == "GET" and "{" in path:
            answer.setdefault("headers", {})["ETag"] = {"schema": {"type": "string"}, "example": '"v3"'}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content.setdefault("example", example_of(content.get("schema", {}), schemas))
    if method == "GET" and "{" in path:
        responses["304"] = {"description": "It is still as you have it."}
    for status in problems_of(path, method):
        responses[status] = {"$ref": f"#/components/responses/Problem{status}"}


def _problem(says: str) -> Schema:
    return {"description": says, "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def _add_parameters(path: str, method: str, operation: Schema) -> None:
    parameters = operation.setdefault("parameters", [])
    named = {one["name"] for one in parameters}
    extra = [_ORG] if method == "GET" else []
    if "{" in path and method == "GET":
        extra.append(_IF_NONE_MATCH)
    elif "{" in path:
        extra.append(_IF_MATCH)
    parameters += [one for one in extra if one["name"] not in named]
    if operation.get("x-key-required"):
        for one in parameters:
            one["required"] = one.get("required", False) or one["name"] == HEADER


def _body_example(operation: Schema) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("example")


def _answers(operation: Schema) -> list[Schema]:
    return [
        {"status": status, "media": media, "example": content.get("example")}
        for status, answer in operation["responses"].items()
        if status < "400"
        for media, content in (answer.get("content") or {"": {}}).items()
    ]
