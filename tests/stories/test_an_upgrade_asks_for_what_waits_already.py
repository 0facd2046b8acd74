"""Devices, ad groups and messages that waited for a person before there was an inbox are asked in it afterwards."""

from pathlib import Path

import pytest

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.model.adgroups import Event, Schedule
from pabal.base import migrations
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.platform.actor import Role
from tests.apps.adgroups.making import add_complete
from tests.platform.approvals.asked import DAY, all_of, open_device, open_missed, open_ready
from tests.platform.approvals.test_actions import NO, decide
from tests.support.botline import find_delivery
from tests.support.database import list_loaded
from tests.support.messaging import make_world
from tests.support.people import person

SQL = load(__file__)


@pytest.mark.req("D-03")
async def test_what_waits_at_the_upgrade_is_asked_once_and_can_be_decided(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    boss = person(world.tree.haeundae, Role.ADMIN, number=8)
    device = await open_device(db, world.tree.haeundae)
    ready = await open_ready(db, boss)
    desk = await open_missed(world)
    async with db.transaction() as tx:
        # these wait for nobody: one is not complete yet, one was decided
        await add_complete(tx, boss, Schedule(tx.now + DAY, tx.now + 8 * DAY))
        decided = await add_complete(tx, boss, Schedule(tx.now + DAY, tx.now + 8 * DAY))
        await events.send(tx, boss, decided, Event.COMPLETE_SETUP)
        await events.send(tx, boss, decided, Event.APPROVE)
    missed = await find_delivery(db)
    asked_before = {(one.kind, one.subject, one.unit_id, one.alike) for one in await all_of(db)}
    async with db.transaction() as tx:
        await tx.script(SQL.forget_approvals.text)

    applied = await migrations.migrate(db, list_loaded())
    again = await migrations.migrate(db, list_loaded())

    assert ([one.name for one in applied].count("0006_approvals"), again) == (1, [])
    asked = {one.kind: one for one in await all_of(db)}
    assert {(one.kind, one.subject, one.unit_id, one.alike) for one in asked.values()} == asked_before
    assert {kind: one.subject for kind, one in asked.items()} == {
        "messaging.device": device,
        "adgroups.ready": ready,
        "messaging.missed": missed.id,
    }
    async with db.transaction() as tx:
        armed = {row["subject"]: row["due_at"] for row in await tx.rows(SQL.list_timers)}
    assert armed == {one.id: one.deadline_at for one in asked.values() if one.deadline_at is not None}
    ends = [await decide(db, boss, one, *([NO] if kind == "adgroups.ready" else [])) for kind, one in asked.items()]
    assert sorted(one.state for one in ends) == ["approved", "approved", "rejected"]
    await desk.connect()
    await desk.run()
    assert (await find_delivery(db)).state == "sent"
