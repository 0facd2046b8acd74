"""A phone is who it says: what somebody else heard, or knows, takes no bot."""

import json
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.errors import DeviceMoved
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.handshake import signature
from pabal.apps.messaging.model.bots import network_of
from pabal.apps.messaging.simulator.phone import Phone as Script
from pabal.apps.messaging.store import bots
from pabal.base.clock import host_time
from pabal.base.database import Database
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Scope
from tests.apps.messaging.listener.houses import (
    SALT,
    SECRET,
    House,
    act,
    find_bot,
    find_device,
    house,
    open_house,
    read,
    say,
    settle,
)
from tests.apps.messaging.listener.phones import Phone, chat, until
from tests.support.messaging import add_bot

__all__ = ["house"]

pytestmark = pytest.mark.usefixtures("host_clock")
DEVICE = "device of busan1"
WHO = {"botName": "busan1", "deviceID": DEVICE, "version": "3.3.3"}


def signed(ahead_ms: int = 0) -> dict[str, Any]:
    """What the phone's script signs, at its moment or another."""
    script = Script("busan1", DEVICE, secret=SECRET, salt=SALT)
    auth = json.loads(script.pong("", queued=0, rooms=0))["data"]["auth"]
    return sign({**auth, "timestamp": int(host_time() * 1000) + ahead_ms})


def sign(auth: dict[str, Any]) -> dict[str, Any]:
    return {**auth, "signature": signature(auth, SECRET, SALT)}


async def call(house: House, *, local: str = "127.0.0.1") -> tuple[Phone, Connection]:
    phone = await Phone.call(house.gateway.server, local=local)
    phone.say("handshake", dict(WHO))
    await phone.hear()
    [connection] = [each for each in house.gateway.server.connections if each.address == phone.address]
    return phone, connection


async def answer(house: House, phone: Phone, connection: Connection, auth: dict[str, Any]) -> str:
    """The pong was weighed: how."""
    device = house.gateway.routes.find(connection)
    assert device is not None
    device.signature = "unheard"
    phone.say("pong", {"auth": auth})
    await until(lambda: device.signature != "unheard")
    await settle(house)
    return device.signature


async def give_secret(db: Database, house: House) -> None:
    await add_bot(db, None, "busan1")
    await act(house, actions.set_secret, (await find_bot(db)).id, vault=house.services.vault, secret=SECRET, salt=SALT)


def holder(house: House) -> Any:
    found = house.find("busan1")
    return None if found is None else found.address


async def test_a_pong_somebody_overheard_takes_no_route_here_or_elsewhere(db: Database, house: House, tmp_path: Path):
    await give_secret(db, house)
    phone, connection = await call(house)
    overheard = signed()
    assert await answer(house, phone, connection, overheard) == "valid"
    await until(lambda: holder(house) == phone.address)

    thief, listening = await call(house)
    assert await answer(house, thief, listening, overheard) == "invalid"
    assert (
        await answer(house, thief, listening, sign({**overheard, "timestamp": overheard["timestamp"] - 1})) == "invalid"
    )
    async with open_house(db, tmp_path) as other:
        thief, listening = await call(other)
        assert await answer(other, thief, listening, overheard) == "invalid"
        assert holder(other) is None
    assert holder(house) == phone.address

    # the phone itself goes on, and comes back
    assert (
        await answer(house, phone, connection, sign({**overheard, "timestamp": overheard["timestamp"] + 1})) == "valid"
    )
    again, newer = await call(house)
    assert await answer(house, again, newer, sign({**overheard, "timestamp": overheard["timestamp"] + 2})) == "valid"
    await until(lambda: holder(house) == again.address)


async def test_after_the_phone_has_left_its_old_pong_opens_nothing_on_a_server_that_never_heard_it(
    db: Database, tmp_path: Path
):
    overheard = signed()
    async with open_house(db, tmp_path) as first:
        await give_secret(db, first)
        phone, connection = await call(first)
        assert await answer(first, phone, connection, overheard) == "valid"

    async with open_house(db, tmp_path) as restarted:
        thief, listening = await call(restarted)
        assert await answer(restarted, thief, listening, overheard) == "invalid"
        assert not listening.is_trusted
        assert holder(restarted) is None


async def test_the_same_millisecond_costs_the_phone_nothing(db: Database, house: House):
    await give_secret(db, house)
    phone, connection = await call(house)
    auth = signed()
    assert await answer(house, phone, connection, auth) == "valid"
    await until(lambda: holder(house) == phone.address)

    device = house.gateway.routes.find(connection)
    for again in (1, 2):
        phone.say("pong", {"auth": auth, "monitoring": {"again": again}})
    # they are weighed one after another: when the second is heard, the first has been
    await until(lambda: house.gateway.server.clients.find_client(phone.address).monitoring == {"again": 2})
    assert device.signature == "valid"
    phone.say("pong", {"auth": sign({**auth, "timestamp": auth["timestamp"] + 1})})
    await until(lambda: device.signed_ms == auth["timestamp"] + 1)

    assert device.signature == "valid"
    assert holder(house) == phone.address


