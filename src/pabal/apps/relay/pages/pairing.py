"""Pairing: codes that can be used now, who used which, who guessed too often; a new code with its text and picture."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import segno
from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.relay.actions import accounts as actions
from pabal.apps.relay.hub import hub_of
from pabal.apps.relay.model.messages import AREA, PairingCode
from pabal.apps.relay.pages.page_texts import ACCOUNT_TOPICS, PAGE, PAIRING, list_choices, short_key
from pabal.apps.relay.store import accounts, live
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import turn
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=PAIRING, include_in_schema=False)
MOST_ACTIVE = 200
MOST_GUESSING = 20
# Scanners want dark on light, whatever the theme.
_DARK, _LIGHT = "#15181d", "#ffffff"


class Paged(BaseModel):
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class ShownCode:
    code: PairingCode
    state: str
    user: str


@router.get("")
async def show_list(visit: Visitor, paged: Annotated[Paged, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        active = await accounts.list_codes(tx, visit.scope, limit=MOST_ACTIVE)
        page = await read_page(
            lambda cursor: accounts.list_codes(tx, visit.scope, with_ended=True, cursor=cursor, limit=PAGE),
            paged.cursor,
        )
        guessing = await live.list_guessing(tx, visit.scope, most=MOST_GUESSING)
        choices = await list_choices(tx, visit, only_enabled=True)
    return await visit.show(
        "relay/pairing.html",
        active=[_show_code(visit, one) for one in active.items],
        ended=[shown for one in page.items if (shown := _show_code(visit, one)).state != "active"],
        guessing=[(one, short_key(one.conversation_key)) for one in guessing],
        choices=choices,
        pager=turn(visit, page.cursor),
        live_topics=ACCOUNT_TOPICS,
    )


@router.post("")
async def create(visit: Visitor, account_id: Annotated[UUID, Form()]) -> Response:
    async with visit.change() as tx:
        made = await actions.new_code(tx, visit.actor, account_id=account_id)
    return visit.go(f"{PAIRING}/{made.code}")


@router.get("/{code}")
async def show(visit: Visitor, code: str) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await accounts.get_code(tx, visit.scope, code)
    if found.state_at(visit.now) == "active":
        # whoever reads it may pair with it
        visit.actor.require(Right.WRITE, AREA)
    text, channel = f"/pair {found.code}", hub_of(visit.services).startup.channel_url
    return await visit.show(
        "relay/pairing_code.html",
        shown=_show_code(visit, found),
        text=text,
        picture=draw(text),
        channel=channel,
        channel_picture=draw(channel) if channel else "",
        live_topics=ACCOUNT_TOPICS,
    )


@router.post("/{code}/revoke")
async def revoke(visit: Visitor, code: str) -> Response:
    async with visit.change() as tx:
        done = await actions.revoke_code(tx, visit.actor, code)
    return visit.go(PAIRING, said=("{code} was revoked.", "{code} 코드를 취소했습니다."), code=done.code)


def draw(text: str) -> str:
    """A QR code as an address of its own."""
    return segno.make(text, error="m", micro=False).svg_data_uri(scale=6, border=3, dark=_DARK, light=_LIGHT)


def _show_code(visit: Visit, code: PairingCode) -> ShownCode:
    return ShownCode(code, code.state_at(visit.now), short_key(code.used_by) if code.used_by else "")
