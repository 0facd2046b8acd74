"""Fifty phones get a message a second while strangers do harm on both ports: how much later it comes."""

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from bench.ground import Ground
from bench.messaging_ground import EVERY, MESSAGING, MessagingGround, Place, laid, read_memory
from bench.messaging_side import ARRIVALS, list_names
from bench.result import Measured, Target, middle, percentile
from bench.sides import Side
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.apps.messaging.simulator.witness import read_log
from pabal.base.sql import load
from pabal.platform import settings
from pabal.platform.actor import ENGINE

SQL = load(__file__)
SEOUL = ZoneInfo("Asia/Seoul")
STRANGERS = Side("strangers", (sys.executable, "-m", "bench.strangers_side"))
# What a room may get is no part of this.
LIMITS = (
    *(own.MIN_GAP_SECONDS, own.DISPATCHES_PER_DAY, own.MESSAGES_PER_MINUTE, own.MESSAGES_PER_HOUR),
    own.MESSAGES_PER_DAY,
)
# Either this many times as late, or this much later.
MOST_RATIO, MOST_MS = 2.0, 50.0


@dataclass(frozen=True)
class Sizes:
    phones: int = 50
    seconds: int = 20
    rounds: int = 2
    on_bots: int = 200
    on_http: int = 50
    lead_seconds: int = 4
    patience_seconds: int = 30


SMALL = Sizes(phones=3, seconds=1, rounds=1, on_bots=14, on_http=5, lead_seconds=1)


@dataclass(frozen=True)
class Served:
    pid: int
    bots_port: int
    http_port: int


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url, laid(url) as house, AsyncExitStack() as stack:
        places = await house.add_bots(list_names(sizes.phones, 1), rooms_each=1)
        await _save(house, places, sizes)
        server = await stack.enter_async_context(MESSAGING.start("serve", url, house.folder, EVERY))
        said = await server.line()
        served = Served(said["pid"], said["port"], urlsplit(said["address"]).port or 80)
        calling = MESSAGING.start("phones", house.folder, 0.001, sizes.phones, served.bots_port)
        await (await stack.enter_async_context(calling)).line()
        await house.wait_for_routes(sizes.phones)
        await ground.settle(url)
        # The first send of a process finds its way.
        await _send(house, sizes)
        rounds = [await _round(house, served, sizes) for _ in range(sizes.rounds)]
        # what a round leaves behind counts in the next: each is told from the first one's beginning
        begun = rounds[0]["before_mb"]
        rounds = [{**one, "grown_mb": one["peak_mb"] - begun} for one in rounds]
        await house.wait_for_routes(sizes.phones)
    return _judge(rounds, sizes)


async def _round(house: MessagingGround, served: Served, sizes: Sizes) -> dict[str, Any]:
    quiet = await _send(house, sizes)
    before = read_memory(served.pid, "VmRSS")
    # They begin before the first message is due, and go on until the last has come.
    seconds = sizes.lead_seconds + sizes.seconds + 2
    given = (served.bots_port, served.http_port, sizes.on_bots, sizes.on_http, seconds)
    async with STRANGERS.start("attack", *given) as strangers:
        await strangers.line()
        watching = asyncio.create_task(_watch_memory(served.pid))
        harmed = await _send(house, sizes)
        answer = await strangers.answer()
        watching.cancel()
        [peak] = await asyncio.gather(watching)
    return {
        "quiet_p50_ms": percentile(quiet, 0.5),
        "quiet_p99_ms": percentile(quiet, 0.99),
        "harmed_p50_ms": percentile(harmed, 0.5),
        "harmed_p99_ms": percentile(harmed, 0.99),
        "before_mb": before / 2**20,
        "peak_mb": peak / 2**20,
        "missing": 2 * sizes.phones * sizes.seconds - len(quiet) - len(harmed),
        **answer,
    }


async def _watch_memory(pid: int) -> int:
    """The most it had until nobody watches any more."""
    peak = 0
    try:
        while True:
            peak = max(peak, read_memory(pid, "VmRSS"))
            await asyncio.sleep(0.2)
    except asyncio.CancelledError:
        return peak


async def _save(house: MessagingGround, places: list[Place], sizes: Sizes) -> None:
    """One schedule for each phone and second; they say a time of day far from now."""
    for second in range(sizes.seconds):
        async with house.database.transaction() as tx:
            if second == 0:
                for limit in LIMITS:
                    await settings.change(tx, ENGINE, limit, 0)
            noon = (tx.now + timedelta(hours=12)).astimezone(SEOUL).time().replace(microsecond=0)
            when = When(ScheduleType.DAILY, noon, tx.now, tx.now + timedelta(days=30))
            for place in places:
                new = NewSchedule(f"Second {second}", place.room_id, place.bot_id, Content(str(second)), when)
                await schedules.create(tx, ENGINE, new)


async def _send(house: MessagingGround, sizes: Sizes) -> list[float]:
    """Lateness in ms of every message, from the moment it was due to its arrival at the phone."""
    log = house.folder / ARRIVALS
    begun = _count(log)
    async with house.database.transaction() as tx:
        due = tx.now.replace(microsecond=0) + timedelta(seconds=sizes.lead_seconds)
        await tx.run(SQL.set_due, due=due)
        tx.hint("schedules", due)
    wanted = begun + sizes.phones * sizes.seconds
    for _ in range(10 * (sizes.lead_seconds + sizes.seconds + sizes.patience_seconds)):
        if _count(log) >= wanted:
            break
        await asyncio.sleep(0.1)
    return [_lateness(one.at, due, int(one.text)) for one in read_log(log)[begun:]]


def _lateness(at: datetime, due: datetime, second: int) -> float:
    return (at - due - timedelta(seconds=second)).total_seconds() * 1000


def _count(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _judge(rounds: list[dict[str, Any]], sizes: Sizes) -> Measured:
    quiet, harmed = middle(rounds, "quiet_p99_ms"), middle(rounds, "harmed_p99_ms")
    fields = {
        "lateness_ratio": harmed / quiet,
        "p99_ms": harmed,
        "quiet_p99_ms": quiet,
        "grown_mb": max(float(one["grown_mb"]) for one in rounds),
        "missing": sum(int(one["missing"]) for one in rounds),
    }
    targets = (
        Target("lateness_ratio", at_most=max(MOST_RATIO, (quiet + MOST_MS) / quiet)),
        Target("grown_mb", at_most=100),
        Target("missing", at_most=0),
    )
    notes = (
        "Lateness is from the due moment of a schedule to the arrival at the phone; the ratio is p99 with strangers by "
        f"p99 without, and must not pass {MOST_RATIO:g}, or what {MOST_MS:g} ms more would be.",
        "On the bots' port strangers are silent, drip, send lines of brackets of 1 MB, never end a line, come and go, "
        "shake hands wrongly, and chat without approval; on HTTP they send slow headers, slow bodies and 300 MB of "
        "multipart to /sign-in, fetch a page five times a second each, and leave connections open.",
        "All of them, and the phones, have the same address; strangers that are closed come again.",
        "Grown is the most the server's resident memory had meanwhile, less what it had before any strangers came.",
    )
    return Measured(fields, targets, rounds, asdict(sizes), notes)
