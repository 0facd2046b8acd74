"""What the endpoints of every app share: how things are asked and shown, ids as programs see them, short answers."""

from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from pabal.base.errors import PabalError
from pabal.engine import ids

M = TypeVar("M", bound=BaseModel)
LAST = ids.LAST


class Shown(BaseModel):
    """What is answered: plain values, snake_case, moments in UTC."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Asked(BaseModel):
    """What is sent. A field nobody knows is a mistake worth hearing of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def rules(*each: dict[str, Any]) -> ConfigDict:
    """`model_config` with what must hold between fields, so that programs read it where the fields are. Beside them in
    `allOf`, not as a `oneOf` of the whole: generators would lose the fields."""
    return ConfigDict(json_schema_extra={"allOf": list(each)})


def read_long(prefix: str, given: Any) -> int:
    try:
        number = ids.read(prefix, str(given))
    except PabalError as error:
        raise ValueError(str(error)) from error
    if not str(given).startswith(f"{prefix}_") or number > LAST:
        raise ValueError(f"an id looks like {ids.show(prefix, 1)}")
    return number


def long_schema(prefix: str) -> dict[str, Any]:
    return {
        "type": "string",
        "pattern": f"^{prefix}_[0-7][0-9a-hjkmnp-tv-z]{{12}}$",
        "examples": [f"{prefix}_01h2xcejqtf2n"],
    }


def long_id(prefix: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """For `Annotated[int, *long_id("job"), …]`: written job_01h2xcejqtf2n, read as its number."""
    return BeforeValidator(lambda given: read_long(prefix, given)), WithJsonSchema(long_schema(prefix))


def noun(tag: str) -> APIRouter:
    """Operation ids are the functions' names, so that generated clients keep theirs."""
    return APIRouter(tags=[tag], generate_unique_id_function=_name)


def _name(route: APIRoute) -> str:
    return route.name


def answer(shown: BaseModel, status: int = 200, *, location: str | None = None) -> Response:
    headers = {} if location is None else {"Location": location}
    return Response(shown.model_dump_json(), status, headers, media_type="application/json")


def fill(model: type[M], row: Any, **named: Any) -> M:
    """The fields a row has under the same name, and those that are shown otherwise."""
    given = {name: getattr(row, name) for name in model.model_fields if name not in named}
    return model(**named, **given)


def no_content() -> Response:
    return Response(status_code=204)
