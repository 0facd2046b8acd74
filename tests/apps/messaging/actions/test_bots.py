"""What people decide about bots and devices: who may, what is kept of it, and that no secret is."""

import json
from pathlib import Path

import pytest

from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.errors import (
    BadBotSecret,
    BadExclusion,
    BotExcluded,
    BotIncluded,
    BotNotFound,
    DeviceNotFound,
    DeviceNotReady,
    SchedulesDepend,
)
from pabal.apps.messaging.model.bots import TOPIC, DeviceState
from pabal.apps.messaging.model.content import ImageMode
from pabal.apps.messaging.store import bots, connected
from pabal.base.database import Database, Tx
from pabal.engine.transitions import MoveNotAllowed
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.secrets import Vault
from pabal.platform.tenants import UnitNotFound, visible_to
from tests.support.messaging import add_bot, add_room, add_schedule, connect_two, make_world
from tests.support.people import Tree, person, plant

VAULT = Vault("a key for tests only")
SECRET = "a secret of the phone"


async def entries(tx: Tx) -> list[audit.Entry]:
    return await audit.list_entries(tx, audit.Wanted())


DECISIONS = (
    ("pending", actions.approve, "approved"),
    ("pending", actions.deny, "denied"),
    ("approved", actions.revoke, "revoked"),
    ("denied", actions.approve, "approved"),
    ("revoked", actions.approve, "approved"),
    ("approved", actions.block, "blocked"),
    ("blocked", actions.unblock, "pending"),
)


async def test_a_decision_is_kept_with_who_made_it_and_every_server_hears_of_it(db: Database):
    tree = await plant(db)

    for number, (state, verb, becomes) in enumerate(DECISIONS):
        _, device_id = await add_bot(db, tree.haeundae, f"busan{number}", state=state)
        async with db.transaction() as tx:
            device = await verb(tx, person(tree.busan), device_id)
            [entry] = [each for each in await entries(tx) if each.about == f"bot_device:{device_id}"]

            assert TOPIC in tx.hints
        assert (device.state, device.decided_by) == (becomes, "user:1")
        assert device.decided_at is not None
        assert (entry.before, entry.after["state"]) == ({"state": state}, becomes)


async def test_what_the_machine_does_not_know_is_refused(db: Database):
    _, device_id = await add_bot(db, None, "busan1", state=DeviceState.BLOCKED)

    async with db.transaction() as tx:
        with pytest.raises(MoveNotAllowed):
            await actions.approve(tx, ENGINE, device_id)


async def test_only_administrators_who_see_a_bots_unit_change_it_and_who_sees_its_room_may_use_it(db: Database):
    tree = await plant(db)
    bot_id, device_id = await add_bot(db, tree.busan, "busan1")
    await add_room(db, tree.haeundae, "18200001", "해운대 손님방", bots=[bot_id])

    async def sees(actor: Actor) -> list[tuple[str, int]]:
        async with db.transaction() as tx:
            scope = await visible_to(tx, actor)
            page = await bots.list_bots(tx, scope)
            return [(bot.name, len(bot.devices)) for bot in page.items]

    async def may(actor: Actor) -> set[type[Exception]]:
        refused = set()
        for verb, named, given in (
            (actions.revoke, device_id, {}),
            (actions.block, device_id, {}),
            (actions.exclude, bot_id, {"reason": "수리"}),
            (actions.edit, bot_id, {"image_mode": ImageMode.GROUP, "unit_id": tree.busan.id}),
            (actions.set_secret, bot_id, {"vault": VAULT, "secret": SECRET}),
        ):
            async with db.transaction() as tx:
                try:
                    async with tx.savepoint():
                        await verb(tx, actor, named, **given)
                        raise ZeroDivisionError
                except (NotAllowed, BotNotFound, DeviceNotFound, ZeroDivisionError) as error:
                    refused.add(type(error))
        return refused

    assert await sees(person(tree.hq)) == await sees(person(tree.busan)) == [("busan1", 1)]
    assert await sees(person(tree.haeundae)) == [("busan1", 0)]
    assert await sees(person(tree.nampo)) == await sees(person(tree.gangnam)) == []
    assert await may(person(tree.busan)) == await may(person(tree.hq)) == {ZeroDivisionError}
    assert await may(person(tree.busan, Role.OPERATOR)) == {NotAllowed}
    assert await may(person(tree.haeundae)) == await may(person(tree.gangnam)) == {BotNotFound, DeviceNotFound}


