"""The seed's own design, built faithfully: a sorted set polled each second, a lock for each ad group, one transaction
for each event, its actions one after the other. One worker, asyncpg and redis-py, the same rows in the same tables."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import uvloop
from redis.asyncio import Redis

from bench import adgroups_ground as ground
from bench.peers.words import main
from pabal.apps.adgroups.machine import as_schedule
from pabal.apps.adgroups.model.adgroups import Event, Schedule, State
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import start_logging

SQL = load(__file__)
DELAYED = "adgroup:delayed:events"
EACH_SECOND = 1.0
LOCK_SECONDS = 30


@dataclass(frozen=True)
class Machine:
    """Its parts share a connection, a Redis and a clock that began at midnight."""

    connection: asyncpg.Connection
    redis: Redis
    midnight: datetime
    began: float

    @property
    def now(self) -> datetime:
        return self.midnight + timedelta(seconds=elapsed() - self.began)


async def start(url: str, address: str, count: float) -> dict[str, Any]:
    """Polls until so many are running; the first look comes at once, which is the best that can happen to it."""
    connection = await asyncpg.connect(url)
    redis = Redis.from_url(address, decode_responses=True)
    await _schedule_all(connection, redis)
    database = await Database.open(url, size=1)
    await ground.approach(database)
    await database.close()
    machine = Machine(connection, redis, await connection.fetchval(SQL.read_now.text), elapsed())
    handled = 0
    while handled < count:
        polled = elapsed()
        handled += await _poll(machine)
        if handled < count:
            await asyncio.sleep(max(0.0, polled + EACH_SECOND - elapsed()))
    seconds = elapsed() - machine.began
    await redis.aclose()
    await connection.close()
    return {"count": handled, "seconds": seconds}


async def _schedule_all(connection: asyncpg.Connection, redis: Redis) -> None:
    """As it stands before midnight: START and EXPIRE of each, from their approval. Not measured."""
    async with redis.pipeline(transaction=False) as pipe:
        for row in await connection.fetch(SQL.list_delayed.text):
            member = _member(row["subject"], row["event"])
            pipe.zadd(DELAYED, {member: row["due_at"].timestamp()})
            pipe.sadd(f"adgroup:scheduled:{row['subject']}", member)
        await pipe.execute()


async def _poll(machine: Machine) -> int:
    """The delayed-event processor: what is due, one after the other; each is removed when it is processed."""
    due = await machine.redis.zrangebyscore(DELAYED, "-inf", machine.now.timestamp())
    handled = 0
    for member in map(str, due):
        event = json.loads(member)
        ad_group_id, lock = event["adGroupId"], f"adgroup:event:lock:{event['adGroupId']}"
        if not await machine.redis.set(lock, "1", nx=True, ex=LOCK_SECONDS):
            continue
        handled += await _send_event(machine, ad_group_id, event["event"])
        await machine.redis.zrem(DELAYED, member)
        await machine.redis.srem(f"adgroup:scheduled:{ad_group_id}", member)
        await machine.redis.delete(lock)
    return handled


async def _send_event(machine: Machine, ad_group_id: int, event: str) -> bool:
    """The state machine's service: guard, then the actions of the transition, in one transaction."""
    connection, now = machine.connection, machine.now
    async with connection.transaction():
        row = await _fetchrow(connection, "find_ad_group", id=ad_group_id)
        schedule = as_schedule(*(row[name] for name in ("start_at", "end_at", "zone", "dayparts", "moved", "is_held")))
        is_startable = row["state"] == State.APPROVED and schedule.start_at <= now < schedule.end_at
        if event != Event.START or not is_startable or not schedule.calendar.is_inside(now):
            return False
        moved = {"id": ad_group_id, "unit_id": row["unit_id"], "target": "running", "at": now}
        await _run(connection, "update_state", id=ad_group_id, state="running", version=row["version"])
        await _run(connection, "insert_history", **moved, version=row["version"] + 1, event="start", source="approved")
        await _run(connection, "insert_event", **moved, data=json.dumps({"event": "start", "source": "approved"}))
        await _refresh_metadata(machine, row)
        await _schedule_next(machine, ad_group_id, schedule, now)
    return True


async def _refresh_metadata(machine: Machine, row: asyncpg.Record) -> None:
    creatives = await _fetch(machine.connection, "list_creatives", id=row["id"])
    codes = [code["code"] for code in await _fetch(machine.connection, "list_codes", id=row["id"])]
    value = {
        "id": row["id"],
        "state": "RUNNING",
        "version": row["version"] + 1,
        "name": row["name"],
        "campaign": row["campaign_id"],
        "start_at": row["start_at"].isoformat(),
        "end_at": row["end_at"].isoformat(),
        "zone": row["zone"],
        "dayparts": row["dayparts"],
        "creatives": [dict(creative) for creative in creatives],
        "inventory": codes,
    }
    async with machine.redis.pipeline(transaction=True) as pipe:
        pipe.set(f"adgroup:serving:{row['id']}", json.dumps(value))
        pipe.sadd("adgroup:serving:running", row["id"])
        for code in codes:
            pipe.sadd(f"adgroup:serving:inventory:{code}", row["id"])
        await pipe.execute()


async def _schedule_next(machine: Machine, ad_group_id: int, schedule: Schedule, now: datetime) -> None:
    ends = schedule.calendar.next_end(now)
    if ends is not None and ends < schedule.end_at:
        member = _member(ad_group_id, Event.DAILY_END)
        await machine.redis.zadd(DELAYED, {member: ends.timestamp()})
        await machine.redis.sadd(f"adgroup:scheduled:{ad_group_id}", member)


def _member(ad_group_id: int, event: str) -> str:
    return json.dumps({"adGroupId": ad_group_id, "event": event})


async def _fetch(connection: asyncpg.Connection, name: str, **given: Any) -> list[asyncpg.Record]:
    statement = getattr(SQL, name)
    return list(await connection.fetch(statement.text, *statement.arguments(given)))


async def _fetchrow(connection: asyncpg.Connection, name: str, **given: Any) -> asyncpg.Record:
    [row] = await _fetch(connection, name, **given)
    return row


async def _run(connection: asyncpg.Connection, name: str, **given: Any) -> None:
    statement = getattr(SQL, name)
    await connection.execute(statement.text, *statement.arguments(given))


if __name__ == "__main__":
    start_logging(level="warning")
    main({"start": start}, uvloop.run)
