"""What a demo does not have by itself after a minute: an alert, a token, a channel, jobs that wait for days, rooms that
are claimed together."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from pabal.apps.adgroups.legacy import runs
from pabal.apps.adgroups.legacy.actions import stage
from pabal.apps.adgroups.legacy.runs import NewRun
from pabal.apps.messaging.resources import ROOM
from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import ids, queue
from pabal.engine.queue import NewJob
from pabal.platform import alerts, auth, bulks, notifications, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewToken
from pabal.platform.notifications import ChannelForm, Level, Notice, attempts
from pabal.platform.notifications.model import Message
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Scope
from tests.support.messaging import add_room
from tests.support.relay import RelayWorld, add_account

SECRET = "a secret for tests only"
BEAT = timedelta(seconds=15)
STUCK_AFTER = timedelta(minutes=6)
CEILING = 30
ROOMS = "messaging.rooms"
HOUSE = Scope(None, None)


async def furnish(database_url: str) -> None:
    """Into the database of a running demo, whose clock it moves a few minutes on."""
    database = await Database.open(database_url, size=4)
    try:
        async with database.transaction() as tx:
            await _add_work(tx)
            await _add_people_things(tx)
            await _add_old_ad_groups(tx)
        await _let_an_alert_fire(database)
        await _relay_a_message(database)
        await _claim_rooms(database)
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
    # only what is furnished here: everything the demo tells would push the delivery off the first page
    hook = ChannelForm(
        "정산 시스템",
        kind="webhook",
        address="https://hooks.example.com/pabal",
        least_level=Level.INFO,
        wants=("demo.tea_late",),
    )
    # an address that routes.py knows, however many the demo has added by now
    await tx.script("alter table pabal.notification_channel alter column id restart with 900")
    channel = await notifications.add_channel(tx, ENGINE, Vault(SECRET), hook, unit_id=hq.id)
    missed = await attempts.insert_missed(tx, channel.id, Message("{}", notification_id=1), "503 점검 중입니다")
    for status, reason in ((503, "점검 중입니다"), (None, "no answer within 10 s"), (503, "점검 중입니다")):
        await attempts.insert_attempt(tx, missed, status=status, reason=reason, ms=120)
    # nobody is at that address, and nothing should try
    await attempts.note_failure(tx, channel.id, "503 점검 중입니다")
    await attempts.pause_channel(tx, channel.id, hook.address)
    title = ("The morning tea is late", "아침 차가 늦었습니다")
    text = ("The stove was busy for 12 minutes.", "화로가 12분 동안 바빴습니다.")
    await notifications.notify(tx, Notice("demo.tea_late", title, text, level=Level.INFO, link="/schedules"))


async def _add_old_ad_groups(tx: Tx) -> None:
    """A dry run: most of them fit, some are doubtful, one cannot be brought over."""
    hq = await tenants.ensure_hq(tx)
    run_id = await runs.insert_run(tx, NewRun(hq.id, "table", None, ENGINE.name))
    await stage(tx, run_id, _read_old(tx.now))


async def _read_old(now: datetime) -> AsyncIterator[list[dict[str, str]]]:
    day = timedelta(days=1)
    known = {"campaign": "옛 캠페인", "start_at": str(now - 3 * day), "end_at": str(now + 9 * day)}
    confirmed = {"ready_at": str(now - 8 * day), "ready_confirmed_at": str(now - 7 * day)}
    yield [
        {"id": "AG-1", "name": "옛 메인 배너", **known, **confirmed, "status": "RUNNING"},
        {"id": "AG-2", "name": "확인 없이 나간 배너", **known, "status": "RUNNING"},
        {"id": "AG-3", "name": "멈춰 있던 배너", **known, **confirmed, "status": "PENDING"},
        {"id": "AG-4", "name": "끝난 배너", **known, **confirmed, "end_at": str(now - day), "status": "EXPIRED"},
        {"id": "AG-5", "name": "날짜 없는 배너", "campaign": "옛 캠페인", "status": "READY"},
    ]


async def _relay_a_message(database: Database) -> None:
    """A user of the head office's own account says something."""
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
    # nobody asks this world for its organisation
    world = RelayWorld(database, None, await add_account(database, hq.id, "안내 비서"))
    await world.pair("kakao-user-1")
    await world.say("오늘 몇 시까지 하나요?", "kakao-user-1")


async def _claim_rooms(database: Database) -> None:
    """Two that nobody had: one alone, then both of them, where the first stays as it is."""
    found = [await add_room(database, None, f"1839900{n}", f"새 손님방 {n}호", bots=[]) for n in (1, 2)]
    async with database.transaction() as tx:
        user = await auth.find_login(tx, HOUSE, "demo-hq")
        assert user is not None
        for room_ids in (found[:1], found):
            order = bulks.make_order({ROOMS: ROOM}, ROOMS, "claim", {"unit_id": user.unit_id})
            keys = [str(room_id) for room_id in room_ids]
            await bulks.start(tx, user.actor(), order, keys, lang="ko", hands=dict.fromkeys)


async def find_bulk(database: Database) -> int:
    """The last thing done to many rooms."""
    async with database.transaction() as tx:
        [last] = await bulks.list_bulks(tx, None, before=ids.LAST, limit=1)
    return last.id


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
        return bool(await alerts.list_open(tx, HOUSE))
