"""Audit: who changed what, before and after, and from where."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Shown, UnitId, by_id, fill, may_read, noun, read_id
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import audit
from pabal.platform.audit import Entry, Wanted
from pabal.platform.web.filters import Between, Word
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun("audit")


class AuditFilter(Between):
    actor: Annotated[Word | None, Field(examples=["user:12"])] = None
    action: Annotated[Word | None, Field(description="May end in a star.", examples=["users.*"])] = None
    about: Annotated[Word | None, Field(examples=["user:12"])] = None


class EntryShown(Shown):
    id: str = Field(examples=["aud_01h2xcejqtf2n"])
    at: datetime
    actor: str = Field(examples=["user:12"])
    actor_label: str = Field(examples=["김운영"])
    origin: str = Field(examples=["127.0.0.1"])
    unit_id: UnitId
    action: str = Field(examples=["users.edit"])
    about: str = Field(examples=["user:14"])
    before: dict[str, Any] | None = Field(examples=[{"role": "viewer"}])
    after: dict[str, Any] | None = Field(examples=[{"role": "operator"}])


@router.get("/audit", response_model=Page[EntryShown], responses={200: {"content": {"text/csv": {}}}})
async def list_audit(visit: Visitor, wanted: Annotated[AuditFilter, Query()]) -> Response:
    """Lists every change, the newest first."""
    may_read(visit, "audit")

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Entry]:
        asked = Wanted(
            visit.scope.listed,
            wanted.actor,
            wanted.action,
            wanted.about,
            wanted.since,
            wanted.until,
            read_id(cursor),
        )
        return by_id(await audit.list_entries(tx, asked, limit=limit + 1), limit, lambda one: one.id)

    return await answer_list(visit, wanted, Source("audit", EntryShown, load, show), has_csv=True)


def show(entry: Entry) -> EntryShown:
    return fill(EntryShown, entry, id=ids.show("aud", entry.id))