async def test_only_an_administrator_who_sees_the_bot_lets_another_phone_send(db: Database):
    tree = await plant(db)
    _, spare, sender = await connect_two(db, tree.busan, "busan1")

    async def choose(actor: Actor, device_id: int) -> type[Exception] | str | None:
        async with db.transaction() as tx:
            try:
                async with tx.savepoint():
                    return (await actions.choose(tx, actor, device_id)).role
            except (NotAllowed, DeviceNotFound, DeviceNotReady) as error:
                return type(error)

    _, away = await add_bot(db, tree.busan, "busan2")
    assert await choose(person(tree.busan, Role.OPERATOR), spare) is NotAllowed
    assert await choose(person(tree.gangnam), spare) is DeviceNotFound
    assert await choose(person(tree.busan), away) is DeviceNotReady
    assert (await choose(person(tree.busan), spare), await choose(person(tree.busan), sender)) == ("reserve", "sends")
    async with db.transaction() as tx:
        [said] = [entry for entry in await entries(tx) if entry.action == "messaging.device_choose"]
        seen = await connected.list_seen(tx, [spare, sender])
    assert (said.about, said.after) == (f"bot_device:{spare}", {"bot": "busan1"})
    assert {device: one.is_chosen for device, one in seen.items()} == {spare: True, sender: False}


async def test_a_secret_is_sealed_and_shown_to_nobody(db: Database):
    bot_id, _ = await add_bot(db, None, "busan1")

    async with db.transaction() as tx:
        bot = await actions.set_secret(tx, ENGINE, bot_id, vault=VAULT, secret=SECRET, salt="salt")
        written = json.dumps([str(entry) for entry in await entries(tx)]) + str(bot)
        assert bot.has_secret
        assert SECRET not in written
        assert TOPIC in tx.hints
        with pytest.raises(BadBotSecret):
            await actions.set_secret(tx, ENGINE, bot_id, vault=VAULT, secret="short")
        with pytest.raises(BadBotSecret):
            await actions.set_secret(tx, ENGINE, bot_id, vault=VAULT, salt="salt alone")
        assert not (await actions.set_secret(tx, ENGINE, bot_id, vault=VAULT)).has_secret


async def test_a_bot_is_excluded_with_a_reason_and_once(db: Database):
    bot_id, _ = await add_bot(db, None, "busan1")

    async with db.transaction() as tx:
        with pytest.raises(BadExclusion):
            await actions.exclude(tx, ENGINE, bot_id, "  ")
        with pytest.raises(BotIncluded):
            await actions.include(tx, ENGINE, bot_id)
        excluded = await actions.exclude(tx, ENGINE, bot_id, "전화기  수리")
        with pytest.raises(BotExcluded):
            await actions.exclude(tx, ENGINE, bot_id, "또")
        included = await actions.include(tx, ENGINE, bot_id)

    assert (excluded.state, excluded.excluded_reason) == ("excluded", "전화기 수리")
    assert (included.state, included.excluded_by) == ("offline", None)


async def test_a_bot_given_to_a_unit_takes_its_devices_along(db: Database):
    tree: Tree = await plant(db)
    bot_id, device_id = await add_bot(db, tree.busan, "busan1")

    async with db.transaction() as tx:
        for beyond in (tree.gangnam.id, None, 10**9):
            with pytest.raises(UnitNotFound):
                await actions.edit(tx, person(tree.busan), bot_id, image_mode=ImageMode.GROUP, unit_id=beyond)
        bot = await actions.edit(tx, person(tree.busan), bot_id, image_mode=ImageMode.GROUP, unit_id=tree.haeundae.id)
        device = await bots.get_device(tx, await visible_to(tx, person(tree.haeundae)), device_id)

    assert (bot.image_mode, bot.unit_id) == (ImageMode.GROUP, tree.haeundae.id)
    assert device.unit_id == tree.haeundae.id


async def test_moving_a_bot_away_names_the_schedules_that_send_by_it(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    house = person(world.tree.hq)

    async with db.transaction() as tx:
        above = await actions.edit(tx, house, world.bot_id, unit_id=world.tree.busan.id)
        near = await actions.edit(tx, house, world.bot_id, unit_id=world.tree.haeundae.id)
        nobodys = await actions.edit(tx, house, world.bot_id, unit_id=None)
        with pytest.raises(SchedulesDepend) as refusal:
            await actions.edit(tx, house, world.bot_id, unit_id=world.tree.nampo.id)
        moved = await actions.edit(tx, house, world.bot_id, unit_id=world.tree.nampo.id, confirm=True)

    assert (above.unit_id, near.unit_id, nobodys.unit_id) == (world.tree.busan.id, world.tree.haeundae.id, None)
    assert refusal.value.members == {"schedules": [{"id": schedule_id, "title": "아침 인사"}]}
    assert moved.unit_id == world.tree.nampo.id
