"""The engine's own measures, none of which reads more than a bounded number of rows, and counts for each unit."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

from pabal.base.clock import elapsed, host_time
from pabal.base.database import Tx
from pabal.base.sql import Statement, load
from pabal.platform import tenants
from pabal.platform.alerts.model import Measure, Read, Reading
from pabal.platform.alerts.store import list_open
from pabal.platform.tenants import Scope

SQL = load(__file__)

ENDED_WITHIN = timedelta(minutes=10)
LOST_WITHIN = timedelta(hours=1)
# A rate of fewer is noise.
FEWEST_ENDED = 10


async def read_success_rate(tx: Tx) -> float | None:
    """Percent of the jobs ended in the last ten minutes that are done or partial. Withdrawn ones do not count."""
    [row] = await tx.rows(SQL.read_ended, since=tx.now - ENDED_WITHIN)
    ended: int = row["ended"]
    return None if ended < FEWEST_ENDED else 100.0 * row["good"] / ended


async def read_processing_time(tx: Tx) -> float | None:
    """95 of 100 attempts of the last ten minutes took at most so many seconds."""
    seconds: float | None = await tx.value(SQL.read_processing_time, since=tx.now - ENDED_WITHIN)
    return seconds


async def read_lost_servers(tx: Tx) -> float:
    """Servers that fell silent without a goodbye within the hour and have not begun again on their host."""
    lost: float = await tx.value(SQL.count_lost_servers, since=tx.now - LOST_WITHIN)
    return lost


async def read_skew(tx: Tx) -> float:
    """How far this host's clock is certainly from the database's, in milliseconds."""
    before = host_time()
    theirs: float = await tx.value(SQL.read_real_time)
    after = host_time()
    return 1000.0 * max(before - theirs, theirs - after, 0.0)


async def read_round_trip(tx: Tx) -> float:
    before = elapsed()
    await tx.value(SQL.read_nothing)
    return 1000.0 * (elapsed() - before)


def _one_value(statement: Statement) -> Read:
    async def read(tx: Tx) -> float | None:
        value: float | None = await tx.value(statement)
        return value

    return read


ENGINE_MEASURES = (
    Measure("work.ready", ("Ready jobs", "대기 중인 작업"), _one_value(SQL.count_ready)),
    Measure("work.delayed", ("Delayed jobs", "미뤄 둔 작업"), _one_value(SQL.count_delayed)),
    Measure("work.waiting", ("Jobs waiting for their lane", "차례를 기다리는 작업"), _one_value(SQL.count_waiting)),
    Measure("work.running", ("Running jobs", "실행 중인 작업"), _one_value(SQL.count_running)),
    Measure("work.oldest_ready", ("Oldest ready job", "가장 오래 기다린 작업"), _one_value(SQL.read_oldest_ready), "s"),
    Measure("work.longest_run", ("Longest running job", "가장 오래 도는 작업"), _one_value(SQL.read_longest_run), "s"),
    Measure("work.delay_lag", ("Lag of delayed jobs", "미뤄 둔 작업의 지연"), _one_value(SQL.read_delay_lag), "s"),
    Measure("work.success_rate", ("Success rate", "성공률"), read_success_rate, "%"),
    Measure("work.processing_time", ("Processing time p95", "처리 시간 p95"), read_processing_time, "s"),
    Measure("schedules.lag", ("Schedule lag", "스케줄 지연"), _one_value(SQL.read_schedule_lag), "s"),
    Measure("timers.lag", ("Timer lag", "타이머 지연"), _one_value(SQL.read_timer_lag), "s"),
    Measure("facts.aside", ("Facts put aside", "따로 둔 사실"), _one_value(SQL.count_aside)),
    Measure("facts.lag", ("Lag of subscribers", "구독 지연"), _one_value(SQL.read_fact_lag), "s"),
    Measure("servers.alive", ("Servers alive", "살아 있는 서버"), _one_value(SQL.count_alive)),
    Measure("servers.lost", ("Servers fallen silent", "소식이 끊긴 서버"), read_lost_servers),
    Measure("database.size", ("Size of the database", "데이터베이스 크기"), _one_value(SQL.read_size), "MB"),
    Measure("database.connections", ("Database connections", "데이터베이스 연결"), _one_value(SQL.count_connections)),
    Measure(
        "database.round_trip", ("Database round trip", "데이터베이스 응답"), read_round_trip, "ms", is_per_host=True
    ),
    Measure("clock.skew", ("Clock difference", "시계 차이"), read_skew, "ms", is_per_host=True),
)


EVERYTHING = Scope(None, None)


async def read_by_unit(tx: Tx, rule: str, counts: Mapping[int, float]) -> list[Reading]:
    """Of two units with one name the number tells them apart."""
    units = {unit.id: unit.name for unit in await tenants.list_units(tx, list(counts))}
    times = Counter(units.values())
    named = {key: name if times[name] == 1 else f"{name} #{key}" for key, name in units.items()}
    return await and_ended(tx, rule, [Reading(counts[key], name, key) for key, name in named.items()])


async def and_ended(tx: Tx, rule: str, readings: list[Reading]) -> list[Reading]:
    """What has nothing to count any more counts nothing, so that its alert ends."""
    there = {one.about for one in readings}
    fired = [one for one in await list_open(tx, EVERYTHING) if one.rule == rule and one.about not in there]
    return [*readings, *(Reading(0, one.about, one.unit_id) for one in fired)] or [Reading(0)]
