"""Two thousand messages due at one second, over two hundred bots on two servers: how late they arrive at the bots."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bench.ground import Ground
from bench.messaging_ground import MESSAGING, SENDING, MessagingGround, Place, laid, wait_until
from bench.messaging_side import ARRIVALS, list_names
from bench.result import Measured, Target, percentile
from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.apps.messaging.simulator.witness import Received, read_log
from pabal.base.sql import load
from pabal.platform.actor import ENGINE

SQL = load(__file__)
SEOUL = ZoneInfo("Asia/Seoul")
# A phone sleeps seconds over a picture, which is no server's doing: these hardly sleep at all.
PACE = 0.001
AT_ONCE = 50
PARTS = 2


@dataclass(frozen=True)
class Sizes:
    bots: int = 200
    rooms_each: int = 10
    servers: int = 2
    interval_seconds: int = 1
    lead_seconds: int = 5
    patience_seconds: int = 60
    picture_side: int = 64

    @property
    def parts(self) -> int:
        return self.bots * self.rooms_each * PARTS

    @property
    def waits_seconds(self) -> int:
        """Of one lane: its sends go one after the other, each with its interval."""
        return self.rooms_each * self.interval_seconds


SMALL = Sizes(bots=4, rooms_each=2, lead_seconds=2)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url, laid(url) as house, AsyncExitStack() as stack:
        each = sizes.bots // sizes.servers
        places = await house.add_bots(list_names(each, sizes.servers), rooms_each=sizes.rooms_each)
        picture = await house.draw(sizes.picture_side)
        starting = [MESSAGING.start("serve", url, house.folder, SENDING) for _ in range(sizes.servers)]
        servers = [await stack.enter_async_context(one) for one in starting]
        ports = [(await server.line())["port"] for server in servers]
        phones = await stack.enter_async_context(MESSAGING.start("phones", house.folder, PACE, each, *ports))
        await phones.line()
        await house.wait_for_routes(sizes.bots)
        content = Content("A message", (picture,), send_interval_seconds=sizes.interval_seconds)
        await save(house, places, content)
        await ground.settle(url)
        due = await arm(house, sizes.lead_seconds, len(places))
        arrived = await _wait(house.folder / ARRIVALS, due, sizes)
        return _judge(arrived, due, sizes, await house.count_deliveries())


async def save(house: MessagingGround, places: list[Place], content: Content) -> None:
    """Each by the verb a person's form calls. They say a time of day far from now."""
    for first in range(0, len(places), AT_ONCE):
        async with house.database.transaction() as tx:
            noon = (tx.now + timedelta(hours=12)).astimezone(SEOUL).time().replace(microsecond=0)
            when = When(ScheduleType.DAILY, noon, tx.now, tx.now + timedelta(days=30))
            for place in places[first : first + AT_ONCE]:
                new = NewSchedule(f"To room {place.room_id}", place.room_id, place.bot_id, content, when)
                await schedules.create(tx, ENGINE, new)


async def arm(house: MessagingGround, lead_seconds: int, count: int) -> datetime:
    """All for the same whole second, now that saving them is over, however long that took."""
    async with house.database.transaction() as tx:
        due = tx.now.replace(microsecond=0) + timedelta(seconds=lead_seconds)
        armed = await tx.run(SQL.set_due, kind=SEND, due=due)
        tx.hint("schedules", due)
    assert armed == count
    return due


async def _wait(log: Path, due: datetime, sizes: Sizes) -> list[Received]:
    """Until everything has arrived, or nothing more is to be hoped for; not looked at while it is measured."""
    await asyncio.sleep(due.timestamp() + sizes.waits_seconds - time.time())
    await wait_until(lambda: log.read_bytes().count(b"\n") >= sizes.parts, sizes.patience_seconds)
    return read_log(log)


def _judge(arrived: list[Received], due: datetime, sizes: Sizes, ended: dict[str, int]) -> Measured:
    late_ms: dict[str, float] = {}
    last: dict[str, float] = {}
    for one in arrived:
        late = (one.at - due).total_seconds()
        late_ms.setdefault(one.bot, late * 1000)
        last[one.bot] = late
    copies = Counter((one.bot, one.room or one.channel_id, one.kind) for one in arrived)
    firsts = list(late_ms.values())
    fields = {
        "p50_ms": percentile(firsts, 0.5),
        "p99_ms": percentile(firsts, 0.99),
        "of_waits": max(last.values()) / sizes.waits_seconds,
        "missing": sizes.parts - len(copies),
        "duplicates": len(arrived) - len(copies),
    }
    targets = (
        Target("p99_ms", at_most=1000),
        Target("of_waits", at_most=1.2),
        Target("missing", at_most=0),
        Target("duplicates", at_most=0),
    )
    notes = (
        "Lateness is from the due moment to the arrival at the bot, of the first message of each bot.",
        f"Of waits is the last arrival by the {sizes.waits_seconds} s a bot's own intervals take: "
        "its sends go one after the other.",
        "Bots are in a process of their own; they do not sleep over pictures as phones do.",
    )
    rounds: list[dict[str, Any]] = [
        {"first_ms_by_tenths": _tenths(firsts), "last_s_by_tenths": _tenths(list(last.values())), "ended": ended}
    ]
    return Measured(fields, targets, rounds, asdict(sizes), notes)


def _tenths(values: list[float]) -> list[float]:
    return [round(percentile(values, part / 10), 2) for part in range(11)]
