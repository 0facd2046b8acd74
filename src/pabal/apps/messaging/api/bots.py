"""Bots and the devices that say they are one: who they are, where they are connected, and what is decided of them."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field, SecretStr

from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.actions.bots import BotChange
from pabal.apps.messaging.api.parts import Asked, Id, Number, Shown, fill, may_read, no_content, noun
from pabal.apps.messaging.model.bots import Bot, Device, DeviceState
from pabal.apps.messaging.model.content import ImageMode
from pabal.apps.messaging.store import bots as store
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page as Rows
from pabal.platform.actor import Actor
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Text, Word
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import Once, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun()
Decision = Callable[[Tx, Actor, int], Awaitable[Device]]


class BotFilter(Listed):
    q: Annotated[Word | None, Field(description="A part of its name.")] = None
    room: Annotated[Id | None, Field(description="Only those in this room.", examples=[3])] = None


class DeviceFilter(Plain):
    state: Annotated[DeviceState, Field(description="Only those in this state.")] = DeviceState.PENDING


class DeviceShown(Shown):
    """A phone that said it is this bot. `server` is where it is connected now."""

    id: int = Field(examples=[2])
    bot_id: int = Field(examples=[1])
    bot_name: str = Field(examples=["busan1"])
    device_id: str | None = Field(description="Null for who may not manage messaging.", examples=["9774d56d682e549c"])
    state: DeviceState = Field(examples=["approved"])
    client_version: str = Field(examples=["3.3.3"])
    client_type: str = Field(examples=["MessengerBotR"])
    info: str = Field(examples=["SM-G998N"])
    address: str = Field(examples=["127.0.0.1:50412"])
    networks: list[str] = Field(description="Where it may call from without being asked.", examples=[["10.0.0.0/24"]])
    asks_from: str | None = Field(
        description="An address it called from that is in none of them: approve or deny it.", examples=[None]
    )
    signature: str = Field(description="Of its last pong: none, valid or invalid.", examples=["none"])
    server: str | None = Field(examples=["wrk_01h2xcejqtf2n"])
    connected_at: datetime | None
    last_ping_at: datetime | None
    monitoring: dict[str, Any] = Field(examples=[{}])
    decided_by: str | None = Field(examples=["user:12"])
    decided_at: datetime | None
    created_at: datetime


class BotShown(Shown):
    """A bot. `state` is online, offline or excluded; `waiting` counts what is queued for it.

    Who only uses it in a room sees no devices. Its secret is never shown.
    """

    id: int = Field(examples=[1])
    unit_id: int | None = Field(examples=[3])
    name: str = Field(examples=["busan1"])
    state: str = Field(examples=["online"])
    image_mode: ImageMode
    has_secret: bool = Field(examples=[False])
    failures: int = Field(description="In a row.", examples=[0])
    waiting: int = Field(examples=[0])
    server: str | None = Field(examples=["wrk_01h2xcejqtf2n"])
    last_ping_at: datetime | None
    excluded_at: datetime | None
    excluded_by: str | None = Field(examples=[None])
    excluded_reason: str | None = Field(examples=[None])
    created_at: datetime
    devices: list[DeviceShown]


class BotEdit(Asked):
    """Only what is given changes. `unit_id` null gives it to the house."""

    image_mode: ImageMode | None = None
    unit_id: Id | None = Field(default=None, examples=[3])

    def apply(self, bot: Bot) -> BotChange:
        unit_id = self.unit_id if "unit_id" in self.model_fields_set else bot.unit_id
        return BotChange(self.image_mode or bot.image_mode, unit_id)


class Exclude(Asked):
    reason: Text = Field(examples=["The phone is at the repair shop."])


class BotSecret(Asked):
    """What its devices sign with. It is kept sealed and never shown."""

    secret: SecretStr = Field(max_length=1000, examples=["a long secret"])
    salt: SecretStr = Field(default=SecretStr(""), max_length=1000, examples=["some salt"])


@router.get("/bots", response_model=Page[BotShown])
async def list_bots(visit: Visitor, wanted: Annotated[BotFilter, Query()]) -> Response:
    """Lists the bots of your units and those in their rooms, by name."""
    may_read(visit)
    filters = store.Wanted(visit.scope.listed, wanted.q, wanted.room)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Bot]:
        return await store.list_bots(tx, filters, cursor=cursor, limit=limit)

    return await answer_list(visit, wanted, Source("bots", BotShown, load, partial(_show, visit)))


@router.get("/bots/{id}", response_model=BotShown)
async def get_bot(visit: Visitor, id: Number) -> Response:
    """Shows one bot."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, _show(visit, found))


@router.patch("/bots/{id}", response_model=BotShown)
async def edit_bot(visit: Visitor, once: OnceOnly, id: Number, asked: BotEdit) -> Response:
    """Changes how a bot is given images, and whose it is."""

    async def act(tx: Tx) -> Response:
        bot = await _hold(tx, visit, id)
        return answer_one(visit, _show(visit, await actions.edit(tx, visit.actor, id, asked.apply(bot))))

    return await once.run(act)


