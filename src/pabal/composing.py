"""Composes one engine server out of what the slices hand over: kinds, loops, gateways, the scheduler's pace."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import pabal
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.engine import facts, housekeeping, kinds, timers
from pabal.engine.loop import Loop
from pabal.engine.server import Options, Server
from pabal.engine.ticks import Pace, Ticks
from pabal.platform.services import Services
from pabal.platform.slice import Gateway, Slice


def build_server(
    settings: Settings, roles: frozenset[str], slices: tuple[Slice, ...], *, services: Services, pulse: Database
) -> Server:
    database = services.database
    known = kinds.merge(one.make_kinds(services) for one in slices)
    options = Options(
        locks=settings.data_dir / "locks",
        concurrency=settings.concurrency,
        routed=settings.routed_concurrency,
        grace=settings.shutdown_grace,
        reconnect_wait=settings.reconnect_wait,
        meta={
            "roles": sorted(roles),
            "version": pabal.__version__,
            "kinds": sorted(known) if "worker" in roles else [],
        },
        is_worker="worker" in roles,
        labels=settings.labels,
    )
    server = Server(database, pulse, known, options)
    server.add_loops([_housekeeping_loop(settings, database)])
    for one in slices:
        if one.loops is not None:
            server.add_loops(one.loops(services))
    if "worker" in roles:
        server.add_loops(_fact_loops(database, slices))
    if "scheduler" in roles:
        server.add_loops(_scheduler_loops(database, slices))
    return server


def open_gateways(
    roles: frozenset[str], slices: tuple[Slice, ...], services: Services, server: Server
) -> list[Gateway]:
    """Where work runs: a live connection is of use only to the server that works for it."""
    if "worker" not in roles:
        return []
    return [each for one in slices if one.gateways is not None for each in one.gateways(services, server.life)]


def _housekeeping_loop(settings: Settings, database: Database) -> Loop:
    keep = housekeeping.Retention(settings.keep_jobs, settings.keep_facts, settings.keep_occurrences)
    return Loop("housekeeping", partial(housekeeping.run_once, database, keep), idle=60.0)


# Each commit with a fact wakes every subscriber on every server, and most facts are none of its business.
FACTS_REST = 0.1


def _fact_loops(database: Database, slices: tuple[Slice, ...]) -> list[Loop]:
    return [
        Loop(
            f"facts:{each.name}",
            partial(facts.deliver_once, database, each),
            idle=5.0,
            wake_on=["facts"],
            least=FACTS_REST,
        )
        for one in slices
        for each in one.subscribers
    ]


# What is due is looked for every second, also if nobody said that there is something.
TIMERS_REST = 1.0


def _scheduler_loops(database: Database, slices: tuple[Slice, ...]) -> list[Loop]:
    machines = [machine for one in slices for machine in one.machines]

    async def next_timer() -> tuple[datetime | None, datetime]:
        async with database.transaction() as tx:
            return await timers.next_due(tx, machines), tx.now

    fire = partial(timers.fire_once, database, machines)
    tick = Ticks(database, _common_pace([one.pace for one in slices if one.pace is not None]))
    return [
        Loop("timers", fire, idle=TIMERS_REST, wake_on=["timers"], next_moment=next_timer),
        Loop("schedules", tick.run_once, idle=tick.rest_seconds, wake_on=["schedules"], next_moment=tick.next_due),
    ]


def _common_pace(paces: list[Callable[[Tx], Awaitable[Pace]]]) -> Callable[[Tx], Awaitable[Pace]] | None:
    """There is one scheduler: the most impatient app sets its rest, the most careful one how much it takes at once."""

    async def ask(tx: Tx) -> Pace:
        asked = [await pace(tx) for pace in paces]
        return Pace(min(each.rest for each in asked), min(each.most for each in asked))

    return ask if paces else None
