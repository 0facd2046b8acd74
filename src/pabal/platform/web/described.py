"""What descriptions are made of: examples from the models' own fields, and every problem with its code."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pabal.base.errors import PabalError
from pabal.platform.language.errors import explain
from pabal.platform.web.problems import status_of

Schema = Mapping[str, Any]
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
    made = {kind.__name__: _describe(kind) for kind in _descendants(PabalError)}
    return sorted(made.values(), key=lambda one: one.code)


def example_of(schema: Schema, schemas: Mapping[str, Schema]) -> Any:
    """From the examples of the fields, so that an example cannot fall behind its model."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if schema.get("examples"):
        return schema["examples"][0]
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], schemas)
    return _by_type(schema, schemas)


def _by_type(schema: Schema, schemas: Mapping[str, Schema]) -> Any:
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


def _describe(kind: type[PabalError]) -> Described:
    error = kind.__new__(kind)  # only what its class says is asked
    return Described(error.code, status_of(error), explain(error, "en"), explain(error, "ko"))
