"""What the endpoints share: ids as programs see them, and short answers."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from pabal.base.errors import PabalError
from pabal.engine import listing, why
from pabal.platform.actor import Right
from pabal.platform.resources import View
from pabal.platform.web.endpoints import LAST, Asked, Shown, fill, long_id, no_content, noun
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.paging import answer_json
from pabal.platform.web.visit import Visit

__all__ = ["Asked", "Shown", "fill", "no_content", "noun"]

T = TypeVar("T")
BASE = "/api/v1"
_OCCURRENCE = re.compile(r"occ_[0-9]{1,18}@[0-9]{4}-[0-9T:.Z+-]{4,40}", re.ASCII)
_SCHEDULE = re.compile(r"sch_[0-9]{1,18}", re.ASCII)


def _schema(prefix: str, pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{prefix}_{pattern}$", "examples": [example]})


def _read_schedule(given: Any) -> int:
    if _SCHEDULE.fullmatch(str(given)) is None:
        raise ValueError("a schedule's id looks like sch_12")
    return why.read_schedule(str(given))


def read_occurrence(given: Any) -> tuple[int, datetime]:
    if _OCCURRENCE.fullmatch(str(given)) is None:
        raise ValueError("an occurrence's id looks like occ_12@2026-07-03T00:00:00Z")
    try:
        schedule_id, fire_at = why.read_occurrence(str(given))
    except PabalError as error:
        raise ValueError(str(error)) from error
    if not FIRST_YEAR <= fire_at.year <= LAST_YEAR:
        raise ValueError("a moment out of reach")
    return schedule_id, fire_at


def _checked_occurrence(given: Any) -> str:
    read_occurrence(given)
    return str(given)


JobId = Annotated[int, *long_id("job"), Path(description="The job's id.")]
FileId = Annotated[int, *long_id("file"), Path(description="The file's id.")]
SessionId = Annotated[int, *long_id("ses"), Path(description="The session's id.")]
ScheduleId = Annotated[
    int,
    BeforeValidator(_read_schedule),
    _schema("sch", "[0-9]{1,18}", "sch_12"),
    Path(description="The schedule's id."),
]
OccurrenceId = Annotated[
    str,
    BeforeValidator(_checked_occurrence),
    _schema("occ", "[0-9]{1,18}@.+", "occ_12@2026-07-03T00:00:00Z"),
    Path(description="The occurrence's id: its schedule and its moment."),
]
RuleName = Annotated[str, Path(max_length=200, description="The rule's name.", examples=["engine.stuck_work"])]
SettingKey = Annotated[str, Path(max_length=100, description="The setting's key.", examples=["backup.keep"])]
LaneName = Annotated[str, Path(max_length=400, description="The lane's name.", examples=["licence:ae"])]
ConsumerName = Annotated[str, Path(max_length=100, description="The consumer's name.", examples=["billing"])]
Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
DryRun = Annotated[bool, Query(description="Only say what would happen; change nothing.")]


def answer(shown: BaseModel | View, status: int = 200, *, location: str | None = None) -> Response:
    return answer_json(shown, status, {} if location is None else {"Location": f"{BASE}{location}"})


def may_read(visit: Visit, area: str) -> None:
    visit.actor.require(Right.READ, area)


def by_id(found: Sequence[T], limit: int, cursor_of: Any) -> listing.Page[T]:
    """For lists that answer plain rows: one more was asked for than is shown."""
    items = list(found[:limit])
    more = len(found) > limit
    return listing.Page(items, listing.paging.show_cursor(cursor_of(items[-1])) if more else None)


def read_id(cursor: str | None) -> int:
    return LAST if cursor is None else int(listing.paging.read_cursor(cursor, int)[0])
