"""Facts: what happened, as a list and as it happens."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Header, Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Number, Shown, UnitId, may_read, noun
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.engine.listing.facts import Wanted, count_facts
from pabal.engine.reading import Fact
from pabal.platform import operating
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Between, Org, Word, Words, split_commas
from pabal.platform.web.identify import Visitor
from pabal.platform.web.live import live_of
from pabal.platform.web.paging import Page, Source, answer_list

router = noun("facts")
AREA = "facts"
_EXAMPLE = 'id: 100:104:\nevent: settings.changed\ndata: {"seq":7,"name":"settings.changed"}\n\n'


class FactFilter(Between):
    """From and to are of its moment."""

    name: Annotated[
        Words, Field(description="Any of these, separated by commas; may end in a star.", examples=[["alert.*"]])
    ] = ()
    subject: Annotated[Word | None, Field(description="Whose it is.", examples=["alert:7"])] = None


class FactShown(Shown):
    seq: int = Field(examples=[7])
    id: str = Field(examples=["0b5d6f0c-7a3e-4a7e-9a53-5f0b8f8f9d11"])
    name: str = Field(examples=["settings.changed"])
    subject: str = Field(examples=["setting:backup.keep"])
    unit_id: UnitId
    at: datetime
    data: dict[str, Any] = Field(examples=[{"key": "backup.keep"}])


@router.get("/facts", response_model=Page[FactShown], responses={200: {"content": {"text/csv": {}}}})
async def list_facts(visit: Visitor, wanted: Annotated[FactFilter, Query()]) -> Response:
    """Lists facts, the newest first."""
    may_read(visit, AREA)
    filters = Wanted(visit.scope.listed, wanted.name, wanted.subject, wanted.since, wanted.until)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Fact]:
        return await listing.list_facts(tx, filters, limit=limit, cursor=cursor)

    async def count(tx: Tx) -> int:
        return await count_facts(tx, filters)

    return await answer_list(visit, wanted, Source("facts", FactShown, load, show, count), has_csv=True)


@router.get("/facts/{id}", response_model=FactShown)
async def get_fact(visit: Visitor, id: Number) -> Response:
    """Shows one fact by its seq."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.get_fact(tx, visit.scope, id)
    return answer_one(visit, show(found))


@router.get(
    "/events",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}}},
)
async def follow_facts(
    visit: Visitor,
    org: Annotated[Org, Query()] = None,
    topics: Annotated[
        str | None,
        Query(max_length=2000, description="Names of facts, separated by commas: `alert.*,settings.changed`."),
    ] = None,
    last_event_id: Annotated[
        str | None, Query(max_length=20_000, description="As the header, for those who cannot set one.")
    ] = None,
    resume: Annotated[
        str | None,
        Header(alias="Last-Event-ID", description="The `id` of the last event seen: what follows comes first."),
    ] = None,
) -> Response:
    """Follows facts as they happen, as server-sent events, with a heartbeat and from where one left off."""
    names = split_commas(topics) if topics else ["*"]
    return await live_of(visit.request).follow(visit, names, resume or last_event_id)


def show(fact: Fact) -> FactShown:
    return FactShown(
        seq=fact.seq,
        id=str(fact.id),
        name=fact.name,
        subject=fact.subject,
        unit_id=fact.unit_id,
        at=fact.at,
        data=fact.data,
    )
