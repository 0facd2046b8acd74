"""Who is let in: what a device receives hangs on what was decided about it, and on its signature where one is asked."""

import pytest

from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.bots import DeviceState
from pabal.base.database import Database
from pabal.engine.transitions import history
from tests.apps.messaging.listener.houses import (
    SALT,
    SECRET,
    House,
    OpenBot,
    act,
    find_bot,
    find_device,
    house,
    phone,
    read,
    route,
    say,
    settle,
    until_free,
)

__all__ = ["house", "phone"]


@pytest.mark.req("A-28", "A-26", "A-131")
async def test_a_phone_that_calls_for_the_first_time_is_a_pending_device_with_what_it_said(
    db: Database, house: House, phone: OpenBot
):
    bot = await phone(house, name="새 봇", device_id="a1b2", version="3.2.9")

    device = await find_device(db, "a1b2", "새 봇")

    assert bot.changes[0].state == "pending"
    assert (device.state, device.client_version, device.worker) == (DeviceState.PENDING, "3.2.9", house.worker)
    assert device.connected_at is not None
    assert device.address.startswith("127.0.0.1:")
    assert [made.event for made in await read(db, lambda tx: history(tx, DEVICE, device.id))] == ["begin"]


async def test_only_an_approved_device_receives_anything(db: Database, house: House, phone: OpenBot):
    bot = await phone(house)
    device = (await find_device(db)).id
    said = 0

    async def decided(verb, *, receives: bool) -> None:
        nonlocal said
        if verb is not None:
            await act(house, verb, device)
        await settle(house)
        said += receives
        assert (house.find("busan1") is not None) == receives
        assert (await route(db, "busan1") is not None) == receives
        await bot.until(lambda each: len(each.received) == said)

    await say(house, "첫째")
    await decided(None, receives=False)
    await decided(actions.deny, receives=False)
    await decided(actions.approve, receives=True)
    await decided(actions.revoke, receives=False)
    await say(house, "둘째")
    await decided(None, receives=False)
    assert bot.is_connected
    await decided(actions.approve, receives=True)
    assert [each.text for each in bot.received] == ["첫째", "둘째"]
    assert [change.state for change in bot.changes] == ["pending", "approved", "pending", "approved"]

    await act(house, actions.block, device)
    await bot.until(lambda each: "refused" in [change.state for change in each.changes])

    assert not bot.is_connected
    assert [change.state for change in bot.changes if "차단" in change.message] == ["told", "refused"]
    await until_free(db)


async def test_where_a_secret_is_set_only_a_signed_pong_takes_the_route(db: Database, house: House, phone: OpenBot):
    unsigned = await phone(house, device_id="a")
    await act(house, actions.approve, (await find_device(db, "a")).id)
    bot = await find_bot(db)
    await house.until_holds("busan1")

    await act(house, actions.set_secret, house.services.vault, bot.id, SECRET, SALT)
    await until_free(db)
    await unsigned.until(lambda each: each.pongs > 0)
    wrong = await phone(house, device_id="b", secret="another secret", salt=SALT)
    await act(house, actions.approve, (await find_device(db, "b")).id)
    await wrong.until(lambda each: each.pongs > 0)
    await settle(house)
    assert await route(db, "busan1") is None

    right = await phone(house, device_id="c", secret=SECRET, salt=SALT)
    await act(house, actions.approve, (await find_device(db, "c")).id)
    await house.until_holds("busan1")
    await say(house, "서명한 전화기에만")

    await right.until(lambda each: len(each.received) == 1)
    assert unsigned.received == wrong.received == []
    signatures = {device.connection.device_id: device.signature for device in house.gateway.routes.devices}
    assert signatures == {"a": "none", "b": "invalid", "c": "valid"}
