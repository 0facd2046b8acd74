"""Bots: who is connected where, what waits for each, and the devices that ask to be one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.errors import SchedulesDepend, UnknownDecision
from pabal.apps.messaging.model.bots import Bot, BotServer, Device
from pabal.apps.messaging.model.content import ImageMode
from pabal.apps.messaging.model.reasons import explain_unproven, name_exclusion
from pabal.apps.messaging.pages.page_texts import AREA, PAGE
from pabal.apps.messaging.pages.rooms import ask_first
from pabal.apps.messaging.resources.bots import BotFilter, DeviceFilter, show_bot, show_device
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.apps.messaging.store import attention, bots, deliveries, rooms
from pabal.apps.messaging.store.templates import EVERYTHING
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.many import Offer, offer
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
TOPICS = "messaging.*,bot_device.*"
PARTS_SINCE = (3, 3)
Back = Annotated[str, Form(max_length=2000)]
Network = Annotated[str, Form(max_length=100)]
_DECIDE = {
    "approve": (actions.approve, ("Approved.", "승인했습니다.")),
    "deny": (actions.deny, ("Denied.", "거절했습니다.")),
    "choose": (actions.choose, ("This phone sends now.", "이제 이 전화기로 보냅니다.")),
    "revoke": (actions.revoke, ("Approval withdrawn.", "승인을 거두었습니다.")),
    "block": (actions.block, ("Blocked.", "막았습니다.")),
    "unblock": (actions.unblock, ("It may ask again.", "다시 물을 수 있습니다.")),
}


class Filters(BaseModel):
    q: Word = ""
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class ServerLine:
    """A server of bots with its limits and who is connected there."""

    server: BotServer
    bots: list[Bot]
    most_bots: int
    most_memory_mb: int
    most_cpu_percent: int

    @property
    def is_full(self) -> bool:
        one = self.server
        return (
            one.active_bots >= self.most_bots
            or one.memory_mb > self.most_memory_mb
            or one.cpu_percent > self.most_cpu_percent
        )


def name_dialect(device: Device) -> str:
    """Which of the two ways it speaks, by its version: from 3.3 on with parts after the header."""
    numbers = [int(part) if part.isdigit() else 0 for part in device.client_version.lstrip("vV").split(".")[:2]]
    return "" if not device.client_version else "v3.3" if tuple(numbers) >= PARTS_SINCE else "v3.2"


@router.get("/messages/bots")
async def list_page(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load(tx, visit, filters)
        servers = await _list_servers(tx) if visit.scope.units is None else []
        waiting = [one for one in await attention.list_waiting_bots(tx) if visit.scope.holds(one.unit_id)]
        pending = await bots.list_devices(tx, visit.scope)
        pending = [show_device(visit.actor, device) for device in pending]
    return await visit.show(
        "messaging/bots.html",
        bots=[show_bot(visit.actor, bot) for bot in page.items],
        servers=servers,
        addresses={line.server.worker: line.server.address for line in servers},
        waiting=waiting,
        pending=pending,
        offer=_offer_devices(visit, len(pending)),
        filters=filters,
        address=_show_address(visit, servers),
        dialect=name_dialect,
        holds=visit.scope.holds,
        name_exclusion=name_exclusion,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


def _offer_devices(visit: Visit, total: int) -> Offer | None:
    """Of those that wait: deciding about a phone takes an administrator."""
    if total < 2 or not visit.actor.may(Right.MANAGE, AREA):
        return None
    return offer(visit, "messaging.devices", DeviceFilter(), total=total, only=("approve", "deny", "block"))


@router.get("/messages/bots/{bot_id}")
async def page(visit: Visitor, bot_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        bot = await bots.get_bot(tx, visit.scope, bot_id)
        units = await load_tree(tx, visit.scope)
        asks_at_new = await settings.value(tx, own.ASK_AT_NEW_ADDRESS)
        known = await rooms.list_rooms(tx, visit.scope, RoomFilter(bot=bot_id), limit=PAGE)
        servers = await bots.list_servers(tx) if visit.scope.units is None else []
        under_way = [one for one in await deliveries.list_open(tx, visit.scope.listed) if one.bot_id == bot_id]
    return await visit.show(
        "messaging/bot.html",
        bot=show_bot(visit.actor, bot),
        asks_at_new=asks_at_new,
        path=units.names(bot.unit_id),
        units=units.choices(),
        rooms=known.items,
        server=next((one.address for one in servers if one.worker == bot.worker), ""),
        addresses={one.worker: one.address for one in servers},
        under_way=under_way,
        is_own=visit.scope.holds(bot.unit_id),
        name_exclusion=name_exclusion,
        explain_unproven=explain_unproven,
        is_house=visit.scope.units is None,
        dialect=name_dialect,
        live_topics=TOPICS,
    )


@router.post("/messages/bots/{bot_id}/exclude")
async def exclude(
    visit: Visitor, bot_id: RowId, reason: Annotated[str, Form(max_length=1000)], back: Back = ""
) -> Response:
    async with visit.change() as tx:
        await actions.exclude(tx, visit.actor, bot_id, reason)
    return visit.go(
        back or f"/messages/bots/{bot_id}", said=("Excluded: it gets nothing.", "제외했습니다. 보내지 않습니다.")
    )


@router.post("/messages/bots/{bot_id}/include")
async def include(visit: Visitor, bot_id: RowId, back: Back = "") -> Response:
    async with visit.change() as tx:
        await actions.include(tx, visit.actor, bot_id)
    return visit.go(back or f"/messages/bots/{bot_id}", said=("Included again.", "다시 넣었습니다."))


@router.post("/messages/bots/{bot_id}/secret")
async def set_secret(
    visit: Visitor,
    bot_id: RowId,
    secret: Annotated[str, Form(max_length=1000)] = "",
    salt: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """It goes in and never comes out."""
    async with visit.change() as tx:
        await actions.set_secret(tx, visit.actor, bot_id, vault=visit.services.vault, secret=secret, salt=salt)
    return visit.go(f"/messages/bots/{bot_id}", said=("The secret is kept.", "비밀 값을 저장했습니다."))


@router.post("/messages/bots/{bot_id}")
async def edit(
    visit: Visitor,
    bot_id: RowId,
    image_mode: Annotated[ImageMode, Form()],
    unit_id: Annotated[str, Form()] = "",
    confirm: Annotated[bool, Form()] = False,
) -> Response:
    """Without a unit it is the house's."""
    owner = int(unit_id) if unit_id.isdigit() else None
    try:
        async with visit.change() as tx:
            await actions.edit(tx, visit.actor, bot_id, image_mode=image_mode, unit_id=owner, confirm=confirm)
    except SchedulesDepend as error:
        return await ask_first(visit, error, {"image_mode": image_mode.value, "unit_id": unit_id})
    return visit.go(f"/messages/bots/{bot_id}", said=("Saved.", "저장했습니다."))


