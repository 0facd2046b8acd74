"""The broker: whether it answers, how far facts are behind, and what became of the events that came in."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Shown, answer, fill, noun
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.platform import broker
from pabal.platform.broker import Kept
from pabal.platform.web.filters import Paged, Word
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun("broker")


class BrokerLine(Shown):
    """One server's line in one direction. `failed_since` is null while the broker answers."""

    server: str = Field(examples=["server-1:4711"])
    side: str = Field(examples=["in"])
    seen_at: datetime
    failed_since: datetime | None
    error: str | None = Field(examples=[None])


class BrokerShown(Shown):
    """`is_connected` is null when no server with a broker was heard of in the last minute."""

    is_connected: bool | None = Field(examples=[True])
    lag_seconds: float | None = Field(
        description="Age of the oldest fact that is not out yet; null while none go out.", examples=[0.2]
    )
    pending: int | None = Field(description="Events taken and not acknowledged yet.", examples=[0])
    lines: list[BrokerLine]


class EventFilter(Paged):
    result: Annotated[
        Literal["applied", "refused", "failed", "retrying", "duplicate"] | None,
        Field(description="`duplicate`: those that came more than once."),
    ] = None
    subject: Annotated[Word | None, Field(examples=["adg_01h2xcejqtf2n"])] = None


class BrokerEventShown(Shown):
    """`id` is the sender's. `raw` is the beginning of what could not be read; `report` what was compared."""

    id: str = Field(examples=["evt-1"])
    name: str = Field(examples=["adgroup.PAUSE"])
    subject: str = Field(examples=["adg_01h2xcejqtf2n"])
    data: dict[str, Any] | None = Field(examples=[{"reason": "sold out"}])
    raw: str | None = Field(examples=[None])
    result: str = Field(examples=["refused"])
    code: str | None = Field(examples=["guard_refused"])
    reason: str | None = Field(examples=["A condition of this move is not met."])
    report: dict[str, Any] | None = Field(examples=[{"state": "READY"}])
    tries: int = Field(examples=[1])
    duplicates: int = Field(description="How often it came again.", examples=[0])
    at: datetime
    ended_at: datetime


@router.get("/broker", response_model=BrokerShown)
async def get_broker(visit: Visitor) -> Response:
    """Shows how the lines to the broker stand. They belong to the house: only people of the head office see them."""
    async with visit.read() as tx:
        found = await broker.describe(tx, visit.actor)
    lines = [fill(BrokerLine, line) for line in found.lines]
    return answer(fill(BrokerShown, found, lines=lines, lag_seconds=found.lag))


@router.get(
    "/broker/events",
    response_model=Page[BrokerEventShown],
    responses={200: {"content": {"text/csv": {}}}},
)
async def list_broker_events(visit: Visitor, wanted: Annotated[EventFilter, Query()]) -> Response:
    """Lists the events that came in, the newest first. Only people of the head office see them."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Kept]:
        return await broker.list_events(
            tx, visit.actor, result=wanted.result, subject=wanted.subject, cursor=cursor, limit=limit
        )

    source = Source("broker_events", BrokerEventShown, load, lambda one: fill(BrokerEventShown, one))
    return await answer_list(visit, wanted, source, has_csv=True)
