"""Three requests of one branch on a web server: a device, an ad group that is ready, a message that was missed."""

from datetime import timedelta

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.model.adgroups import Event, Schedule
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.content import Content
from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.transitions import begin
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.approvals import Approval, Wanted, store
from pabal.platform.tenants import Scope, Unit
from tests.apps.adgroups.making import add_complete
from tests.support.botline import Desk, send_now
from tests.support.messaging import World, add_bot, add_schedule, set_limit
from tests.support.work import advance

KINDS = ("messaging.device", "adgroups.ready", "messaging.missed")
DAY = timedelta(days=1)


async def open_device(db: Database, unit: Unit | None, name: str = "busan9") -> int:
    _, device_id = await add_bot(db, unit, name, state="pending")
    async with db.transaction() as tx:
        await begin(tx, DEVICE, [device_id], actor=ENGINE.name)
    return device_id


async def open_ready(db: Database, actor: Actor) -> int:
    async with db.transaction() as tx:
        group_id = await add_complete(tx, actor, Schedule(tx.now + DAY, tx.now + 8 * DAY))
        await events.send(tx, actor, group_id, Event.COMPLETE_SETUP)
    return group_id


async def open_missed(world: World) -> Desk:
    """A message that nobody could send in time: its bot was away."""
    await set_limit(world.db, world.room_id, gap=0, per_minute=0)
    desk = await Desk.open(world)
    await desk.disconnect()
    await send_now(world.db, await add_schedule(world, Content(text="안녕하세요", send_interval_seconds=0)))
    await advance(world.db, 1000)
    await desk.expire()
    return desk


async def all_of(db: Database, *states: str) -> list[Approval]:
    """Of every unit, the oldest first."""
    async with db.transaction() as tx:
        wanted = Wanted(KINDS, states or ("open",))
        found = await store.list_approvals(tx, Scope(None, None), wanted, limit=200)
    return found[::-1]


async def last(db: Database) -> Approval:
    return (await all_of(db))[-1]


def shown(approval: Approval) -> str:
    return ids.show("apr", approval.id)
