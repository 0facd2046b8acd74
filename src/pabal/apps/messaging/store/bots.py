"""Bots and their devices, for people: who they are, where they are connected, what waits for them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from pabal.apps.messaging.errors import BotNotFound, DeviceNotFound
from pabal.apps.messaging.model.bots import Bot, BotServer, Device, route_of
from pabal.apps.messaging.model.content import ImageMode
from pabal.apps.messaging.resources.bots import BotFilter, DeviceFilter
from pabal.apps.messaging.store.capacity import measure
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
# Of more jobs than this nobody asks how many exactly.
MOST_COUNTED = 10_001
ALL_BOTS, WAITING_DEVICES = BotFilter(), DeviceFilter()


async def get_bot(tx: Tx, scope: Scope, bot_id: int) -> Bot:
    """One's own, or one in a room of one's own: that one without its devices."""
    found = await tx.one(_BotRow, SQL.find_bot, id=bot_id)
    if found is None:
        raise BotNotFound(str(bot_id))
    if not scope.holds(found.unit_id) and not await tx.value(SQL.is_usable, id=bot_id, units=scope.listed):
        raise BotNotFound(str(bot_id))
    [bot] = await _complete(tx, [found], scope.units)
    return bot


async def find_bot(tx: Tx, bot_id: int) -> Bot | None:
    """Whoever asks: for the app's own work."""
    found = await tx.one(_BotRow, SQL.find_bot, id=bot_id)
    return None if found is None else (await _complete(tx, [found], None))[0]


async def find_by_name(tx: Tx, scope: Scope, name: str) -> int | None:
    """The id of one's own, or of one in a room of one's own."""
    found: int | None = await tx.value(SQL.find_by_name, name=name, units=scope.listed)
    return found


async def list_bots(
    tx: Tx, scope: Scope, wanted: BotFilter = ALL_BOTS, *, cursor: str | None = None, limit: int = 50
) -> Page[Bot]:
    """Those of the units in sight and those in a room of theirs, by name; of the latter only what users must know."""
    found = await tx.all(
        _BotRow,
        SQL.list_bots,
        units=scope.listed,
        q=wanted.q or None,
        room_id=wanted.room,
        after="" if cursor is None else paging.read_cursor(cursor, str)[0],
        most=paging.one_more(limit),
    )
    page = paging.cut(found, limit, lambda bot: paging.show_cursor(bot.name))
    return Page(await _complete(tx, page.items, scope.units), page.cursor)


async def get_device(tx: Tx, scope: Scope, device_id: int) -> Device:
    found = await tx.one(Device, SQL.find_device, id=device_id)
    if found is None or not scope.holds(found.unit_id):
        raise DeviceNotFound(str(device_id))
    return found


async def hold_device(tx: Tx, device_id: int) -> None:
    """Locked until the commit."""
    await tx.run(SQL.hold_device, id=device_id)


async def list_devices(
    tx: Tx, scope: Scope, wanted: DeviceFilter = WAITING_DEVICES, *, limit: int = 100
) -> list[Device]:
    """Those in this state, the longest known first: with what is pending, those that ask from a new address."""
    return await tx.all(Device, SQL.list_devices_in, units=scope.listed, state=wanted.state.value, most=limit)


async def list_connected(tx: Tx, names: Collection[str]) -> set[str]:
    """Those of these bots, by name, that a server holds now."""
    routes = {route_of(name): name for name in names}
    return {routes[row["route"]] for row in await tx.rows(SQL.list_holders, routes=list(routes))}


async def list_servers(tx: Tx) -> list[BotServer]:
    """Those alive. They belong to the house; a bot's `worker` names one."""
    return await tx.all(BotServer, SQL.list_servers)


async def list_held(tx: Tx, routes: Collection[str]) -> set[str]:
    """Those of them that a server holds which is alive."""
    return {row["route"] for row in await tx.rows(SQL.list_holders, routes=list(routes))}


async def hold_bot(tx: Tx, bot_id: int) -> Bot | None:
    """Locked until the commit, without its devices: for who changes it."""
    found = await tx.one(_BotRow, SQL.hold_bot, id=bot_id)
    return None if found is None else found.as_bot()


async def update_bot(tx: Tx, bot_id: int, *, image_mode: ImageMode, unit_id: int | None) -> None:
    await tx.run(SQL.update_bot, id=bot_id, image_mode=image_mode.value, unit_id=unit_id, now=tx.now)
    await tx.run(SQL.update_devices_unit, bot_id=bot_id, unit_id=unit_id)


