"""Finds what a command names: by number, or by name where only one has it. The first column of a list is the number."""

from collections.abc import Sequence
from typing import TypeVar

from pabal.apps.messaging.errors import (
    BotNotFound,
    BulkSendNotFound,
    DeliveryNotFound,
    DeviceNotFound,
    GroupNotFound,
    RoomNotFound,
    ScheduleNotFound,
    TemplateNotFound,
)
from pabal.apps.messaging.model.bots import Bot, Device
from pabal.apps.messaging.model.bulks import BulkSend, RoomGroup
from pabal.apps.messaging.model.content import Template
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.model.rooms import Room, RoomType
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.apps.messaging.store import bots, bulks, deliveries, groups, rooms, schedules, templates
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import ids
from pabal.engine.listing import paging
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope

Named = TypeVar("Named", Bot, Device, Room, RoomGroup, Schedule, Template)
# enough to tell which ones one may mean
_MOST = 20


async def find_schedule(tx: Tx, scope: Scope, text: str) -> Schedule:
    number = _number(text)
    if number is not None:
        return await schedules.get_schedule(tx, scope, number)
    return _only(await schedules.list_titled(tx, scope, text.strip(), most=_MOST), text, ScheduleNotFound)


async def find_template(tx: Tx, scope: Scope, text: str) -> Template:
    number = _number(text)
    if number is not None:
        return await templates.get_template(tx, scope, number)
    return _only(await templates.list_named(tx, scope, text.strip(), most=_MOST), text, TemplateNotFound)


async def find_room(tx: Tx, scope: Scope, text: str) -> Room:
    """By channel id too. What nobody has claimed is found as well."""
    number = _number(text)
    found = None if number is None else await rooms.find_room(tx, number)
    if found is not None and scope.holds(found.unit_id):
        return found
    return _only(await rooms.list_named(tx, scope, text.strip(), most=_MOST), text, RoomNotFound)


async def find_schedule_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await find_schedule(tx, scope, text)).id


async def find_template_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await find_template(tx, scope, text)).id


async def find_bot_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await find_bot(tx, scope, text)).id


async def find_test_room(tx: Tx, scope: Scope, text: str | None) -> Room:
    """The one there is, when none is named."""
    if text is not None:
        return await find_room(tx, scope, text)
    page = await rooms.list_rooms(tx, scope, RoomFilter(type=RoomType.TEST), limit=2)
    return _only(page.items, "test", RoomNotFound)


async def find_room_id(tx: Tx, scope: Scope, text: str) -> int:
    """For a filter that names a room."""
    return (await find_room(tx, scope, text)).id


async def find_room_ids(tx: Tx, scope: Scope, text: str) -> tuple[int, ...]:
    """Several, with commas between them."""
    return tuple([await find_room_id(tx, scope, one.strip()) for one in text.split(",") if one.strip()])


async def find_group(tx: Tx, scope: Scope, text: str) -> RoomGroup:
    number = _number(text)
    if number is not None:
        return await groups.get_group(tx, scope, number)
    return _only(await groups.list_named(tx, scope, text.strip(), most=_MOST), text, GroupNotFound)


async def find_group_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await find_group(tx, scope, text)).id


async def find_bulk(tx: Tx, scope: Scope, text: str) -> BulkSend:
    number = _number(text)
    if number is None:
        raise BulkSendNotFound(text[:100])
    return await bulks.get_bulk(tx, scope, number)


async def find_bot(tx: Tx, scope: Scope, text: str) -> Bot:
    number = _number(text)
    if number is not None:
        return await bots.get_bot(tx, scope, number)
    number = await bots.find_by_name(tx, scope, text.strip())
    if number is None:
        raise BotNotFound(text[:100])
    return await bots.get_bot(tx, scope, number)


async def find_bot_ids(tx: Tx, scope: Scope, text: str) -> tuple[int, ...]:
    """Several, with commas between them."""
    return tuple([await find_bot_id(tx, scope, one.strip()) for one in text.split(",") if one.strip()])


async def find_device(tx: Tx, scope: Scope, text: str) -> Device:
    """By the name of its bot too, when that has no other device."""
    number = _number(text)
    if number is not None:
        return await bots.get_device(tx, scope, number)
    return _only((await find_bot(tx, scope, text)).devices, text, DeviceNotFound)


async def find_delivery(tx: Tx, scope: Scope, text: str) -> Delivery:
    """The first letters of its id are enough."""
    try:
        low, high = ids.read_range("dlv", text.strip())
    except ids.BadId as error:
        raise DeliveryNotFound(text[:100]) from error
    page = await deliveries.list_deliveries(tx, scope, cursor=paging.show_cursor(min(high, ids.LAST)), limit=2)
    found = [one for one in page.items if one.id >= low]
    if not found:
        raise DeliveryNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(ids.show("dlv", one.id) for one in found))
    return found[0]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _only(found: Sequence[Named], text: str, missing: type[NotFound]) -> Named:
    if not found:
        raise missing(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(f"{one.id} {_name(one)}" for one in found))
    return found[0]


def _name(one: Bot | Device | Room | RoomGroup | Schedule | Template) -> str:
    match one:
        case Schedule():
            return one.title
        case Device():
            return one.device_id or ""
    return one.name