@router.post("/messages/devices/{device_id}/{verb}")
async def decide(visit: Visitor, device_id: RowId, verb: str, back: Back = "", network: Network = "") -> Response:
    """`network`: what was shown beside the button."""
    if verb not in _DECIDE:
        raise UnknownDecision(verb[:20])
    act, said = _DECIDE[verb]
    async with visit.change() as tx:
        if verb == "approve":
            device = await actions.approve(tx, visit.actor, device_id, network=network or None)
        else:
            device = await act(tx, visit.actor, device_id)
    return visit.go(back or f"/messages/bots/{device.bot_id}", said=said)


async def _load(tx: Tx, visit: Visit, filters: Filters) -> Page[Bot]:
    wanted = BotFilter(q=filters.q or None)

    async def load(cursor: str | None) -> Page[Bot]:
        return await bots.list_bots(tx, visit.scope, wanted, cursor=cursor, limit=PAGE)

    return await read_page(load, filters.cursor)


async def _list_servers(tx: Tx) -> list[ServerLine]:
    """The house's, with everyone connected to each."""
    values = await settings.values(tx, (own.MAX_BOTS, own.MAX_MEMORY_MB, own.MAX_CPU_PERCENT))
    known = (await bots.list_bots(tx, EVERYTHING, limit=1000)).items
    return [
        ServerLine(
            server,
            [bot for bot in known if bot.worker == server.worker],
            values[own.MAX_BOTS],
            values[own.MAX_MEMORY_MB],
            values[own.MAX_CPU_PERCENT],
        )
        for server in await bots.list_servers(tx)
    ]


def _show_address(visit: Visit, servers: Sequence[ServerLine]) -> str:
    """What is put into the phone's script: the host people reach this server by, and the bots' port."""
    settings = visit.services.settings
    host = urlsplit(settings.public_url).hostname or visit.request.url.hostname or "localhost"
    # 0 is any free one: then a server knows better
    port = settings.bots_port or next((line.server.port for line in servers), 0)
    return f"{host}:{port}"
