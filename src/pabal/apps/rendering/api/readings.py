"""How REST reads what the descriptions of rendering name: ids, data, files, hours."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pabal.apps.rendering.resources.names import COMPOSITION_EXAMPLE, GFX_EXAMPLE, WORKER_EXAMPLE
from pabal.apps.rendering.resources.workers import HOURS_EXAMPLE
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import LAST

BASE = "/api/v1/render"
LARGEST_FILE = 2 * 1024 * 1024


def noun() -> APIRouter:
    return endpoints.noun("render")


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


JobId = Annotated[int, Path(ge=1, le=LAST, description="The job's number.", examples=[43])]
WorkerId = Annotated[UUID, Path(description="The worker's id.", examples=[WORKER_EXAMPLE])]
CompositionId = Annotated[
    str,
    AfterValidator(_storable),
    Path(min_length=1, max_length=100, description="The composition's id.", examples=[COMPOSITION_EXAMPLE]),
]
GfxData = Annotated[dict[str, Any], Field(examples=[GFX_EXAMPLE])]
OptionalGfxData = Annotated[dict[str, Any] | None, Field(examples=[GFX_EXAMPLE])]
FileContent = Annotated[str, AfterValidator(_storable), Field(min_length=1, max_length=LARGEST_FILE)]
Clock = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["09:00"])]


class WorkingHours(BaseModel):
    """`ends` before `begins` reaches into the next day; the day is the one it begins on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    days: Annotated[list[Literal[1, 2, 3, 4, 5, 6, 7]], Field(min_length=1, max_length=7, examples=[[1, 2, 3, 4, 5]])]
    begins: Clock
    ends: Clock
    zone: Annotated[str, Field(max_length=64, examples=["Asia/Seoul"])] = "Asia/Seoul"


def _plain_hours(hours: WorkingHours | None) -> Any:
    return None if hours is None else hours.model_dump()


Hours = Annotated[WorkingHours | None, AfterValidator(_plain_hours), Field(examples=[HOURS_EXAMPLE])]
