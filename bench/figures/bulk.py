"""One notice with a text and an image to three hundred rooms over ten phones, three of which are killed on the way."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.figures.dispatch import arm, save
from bench.ground import Ground
from bench.messaging_ground import MESSAGING, SENDING, MessagingGround, laid, wait_until
from bench.messaging_side import ARRIVALS
from bench.result import Measured, Target
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.simulator.fleet import Fleet
from pabal.apps.messaging.simulator.phone import media_seconds
from pabal.apps.messaging.simulator.witness import Received, read_log
from pabal.base.sql import load

SQL = load(__file__)
LIVING, KILLED = "living", "killed"
PARTS = 2


@dataclass(frozen=True)
class Sizes:
    phones: int = 10
    killed: int = 3
    rooms_each: int = 30
    media_wait_ms: int = 300
    pace: float = 1.0
    lead_seconds: int = 5
    away_seconds: float = 3
    patience_seconds: int = 120
    picture_side: int = 64

    @property
    def living(self) -> int:
        return self.phones - self.killed

    @property
    def phone_seconds(self) -> float:
        """What a phone needs by itself: it sleeps over each image, and a text takes it no time."""
        return self.rooms_each * self.sleep

    @property
    def sleep(self) -> float:
        return media_seconds([1], self.media_wait_ms) * self.pace


SMALL = Sizes(phones=3, killed=1, rooms_each=3, pace=0.2, lead_seconds=2, away_seconds=0.2, patience_seconds=30)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url, laid(url) as house, AsyncExitStack() as stack:
        names = [*_names(LIVING, sizes.living), *_names(KILLED, sizes.killed)]
        places = await house.add_bots(names, rooms_each=sizes.rooms_each)
        picture = await house.draw(sizes.picture_side)
        server = await stack.enter_async_context(MESSAGING.start("serve", url, house.folder, SENDING))
        port = (await server.line())["port"]
        calls = {name: ("fleet", house.folder, sizes.pace, name, count, port) for name, count in _fleets(sizes).items()}
        living, killed = [await stack.enter_async_context(MESSAGING.start(*call)) for call in calls.values()]
        await living.line()
        await killed.line()
        await house.wait_for_routes(sizes.phones)
        content = Content("A notice", (picture,), send_interval_seconds=0, media_wait_1=sizes.media_wait_ms)
        await save(house, places, content)
        await ground.settle(url)
        due = await arm(house, sizes.lead_seconds, len(places))
        await asyncio.sleep(due.timestamp() + sizes.phone_seconds / 3 - time.time())
        await _wait_for_a_nap(house.folder / ARRIVALS)
        killed.kill()
        await asyncio.sleep(sizes.away_seconds)
        await stack.enter_async_context(MESSAGING.start(*calls[KILLED]))
        await _wait_for_ends(house, sizes)
        return _judge(read_log(house.folder / ARRIVALS), due, sizes, await _list_handled(house), await _count(house))


def _fleets(sizes: Sizes) -> dict[str, int]:
    return {LIVING: sizes.living, KILLED: sizes.killed}


def _names(prefix: str, count: int) -> list[str]:
    return [Fleet(count, (), prefix).name(number + 1) for number in range(count)]


async def _wait_for_a_nap(log: Path) -> None:
    """Until one of those to be killed has just begun to sleep over an image: it has it, and has not said so."""
    before = _count_images(log)
    while _count_images(log) == before:
        await asyncio.sleep(0.02)


def _count_images(log: Path) -> int:
    return sum(one.bot.startswith(KILLED) and one.kind != "text" for one in read_log(log))


async def _wait_for_ends(house: MessagingGround, sizes: Sizes) -> None:
    """Not looked at while it is measured: until the phones can be through at best."""
    await asyncio.sleep(sizes.phone_seconds * 2 / 3 - sizes.away_seconds)
    until = time.monotonic() + sizes.patience_seconds
    wanted = sizes.phones * sizes.rooms_each
    while time.monotonic() < until:
        ended = await house.count_deliveries()
        if sum(ended.values()) - ended.get("open", 0) == wanted:
            break
        await asyncio.sleep(0.5)
    log = house.folder / ARRIVALS
    size = log.stat().st_size
    await wait_until(lambda: log.stat().st_size == size, 1)


async def _list_handled(house: MessagingGround) -> set[tuple[str, str]]:
    """Room and kind of each part that the log says a phone has handled."""
    async with house.database.transaction() as tx:
        rows = await tx.rows(SQL.list_handled)
    return {(row["channel_id"], "text" if row["component"] == "text" else "image") for row in rows}


async def _count(house: MessagingGround) -> dict[str, Any]:
    async with house.database.transaction() as tx:
        parts = {row["state"]: row["count"] for row in await tx.rows(SQL.count_parts)}
    return {"ended": await house.count_deliveries(), "parts": parts}


def _judge(
    arrived: list[Received], due: datetime, sizes: Sizes, handled: set[tuple[str, str]], counted: dict[str, Any]
) -> Measured:
    ends: dict[str, float] = {}
    for one in arrived:
        busy = sizes.sleep if one.kind != "text" else 0.0
        ends[one.bot] = (one.at - due).total_seconds() + busy
    living = [end for bot, end in ends.items() if bot.startswith(LIVING)]
    logged = {(one.channel_id, "text" if one.kind == "text" else "image") for one in arrived}
    missing = sizes.living * sizes.rooms_each * PARTS - sum(one.bot.startswith(LIVING) for one in arrived)
    fields = {
        "of_phones": max(living) / sizes.phone_seconds,
        "lies": len(handled - logged),
        "missing": missing,
        "handled": len(handled),
    }
    targets = (Target("of_phones", at_most=1.15), Target("lies", at_most=0), Target("missing", at_most=0))
    notes = (
        f"Of phones is the end of the last phone that lived, by its own log, to the {sizes.phone_seconds:g} s "
        "it sleeps over its images.",
        f"{sizes.killed} phones are killed over an image after a third of that, and come back "
        f"{sizes.away_seconds:g} s later. Lies are parts the log calls handled that no phone wrote down.",
        "Missing is of the phones that lived.",
    )
    rounds = [{"ends_s": {bot: round(end, 2) for bot, end in sorted(ends.items())}, **counted}]
    return Measured(fields, targets, rounds, asdict(sizes), notes)
