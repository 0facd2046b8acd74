"""What a query may say: several values with commas, moments with their zone; what nobody knows is refused."""

from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Request
from fastapi.dependencies.models import Dependant
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from pabal.platform.resources import BadParameter
from pabal.platform.web.methods import refuse_method
from pabal.platform.web.problems import OrgNotTaken, UnknownParameter

T = TypeVar("T")
FIRST_YEAR, LAST_YEAR = 2000, 2090  # beyond, an id could not carry its moment


def split_commas(given: Any) -> Any:
    """`state=done,failed` and `state=done&state=failed` say the same."""
    if not isinstance(given, list | tuple | str):
        return given
    parts = [given] if isinstance(given, str) else given
    return [piece for part in parts for piece in (part.split(",") if isinstance(part, str) else [part]) if piece != ""]


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


def _near(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"a moment lies between {FIRST_YEAR} and {LAST_YEAR}")
    return moment


def _no_number(given: Any) -> Any:
    """`from=7` would otherwise be seven seconds after 1970."""
    if isinstance(given, int | float) or (isinstance(given, str) and given.lstrip("+-").replace(".", "").isdigit()):
        raise ValueError("a moment is written 2026-07-03T09:00:00+09:00")
    return given


# What PostgreSQL can keep, and short enough to be read.
Text = Annotated[str, StringConstraints(max_length=1000), AfterValidator(_storable)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_storable)]
Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_no_number),
    AfterValidator(_near),
    Field(examples=["2026-07-03T00:00:00Z"]),
]
Words = Annotated[tuple[Word, ...], BeforeValidator(split_commas), Field(max_length=50)]


# The one way to take it: `OrgNotTaken` answers wherever it is not declared.
Org = Annotated[
    int | None,
    Field(ge=1, lt=2**63, description="Only this organisation unit and what is below it.", examples=[3]),
]


class Bare(BaseModel):
    """What belongs to no unit and is answered whole."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class Query(Bare):
    """What everything that shows many things may be asked: `org` looks at one unit and what is below it."""

    org: Org = None


class Paged(Bare):
    """What every list may be asked; by itself, one of the house as a whole, which no unit narrows."""

    limit: Annotated[int, Field(ge=1, le=200, description="How many at once.")] = 50
    cursor: Annotated[
        str | None,
        Field(max_length=1000, description="`next_cursor` of the page before. Leave it out to begin at the beginning."),
    ] = None
    count: Annotated[bool, Field(description="Also say how many there are, counted up to 10,000.")] = False


class Listed(Query, Paged):
    """A list of what belongs to units."""


class Between(Listed):
    """A list with moments."""

    since: Annotated[Moment | None, Field(alias="from", description="Not before this moment.")] = None
    until: Annotated[Moment | None, Field(alias="to", description="Before this moment.")] = None


async def refuse_unknown(request: Request) -> None:
    """A misspelt filter that is ignored shows the wrong list, and nobody notices."""
    refuse_method(request)
    route = request.scope["route"]
    known = _KNOWN.get(route.endpoint)
    if known is None:
        known = _KNOWN[route.endpoint] = _known(route.dependant)
    unknown = sorted(set(request.query_params) - known)
    if unknown == ["org"]:
        raise OrgNotTaken
    if unknown:
        raise UnknownParameter(", ".join(unknown)[:200])
    for name, value in request.query_params.multi_items():
        if "\0" in value:
            raise BadParameter(name)


def one_of(values: list[T] | None) -> T | None:
    """For lists that can be filtered by one value only."""
    if not values:
        return None
    if len(values) > 1:
        raise BadParameter("one value only")
    return values[0]


# by endpoint: what it takes is in its signature, so it is looked up once
_KNOWN: dict[Any, frozenset[str]] = {}


def _known(dependant: Dependant) -> frozenset[str]:
    names: set[str] = set()
    for param in dependant.query_params:
        annotation = param.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            names |= {field.alias or name for name, field in annotation.model_fields.items()}
        else:
            names.add(param.alias)
    for inner in dependant.dependencies:
        names |= _known(inner)
    return frozenset(names)