@router.post("/bots/{id}/exclude", response_model=BotShown)
async def exclude_bot(visit: Visitor, once: OnceOnly, id: Number, asked: Exclude) -> Response:
    """Gives a bot nothing more until somebody includes it again."""

    async def act(tx: Tx) -> Response:
        await _hold(tx, visit, id)
        return answer_one(visit, _show(visit, await actions.exclude(tx, visit.actor, id, asked.reason)))

    return await once.run(act)


@router.post("/bots/{id}/include", response_model=BotShown)
async def include_bot(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Brings an excluded bot back."""

    async def act(tx: Tx) -> Response:
        await _hold(tx, visit, id)
        return answer_one(visit, _show(visit, await actions.include(tx, visit.actor, id)))

    return await once.run(act)


@router.put("/bots/{id}/secret", status_code=204)
async def set_bot_secret(visit: Visitor, once: OnceOnly, id: Number, asked: BotSecret) -> Response:
    """Sets what a bot's devices must sign with. It can be replaced or removed, never read."""
    return await _set_secret(once, id, asked.secret.get_secret_value(), asked.salt.get_secret_value())


@router.delete("/bots/{id}/secret", status_code=204)
async def remove_bot_secret(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Asks a bot's devices for no signature any more."""
    return await _set_secret(once, id, "", "")


@router.get("/devices", response_model=Page[DeviceShown])
async def list_bot_devices(visit: Visitor, wanted: Annotated[DeviceFilter, Query()]) -> Response:
    """Lists the devices in one state, the longest known first: without one, those that wait for a decision."""
    may_read(visit)
    async with visit.read() as tx:
        found = await store.list_devices(tx, visit.scope, wanted.state)
    return answer_all([_show_device(visit, one) for one in found])


@router.get("/devices/{id}", response_model=DeviceShown)
async def get_bot_device(visit: Visitor, id: Number) -> Response:
    """Shows one device."""
    may_read(visit)
    async with visit.read() as tx:
        found = await store.get_device(tx, await visible_to(tx, visit.actor), id)
    return answer_one(visit, _show_device(visit, found))


@router.post("/devices/{id}/approve", response_model=DeviceShown)
async def approve_bot_device(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Lets a device be its bot, from the network it called from last."""
    return await _decide(once, id, actions.approve)


@router.post("/devices/{id}/deny", response_model=DeviceShown)
async def deny_bot_device(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Refuses a device that waits, or the new network it asks from. It may stay connected and receives nothing."""
    return await _decide(once, id, actions.deny)


@router.post("/devices/{id}/revoke", response_model=DeviceShown)
async def revoke_bot_device(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Takes an approval back. The device receives nothing from now on."""
    return await _decide(once, id, actions.revoke)


@router.post("/devices/{id}/block", response_model=DeviceShown)
async def block_bot_device(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Blocks a device: it may not even connect any more."""
    return await _decide(once, id, actions.block)


@router.post("/devices/{id}/unblock", response_model=DeviceShown)
async def unblock_bot_device(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Lets a blocked device connect again. It waits for a decision as if it were new."""
    return await _decide(once, id, actions.unblock)


async def _decide(once: Once, device_id: int, decision: Decision) -> Response:
    visit = once.visit

    async def act(tx: Tx) -> Response:
        current = await store.get_device(tx, await visible_to(tx, visit.actor), device_id)
        check_match(visit, _show_device(visit, current))
        return answer_one(visit, _show_device(visit, await decision(tx, visit.actor, device_id)))

    return await once.run(act)


async def _set_secret(once: Once, bot_id: int, secret: str, salt: str) -> Response:
    visit = once.visit

    async def act(tx: Tx) -> Response:
        await _hold(tx, visit, bot_id)
        await actions.set_secret(tx, visit.actor, visit.services.vault, bot_id, secret, salt)
        return no_content()

    return await once.run(act)


async def _find(tx: Tx, visit: Visit, bot_id: int) -> Bot:
    may_read(visit)
    return await store.get_bot(tx, await visible_to(tx, visit.actor), bot_id)


async def _hold(tx: Tx, visit: Visit, bot_id: int) -> Bot:
    await store.hold_bot(tx, bot_id)
    bot = await _find(tx, visit, bot_id)
    check_match(visit, _show(visit, bot))
    return bot


def _show(visit: Visit, bot: Bot) -> BotShown:
    devices = [_show_device(visit, one) for one in bot.devices]
    return fill(BotShown, bot, waiting=bot.lane, server=_server(bot.worker), devices=devices)


def _show_device(visit: Visit, device: Device) -> DeviceShown:
    return fill(DeviceShown, actions.show_device(visit.actor, device), server=_server(device.worker))


def _server(worker: int | None) -> str | None:
    return None if worker is None else ids.show("wrk", worker)