async def test_what_came_with_a_message_is_no_pong_for_somebody_else(db: Database, house: House, tmp_path: Path):
    await give_secret(db, house)
    phone, connection = await call(house)
    assert await answer(house, phone, connection, signed(-2000)) == "valid"
    await until(lambda: holder(house) == phone.address)
    overheard = signed()
    phone.write(chat("안녕하세요", auth=overheard))
    await until(lambda: house.gateway.routes.find(connection).signed_ms == overheard["timestamp"])

    thief, listening = await call(house)
    assert await answer(house, thief, listening, overheard) == "invalid"
    await house.gateway.reporting.report_once(house.gateway.server)
    async with open_house(db, tmp_path) as other:
        thief, listening = await call(other)
        assert await answer(other, thief, listening, overheard) == "invalid"
    assert holder(house) == phone.address


async def test_a_known_device_at_a_new_network_waits_while_the_phone_goes_on(
    db: Database, house: House, tmp_path: Path
):
    _, device_id = await add_bot(db, None, "busan1")
    phone, _ = await call(house)
    await until(lambda: holder(house) == phone.address)

    thief, posing = await call(house, local="127.0.9.9")
    thief.say("pong", {})
    await settle(house)
    async with open_house(db, tmp_path) as other:
        _, there = await call(other, local="127.0.9.9")
        await settle(other)
        await settle(house)
        assert (there.is_trusted, holder(other)) == (False, None)
    await say(house, "전화기에만")

    assert (await phone.hear()).parts == ["전화기에만".encode()]
    assert holder(house) == phone.address
    assert not posing.is_trusted
    device = await find_device(db)
    assert (device.state, device.networks, device.network) == ("approved", ["127.0.0.0/24"], "127.0.9.0/24")
    assert device.address.startswith("127.0.0.1:")
    waiting = await read(db, lambda tx: bots.list_devices(tx, Scope(None, None)))
    assert [one.id for one in waiting] == [device_id]


async def test_a_network_that_was_approved_is_not_asked_about_again(db: Database, house: House):
    _, device_id = await add_bot(db, None, "busan1")
    await call(house)
    phone, moved = await call(house, local="127.0.9.9")
    assert not moved.is_trusted

    with pytest.raises(DeviceMoved):
        async with house.services.database.transaction() as tx:
            await actions.approve(tx, ENGINE, device_id, network="10.0.0.0/24")
    await act(house, actions.approve, device_id)

    await until(lambda: holder(house) == phone.address)
    assert (await phone.hear()).data["approved"] is True
    device = await find_device(db)
    assert (device.networks, device.asks_from, device.worker) == (["127.0.0.0/24", "127.0.9.0/24"], None, house.worker)
    for local in ("127.0.0.5", "127.0.9.7"):
        back, _ = await call(house, local=local)
        await until(lambda back=back: holder(house) == back.address)


async def test_a_network_that_was_denied_stays_out_and_the_device_stays_approved(db: Database, house: House):
    _, device_id = await add_bot(db, None, "busan1")
    phone, _ = await call(house)
    _, moved = await call(house, local="127.0.9.9")

    await act(house, actions.deny, device_id)
    await settle(house)

    device = await find_device(db)
    assert (device.state, device.networks, device.asks_from) == ("approved", ["127.0.0.0/24"], None)
    assert not moved.is_trusted
    await until(lambda: holder(house) == phone.address)


async def test_with_a_secret_or_without_the_setting_no_network_is_asked_about(db: Database, house: House):
    await add_bot(db, None, "busan1")
    await call(house)
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, own.ASK_AT_NEW_ADDRESS, False)
    moved, _ = await call(house, local="127.0.9.9")
    await until(lambda: holder(house) == moved.address)
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, own.ASK_AT_NEW_ADDRESS, True)
    await act(house, actions.set_secret, (await find_bot(db)).id, vault=house.services.vault, secret=SECRET, salt=SALT)

    proven, connection = await call(house, local="127.0.8.8")
    assert await answer(house, proven, connection, signed()) == "valid"
    await until(lambda: holder(house) == proven.address)

    assert "127.0.8.0/24" in (await find_device(db)).networks


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.168.0.17:51234", "192.168.0.0/24"),
        ("192.168.0.17", "192.168.0.0/24"),
        ("::ffff:203.0.113.7", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("", ""),
    ],
)
def test_the_same_place_is_the_same_network(address: str, network: str):
    assert network_of(address) == network
