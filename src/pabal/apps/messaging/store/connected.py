"""Devices as the listener sees them: who called, under which life, and which of them holds its bot's route."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pabal.apps.messaging.model.bots import DeviceState
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.routes import Route

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who called, as it says itself."""

    bot_name: str
    device_id: str
    version: str
    client_type: str
    info: str
    address: str
    network: str


@dataclass(frozen=True, slots=True)
class Registered:
    """`proof` changes with the bot's secret; None: it has none. `is_new`: nobody has decided about it yet.

    `is_asking`: it is approved, but not for where it calls from.
    """

    bot_id: int
    unit_id: int | None
    device: int
    state: str
    is_new: bool
    excluded_by: str | None
    proof: str | None
    is_asking: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a device now: what was decided, and the life it is connected to."""

    id: int
    state: str
    worker: int | None
    networks: list[str]
    unit_id: int | None
    is_excluded: bool
    proof: str | None
    is_chosen: bool

    def asks(self, network: str) -> bool:
        """Whether it must ask where it has no secret to prove itself by."""
        return asks_at(network, self.state, self.networks, self.proof)


@dataclass(frozen=True, slots=True)
class Secret:
    """Sealed."""

    secret: str
    salt: str | None
    proof: str


@dataclass(frozen=True, slots=True)
class Heard:
    device: int
    age: timedelta
    monitoring: dict[str, Any]
    signature: str
    signed_ms: int


@dataclass(frozen=True, slots=True)
class ServerLoad:
    host: str
    port: int
    active_bots: int
    total_connections: int
    memory_mb: float
    cpu_percent: float
    refused: int


async def register(tx: Tx, caller: Caller, *, worker: int | None, asks_at_new: bool) -> Registered:
    """The bot and the device are there afterwards; whoever finds `is_new` begins the device's machine."""
    await tx.run(SQL.insert_bot, name=caller.bot_name, now=tx.now)
    [bot] = await tx.rows(SQL.find_bot_named, name=caller.bot_name)
    who = {"bot_id": bot["id"], "device_id": caller.device_id}
    made = await tx.value(SQL.insert_device, **who, state=DeviceState.PENDING.value, now=tx.now)
    [device] = await tx.rows(SQL.find_called, **who)
    is_asking = asks_at_new and asks_at(caller.network, device["state"], device["networks"], bot["proof"])
    if is_asking:
        await tx.run(SQL.update_asking, id=device["id"], address=caller.address)
    else:
        await _note_connected(tx, caller, device["id"], worker=worker, has_secret=bot["proof"] is not None)
    return Registered(
        bot_id=bot["id"],
        unit_id=bot["unit_id"],
        device=device["id"],
        state=device["state"],
        is_new=made is not None,
        excluded_by=bot["excluded_by"],
        proof=bot["proof"],
        is_asking=is_asking,
    )


def asks_at(network: str, state: str, networks: Sequence[str], proof: str | None) -> bool:
    """A secret proves more than an address. One that was approved before anybody noted where is at home anywhere."""
    return state == DeviceState.APPROVED and proof is None and bool(networks) and network not in networks


async def _note_connected(tx: Tx, caller: Caller, device: int, *, worker: int | None, has_secret: bool) -> None:
    await tx.run(
        SQL.update_connected,
        id=device,
        client_version=caller.version,
        client_type=caller.client_type,
        info=caller.info,
        address=caller.address,
        # Who owes a proof has not said yet that it belongs here.
        network=None if has_secret else caller.network or None,
        worker=worker,
        now=tx.now,
    )


async def update_signed(tx: Tx, device: int, signed_ms: int, *, network: str) -> bool:
    """False: it is no newer than what was seen of this device, on this server or another."""
    return await tx.run(SQL.update_signed, device=device, signed_ms=signed_ms, network=network) > 0


async def count_pending(tx: Tx, *, most: int) -> int:
    counted: int = await tx.value(SQL.count_pending, most=most)
    return counted


async def list_approved(tx: Tx) -> frozenset[tuple[str, str]]:
    """The bots and devices that somebody approved."""
    return frozenset((row["name"], row["device_id"]) for row in await tx.rows(SQL.list_approved))


async def list_seen(tx: Tx, devices: Iterable[int]) -> dict[int, Seen]:
    return {seen.id: seen for seen in await tx.all(Seen, SQL.list_seen, devices=list(devices))}


async def list_routes(tx: Tx, routes: Iterable[str], *, worker: int) -> dict[str, Route]:
    """Who holds these, and all routes of bots that this life holds."""
    return {route.route: route for route in await tx.all(Route, SQL.list_routes, routes=list(routes), worker=worker)}


async def list_busy(tx: Tx, routes: Iterable[str], *, worker: int) -> set[str]:
    """Those of them on which something of this life runs."""
    return {row["queue"] for row in await tx.rows(SQL.list_busy, routes=list(routes), worker=worker)}


async def find_secret(tx: Tx, device: int) -> Secret | None:
    return await tx.one(Secret, SQL.find_secret, device=device)


async def update_moved(tx: Tx, devices: Sequence[int], *, worker: int) -> None:
    await tx.run(SQL.update_moved, ids=list(devices), worker=worker)


async def update_holder(tx: Tx, bot_id: int, device: int) -> None:
    """It sends for its bot from now on; what somebody wished for before is done or over."""
    await tx.run(SQL.update_holder, bot_id=bot_id, device=device)
    await tx.run(SQL.clear_chosen, bot_id=bot_id)


async def clear_holder(tx: Tx, bot_id: int, device: int) -> None:
    await tx.run(SQL.clear_holder, bot_id=bot_id, device=device)


async def update_gone(tx: Tx, device: int, *, worker: int) -> None:
    await tx.run(SQL.update_gone, id=device, worker=worker)


async def forget_gone(tx: Tx, *, worker: int, here: Iterable[int]) -> None:
    """Of this life only these are still connected."""
    await tx.run(SQL.forget_gone, worker=worker, here=list(here))


async def update_heard(tx: Tx, heard: Sequence[Heard], *, worker: int) -> None:
    """Last pings and what the phones said of themselves, in one statement."""
    await tx.run(
        SQL.update_heard,
        ids=[each.device for each in heard],
        ages=[each.age for each in heard],
        monitorings=[json.dumps(each.monitoring, ensure_ascii=False) for each in heard],
        signatures=[each.signature for each in heard],
        signed=[each.signed_ms for each in heard],
        worker=worker,
        now=tx.now,
    )


async def upsert_server(tx: Tx, load: ServerLoad, *, worker: int) -> None:
    await tx.run(
        SQL.upsert_server,
        worker=worker,
        host=load.host,
        port=load.port,
        active_bots=load.active_bots,
        total_connections=load.total_connections,
        memory_mb=load.memory_mb,
        cpu_percent=load.cpu_percent,
        refused=load.refused,
        now=tx.now,
    )


async def delete_dead_servers(tx: Tx) -> None:
    await tx.run(SQL.delete_dead_servers)
