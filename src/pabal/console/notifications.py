"""Notifications: what people were told, newest first, and which of it this visitor has not read."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.platform import notifications, tenants
from pabal.platform.notifications import Level, Notification
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()
PAGE = 50


class Filters(BaseModel):
    level: Word = ""
    cursor: Word = ""

    @property
    def levels(self) -> list[Level] | None:
        return [Level(self.level)] if self.level in list(Level) else None


@dataclass(frozen=True, slots=True)
class Row:
    """`href` is what it tells to look at; `place` the unit it concerns, where the visitor sees more than one."""

    told: Notification
    title: str
    text: str
    href: str | None
    place: str
    is_new: bool


@router.get("/notifications")
async def list_notifications(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    within, before = visit.scope.unit_id, read_before(filters.cursor)
    async with visit.read() as tx:
        found = await notifications.list_notifications(
            tx, visit.actor, within=within, levels=filters.levels, before=before, limit=PAGE + 1
        )
        newest = await notifications.list_notifications(tx, visit.actor, within=within, limit=1)
        read_upto = await notifications.find_read_upto(tx, visit.actor)
        places = {unit.id: unit.name for unit in await tenants.list_units(tx, visit.scope.listed)}
    page = cut_by_id(found, PAGE)
    return await visit.show(
        "notifications.html",
        rows=[_row(visit, one, places, read_upto) for one in page.items],
        newest=newest[0].id if newest and newest[0].id > read_upto else None,
        levels=[(level.value, visit.voice.status_word("notice", level)) for level in reversed(Level)],
        filters=filters,
        pager=turn(visit, page.cursor),
        live_topics="*",
    )


@router.post("/notifications/read")
async def mark_read(visit: Visitor, upto: Annotated[int, Form(gt=0, lt=2**63)]) -> Response:
    """What came after the page was shown stays unread."""
    async with visit.change() as tx:
        await notifications.mark_read(tx, visit.actor, upto=upto)
    return visit.go("/notifications", said=("All marked read.", "모두 읽음으로 표시했습니다."))


def _row(visit: Visit, told: Notification, places: dict[int, str], read_upto: int) -> Row:
    return Row(
        told=told,
        title=visit.say(*told.title),
        text=visit.say(*told.text),
        href=told.link or visit.site.link(told.about),
        place=places.get(told.unit_id or 0, "") if len(places) > 1 else "",
        is_new=told.id > read_upto,
    )
