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
from pabal.platform import events
from pabal.platform.services import Services
from pabal.platform.slice import Gateway, Slice

# A server with one of these runs work: all of it, or what needs the label of its role.
WORKING = frozenset({"worker", "render"})
LABELS = frozenset({"render"})


def build_server(
    settings: Settings, roles: frozenset[str], slices: tuple[Slice, ...], *, services: Services, pulse: Database
) -> Server:
    database = services.database
    known = kinds.merge(_kinds_of(one, roles, services) for one in slices)
    is_worker = bool(roles & WORKING)
    options = Options(
        locks=settings.data_dir / "locks",
        concurrency=settings.concurrency,
        routed=settings.routed_concurrency,
        grace=settings.shutdown_grace,
        reconnect_wait=settings.reconnect_wait,
        meta={
            "roles": sorted(roles),
            "version": pabal.__version__,
            "kinds": sorted(known) if is_worker else [],
        },
        is_worker=is_worker,
        labels=settings.labels | (roles & LABELS),
    )
    server = Server(database, pulse, known, options)
    services.head_start.runner = server.runner if is_worker else None
    server.add_loops([_housekeeping_loop(settings, database)])
    for one in slices:
        if one.loops is not None:
            server.add_loops(one.loops(services))
    if "worker" in roles:
        server.add_loops(_fact_loops(database, slices))
        server.add_loops(_event_loops(database, slices))
    if "scheduler" in roles:
        server.add_loops(_scheduler_loops(database, slices))
    return server


def open_gateways(
    roles: frozenset[str], slices: tuple[Slice, ...], services: Services, server: Server
) -> list[Gateway]:
    """Where work runs: a live connection is of use only to the server that works for it."""
    if not roles & WORKING:
        return []
    areas = {name.partition(".")[0] for name in server.kinds}
    chosen = [one for one in slices if "worker" in roles or one.name in areas]
    return [each for one in chosen if one.gateways is not None for each in one.gateways(services, server.life)]


def _kinds_of(one: Slice, roles: frozenset[str], services: Services) -> kinds.Kinds:
    """All of them, also where nothing is run; a server that only renders knows what needs that."""
    known = one.make_kinds(services)
    return known if "worker" in roles or not roles & LABELS else known.only(roles & LABELS)


def _housekeeping_loop(settings: Settings, database: Database) -> Loop:
    keep = housekeeping.Retention(settings.keep_jobs, settings.keep_facts, settings.keep_occurrences)
    return Loop("housekeeping", partial(housekeeping.run_once, database, keep), idle=60.0)


# Each commit with a fact of its area wakes a subscriber on every server; what comes meanwhile is taken together.
FACTS_REST = 0.1


def _fact_loops(database: Database, slices: tuple[Slice, ...]) -> list[Loop]:
    return [facts.make_loop(database, each, idle=5.0, least=FACTS_REST) for one in slices for each in one.subscribers]


def _event_loops(database: Database, slices: tuple[Slice, ...]) -> list[Loop]:
    return [loop for one in slices for each in one.consumers for loop in events.make_loops(database, each)]


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
