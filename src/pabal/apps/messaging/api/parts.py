"""What the endpoints of messaging share: how things are asked and shown, and how a refusal names its fields."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from pabal.apps.messaging.errors import ContentRefused
from pabal.apps.messaging.model.findings import Finding
from pabal.base.errors import PabalError
from pabal.engine import ids
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Lang
from pabal.platform.web.identify import guess_language
from pabal.platform.web.problems import Fault
from pabal.platform.web.visit import Visit

M = TypeVar("M", bound=BaseModel)
AREA = "messaging"
BASE = "/api/v1/messages"
LAST = 2**63 - 1


class Shown(BaseModel):
    """What is answered: plain values, snake_case, moments in UTC."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Asked(BaseModel):
    """What is sent. A field nobody knows is a mistake worth hearing of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
        "pattern": f"^{prefix}_0[0-9a-hjkmnp-tv-z]{{12}}$",
        "examples": [f"{prefix}_01h2xcejqtf2n"],
    }


def _long(prefix: str) -> tuple[BeforeValidator, WithJsonSchema]:
    return BeforeValidator(lambda given: read_long(prefix, given)), WithJsonSchema(long_schema(prefix))


Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
DeliveryId = Annotated[int, *_long("dlv"), Path(description="The delivery's id.")]
ImageId = Annotated[int, *_long("file"), Path(description="The image's id.")]
DryRun = Annotated[bool, Query(description="Only say what would come of it; nothing is saved.")]
# as a body or a filter names a row
Id = Annotated[int, Field(ge=1, le=LAST)]


def noun(tag: str = "messages") -> APIRouter:
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


def may_read(visit: Visit) -> None:
    visit.actor.require(Right.READ, AREA)


def name_faults(findings: Iterable[Finding], names: Mapping[str, str], lang: Lang) -> list[Fault]:
    """Findings as the caller's own body names the fields, in the caller's language."""
    place = 1 if lang == "ko" else 0
    return [Fault(f"/{names.get(one.field, one.field)}", one.code, one.text[place]) for one in findings]


@contextmanager
def naming(visit: Visit, names: Mapping[str, str]) -> Iterator[None]:
    """What is wrong with each field becomes the problem's `errors`."""
    try:
        yield
    except ContentRefused as error:
        faults = name_faults(error.findings, names, guess_language(visit.request))
        error.faults = faults
        error.detail = ", ".join(dict.fromkeys(one.pointer for one in faults))
        raise
