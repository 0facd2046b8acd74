"""What a demo does not have by itself after a minute: an alert, a token, a channel, jobs that wait for days."""

import asyncio
from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import alerts, auth, notifications, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewToken
from pabal.platform.notifications import ChannelForm, Level, Notice
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Scope

SECRET = "a secret for tests only"
BEAT = timedelta(seconds=15)
STUCK_AFTER = timedelta(minutes=6)
CEILING = 30


async def furnish(database_url: str) -> None:
    """Into the database of a running demo, whose clock it moves a few minutes on."""
    database = await Database.open(database_url, size=4)
    try:
        async with database.transaction() as tx:
            await _add_work(tx)
            await _add_people_things(tx)
        await _let_an_alert_fire(database)
    finally:
        await database.close()


async def _add_work(tx: Tx) -> None:
    """Of a bot that is not connected, and of the day after tomorrow."""
    await queue.enqueue(tx, NewJob("demo.greet", {"name": "부산"}, about="room:3", route="bot:busan1"))
    for number in range(8):
        later = NewJob("demo.greet", {"name": f"{number}"}, about=f"guest:{number}", delay=timedelta(days=2))
        await queue.enqueue(tx, later)


async def _add_people_things(tx: Tx) -> None:
    hq = await tenants.ensure_hq(tx)
    await auth.make_token(
        tx, ENGINE, NewToken("정산 연동", hq.id, Role.VIEWER, ("jobs:read",), tx.now + timedelta(days=90))
    )
    chat = ChannelForm("본사 당직방", "-1001234567890", "123456789:AAabcdefghijklmnopqrstuvwxyz012345")
    await notifications.add_channel(tx, ENGINE, Vault(SECRET), chat, unit_id=hq.id)
    title = ("The morning tea is late", "아침 차가 늦었습니다")
    text = ("The stove was busy for 12 minutes.", "화로가 12분 동안 바빴습니다.")
    await notifications.notify(tx, Notice("demo.tea_late", title, text, level=Level.INFO, link="/schedules"))


async def _let_an_alert_fire(database: Database) -> None:
    """The server beside us samples and judges as well; whoever comes first does it."""
    house = [measure for measure in alerts.ENGINE_MEASURES if not measure.is_per_host]
    await clock.advance(database, STUCK_AFTER)
    async with asyncio.timeout(CEILING):
        while not await _fired(database):
            await clock.advance(database, BEAT)
            await alerts.sample_once(database, house)
            await alerts.evaluate_once(database, alerts.ENGINE_RULES, alerts.tell_people)
            await asyncio.sleep(0.1)  # for its round to end, if it was first


async def _fired(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await alerts.list_open(tx, Scope(None, None)))