async def update_secret(tx: Tx, bot_id: int, *, secret: str | None, salt: str | None) -> None:
    """Both sealed, or None."""
    await tx.run(SQL.update_secret, id=bot_id, secret=secret, salt=salt, now=tx.now)


async def update_decided(tx: Tx, device_id: int, *, by: str) -> None:
    await tx.run(SQL.update_decided, id=device_id, by=by, now=tx.now)


async def update_chosen(tx: Tx, device_id: int) -> None:
    await tx.run(SQL.update_chosen, id=device_id, now=tx.now)


async def update_networks(tx: Tx, device: Device, networks: Sequence[str]) -> bool:
    """It asks no more. False: it has asked from elsewhere since."""
    done = await tx.run(SQL.update_networks, id=device.id, networks=list(networks), asked_from=device.asks_from)
    return done > 0


async def update_excluded(tx: Tx, bot_id: int, *, by: str, reason: str) -> None:
    await tx.run(SQL.update_excluded, id=bot_id, by=by, reason=reason, now=tx.now)


async def update_included(tx: Tx, bot_id: int) -> None:
    await tx.run(SQL.update_included, id=bot_id, now=tx.now)


async def add_failure(tx: Tx, bot_id: int) -> tuple[int, bool]:
    """How many in a row it has now, and whether it is excluded already."""
    rows = await tx.rows(SQL.add_failure, id=bot_id)
    return (rows[0]["failures"], rows[0]["is_excluded"]) if rows else (0, True)


async def clear_failures(tx: Tx, bot_ids: Collection[int]) -> None:
    await tx.run(SQL.clear_failures, ids=sorted(bot_ids))


async def hold_excluded(tx: Tx, *, by: str, until: datetime, limit: int = 100) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.list_excluded, by=by, until=until, most=limit)]


@dataclass(frozen=True, slots=True)
class _BotRow:
    id: int
    unit_id: int | None
    name: str
    image_mode: str
    has_secret: bool
    failures: int
    excluded_at: datetime | None
    excluded_by: str | None
    excluded_reason: str | None
    created_at: datetime

    def as_bot(self) -> Bot:
        return Bot(
            id=self.id,
            unit_id=self.unit_id,
            name=self.name,
            image_mode=ImageMode(self.image_mode),
            has_secret=self.has_secret,
            failures=self.failures,
            excluded_at=self.excluded_at,
            excluded_by=self.excluded_by,
            excluded_reason=self.excluded_reason,
            created_at=self.created_at,
        )


async def _complete(tx: Tx, found: Sequence[_BotRow], units: Sequence[int] | None) -> list[Bot]:
    """With where each is connected and what waits for it, and the devices of those whose unit is in sight."""
    bots = [row.as_bot() for row in found]
    if not bots:
        return []
    routes = [bot.route for bot in bots]
    holders = _by_route(await tx.rows(SQL.list_holders, routes=routes), "worker")
    lanes = _by_route(await tx.rows(SQL.count_open, routes=routes, most=MOST_COUNTED), "open")
    devices: dict[int, list[Device]] = {}
    for device in await tx.all(Device, SQL.list_devices, bots=[bot.id for bot in bots]):
        devices.setdefault(device.bot_id, []).append(device)
    bots = [replace(bot, worker=holders.get(bot.route), lane=lanes.get(bot.route, 0)) for bot in bots]
    bots = await _foresee(tx, bots)
    return [_with(bot, devices.get(bot.id, [])) if units is None or bot.unit_id in units else bot for bot in bots]


async def _foresee(tx: Tx, bots: Sequence[Bot]) -> list[Bot]:
    """When each would be through with what waits, if it is connected and was seen to send before."""
    busy = [bot.id for bot in bots if bot.lane and bot.worker is not None]
    seen = await measure(tx, busy) if busy else {}
    return [
        replace(bot, through_at=tx.now + timedelta(seconds=bot.lane * seen[bot.id].send)) if bot.id in seen else bot
        for bot in bots
    ]


def _with(bot: Bot, devices: Sequence[Device]) -> Bot:
    pings = [device.last_ping_at for device in devices if device.last_ping_at is not None]
    return replace(bot, devices=tuple(devices), last_ping_at=max(pings, default=None))


def _by_route(rows: Sequence[Row], column: str) -> dict[str, Any]:
    return {row["route"]: row[column] for row in rows}
