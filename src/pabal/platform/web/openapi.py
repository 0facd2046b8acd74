"""The description of every endpoint: OpenAPI 3.1 for programs, and the same as a page that needs no network."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts

import pabal
from pabal.base.errors import PabalError
from pabal.platform.language.errors import explain
from pabal.platform.web.exposure import require_docs_reader
from pabal.platform.web.idempotency import HEADER
from pabal.platform.web.identify import Guest
from pabal.platform.web.problems import PROBLEM_JSON, status_of

router = APIRouter(include_in_schema=False, dependencies=[Depends(require_docs_reader)])
Schema = dict[str, Any]

_ABOUT = """\
Sign in with `Authorization: Bearer pbl_…`. Errors are `application/problem+json` (RFC 9457) with a stable `code`; their
sentences follow `Accept-Language`. Lists answer `items`, `next_cursor` and `has_more`; unknown parameters are refused.
Moments are RFC 3339 in UTC. `Idempotency-Key` makes a request safe to repeat; `ETag` with `If-Match` keeps one from
overwriting what somebody else changed."""
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag you read: it is changed only if it still holds.",
    "schema": {"type": "string"},
    "example": '"v3"',
}
_IF_NONE_MATCH = {**_IF_MATCH, "name": "If-None-Match", "description": "The ETag you have: 304 if it still holds."}
_MOMENT = "2026-07-03T00:00:00Z"
_PLAIN = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
PROBLEMS = {
    "400": "The request cannot be read, or has an unknown parameter.",
    "401": "You are not signed in, or the token cannot be used.",
    "403": "Your role or token does not allow this.",
    "404": "There is no such thing, or it is not yours to see.",
    "408": "The body did not come in time.",
    "409": "Its state does not allow this now.",
    "412": "Somebody changed it after you read it.",
    "413": "What was sent is too large.",
    "415": "A body of this type is not taken here.",
    "416": "The file has no such range of bytes.",
    "422": "What was sent does not fit.",
    "429": "Too many requests; Retry-After says how long to wait.",
    "500": "Something unforeseen happened.",
    "503": "Something Pabal needs does not answer now.",
}
_CHANGES = ("408", "409", "412", "413", "415")

PROBLEM: dict[str, Any] = {
    "title": "Problem",
    "description": "An error (RFC 9457). `code` is stable; the sentences follow Accept-Language.",
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "instance", "request_id", "lang"],
    "properties": {
        "type": {"type": "string", "examples": ["/docs/problems#job_not_found"]},
        "title": {
            "type": "string",
            "examples": ["There is no such job, it was dropped with its week, or it is not yours to see."],
        },
        "status": {"type": "integer", "examples": [404]},
        "code": {"type": "string", "examples": ["job_not_found"]},
        "detail": {"type": "string"},
        "instance": {"type": "string", "examples": ["/api/v1/jobs/job_01h2xcejqtf2n"]},
        "request_id": {"type": "string"},
        "lang": {"type": "string", "enum": ["ko", "en"]},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "code", "detail"],
                "properties": {name: {"type": "string"} for name in ("pointer", "code", "detail")},
            },
        },
        "next": {"type": "array", "items": {"type": "object"}},
    },
}


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
    made = get_openapi(
        title="Pabal",
        version=pabal.__version__,
        description=_ABOUT,
        routes=contexts,
        separate_input_output_schemas=False,
    )
    made.setdefault("components", {}).setdefault("schemas", {})
    made = _name_apart(made)
    schemas = made["components"]["schemas"]
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
            elif media.startswith("text/"):
                content.setdefault("schema", {"type": "string"})
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
    extra = []
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


@dataclass(frozen=True, slots=True)
class Described:
    """One problem in both languages."""

    code: str
    status: int
    english: str
    korean: str


def problems_of(path: str, method: str) -> list[str]:
    """The statuses an endpoint may answer with when it cannot do what is asked. Also a list may be of no unit: 404."""
    unlikely = {"416"} if not path.endswith("/content") else set()
    if method == "GET":
        unlikely |= set(_CHANGES)
    return [status for status in PROBLEMS if status not in unlikely]


def list_problems() -> list[Described]:
    """Of everything that is loaded on this server, by code."""
    made = {kind.__name__: _describe_error(kind) for kind in _descendants(PabalError)}
    return sorted(made.values(), key=lambda one: one.code)


def example_of(schema: Mapping[str, Any], schemas: Mapping[str, Schema]) -> Any:
    """From the examples of the fields, so that an example cannot fall behind its model."""
    if schema.get("examples"):
        return schema["examples"][0]
    # after the field's own example: what it refers to may be an enum with others
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], schemas)
    return _by_type(schema, schemas)


def _by_type(schema: Mapping[str, Any], schemas: Mapping[str, Schema]) -> Any:
    match schema.get("type"):
        case "object" if "properties" in schema:
            return {name: example_of(one, schemas) for name, one in schema["properties"].items()}
        case "object":
            return {}
        case "array":
            return [example_of(schema["items"], schemas)] if "items" in schema else []
        case "string" if schema.get("format") == "date-time":
            return _MOMENT
    return _PLAIN.get(schema.get("type", "string"))


def _descendants(kind: type[PabalError]) -> Iterator[type[PabalError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _descendants(child)


def _describe_error(kind: type[PabalError]) -> Described:
    error = kind.__new__(kind)  # only what its class says is asked
    return Described(error.code, status_of(error), explain(error, "en"), explain(error, "ko"))


def _name_apart(made: Schema) -> Schema:
    """No two schemas of one title: generators name their classes by it, and drop the second. Where two rooms have a
    model of the same name, each is called by its room: `TenantsLevel`."""
    schemas = made["components"]["schemas"]
    by_title: dict[str, list[str]] = defaultdict(list)
    for key, schema in schemas.items():
        by_title[schema.get("title", key)].append(key)
    names = {key: _room(key) + title for title, keys in by_title.items() if len(keys) > 1 for key in keys}
    made["components"]["schemas"] = {
        names.get(key, key): {**schema, "title": names[key]} if key in names else schema
        for key, schema in schemas.items()
    }
    renamed: Schema = _refer_anew(made, {f"#/components/schemas/{old}": new for old, new in names.items()})
    return renamed


def _room(key: str) -> str:
    """pabal__platform__tenants__model__Level: Tenants."""
    parts = [part for part in key.split("__")[:-1] if part not in ("pabal", "platform", "apps")]
    return parts[0].capitalize() if parts else ""


def _refer_anew(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, list):
        return [_refer_anew(one, names) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("$ref"), str) and part["$ref"] in names:
        return {**part, "$ref": f"#/components/schemas/{names[part['$ref']]}"}
    return {name: _refer_anew(one, names) for name, one in part.items()}
