"""One server of a run, in a process of its own: python -m chaos.worker. The monkey kills and stops it."""

import argparse
import asyncio
import os
import random
import signal
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from chaos import listening
from chaos.claiming import NotingExchange
from chaos.history import History
from chaos.kinds import LABEL, make_kinds
from chaos.long import FOLDER
from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine import routes
from pabal.engine.loop import Loop
from pabal.engine.routes import LifeOver
from pabal.engine.server import Options, Server
from pabal.engine.ticks import Ticks

SQL = load(__file__)
ROUTES = tuple(f"bot:{n}" for n in range(6))
# These two stay together on one server, until it dies: only so can be seen which of their jobs it takes first.
PAIR = ("bot:left", "bot:right")
# A loop that woke later than this was kept from its turn, and says so.
LAG = 0.1
LOOK = 0.02
# Few, so that urgent work and the routes compete for them.
ROUTED = 4
# Not every error of the database: a broken constraint or a deadlock is a finding, and ends whoever meets it.
AWAY = (DatabaseUnavailable, *ConnectionFailure)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", type=int, required=True)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--ttl", type=float, required=True)
    start_logging(level="warning")
    asyncio.run(work(parser.parse_args()))


def has_label(slot: int) -> bool:
    return slot % 2 == 0


def life_mark(folder: Path, pid: int) -> Path:
    """This file says that the server has a life."""
    return folder / "serving" / str(pid)


async def work(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "worker")
    os.environ[FOLDER] = str(given.folder / "history")
    database = await open_patiently(size=8)
    pulse = await open_patiently(size=2)
    worker = [0]
    kinds = make_kinds(history, lambda: worker[0])
    locks = given.folder / "locks" / str(given.slot)
    grace, ttl = timedelta(seconds=2), timedelta(seconds=given.ttl)
    labels = frozenset({LABEL} if has_label(given.slot) else ())
    options = Options(locks, concurrency=8, routed=ROUTED, grace=grace, ttl=ttl, labels=labels)
    server = Server(database, pulse, kinds, options)
    server.runner._exchange = NotingExchange(database, kinds, labels, history)
    server.wakeups.on_hint(partial(_note_hint, history))
    server.add_loops([listening.make_loop(database), _ticking(database)])
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await server.start()
    life_mark(given.folder, os.getpid()).touch()
    beside = [
        asyncio.create_task(_note_lives(server, history, worker, stopping)),
        asyncio.create_task(_grab_routes(server, history, random.Random(given.seed))),
        asyncio.create_task(stopping.wait()),
    ]
    # the last of them, unless one of the others broke
    ended, left = await asyncio.wait(beside, return_when=asyncio.FIRST_COMPLETED)
    history.write("stopping")
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    # without the database nobody hears the goodbye: its life ends by itself
    with suppress(*AWAY):
        await server.stop()
    history.write("stopped")
    await database.close()
    await pulse.close()
    for task in ended:
        task.result()


def _ticking(database: Database) -> Loop:
    tick = Ticks(database)
    return Loop("schedules", tick.run_once, idle=1.0, wake_on=["schedules"], next_moment=tick.next_due)


async def open_patiently(*, size: int) -> Database:
    """The database may be down just now; the ceiling keeps a lost process from staying."""
    url = os.environ["PABAL_DATABASE_URL"]
    async with asyncio.timeout(60):
        while True:
            try:
                return await Database.open(url, size=size)
            except AWAY:
                await asyncio.sleep(0.1)


async def _note_lives(server: Server, history: History, worker: list[int], stopping: asyncio.Event) -> None:
    """Which life this process is, so that a lost attempt can be traced to the fault; ends when the parent is gone.

    And how late it wakes, so that a machine that is busy with other things is told from an engine that is late.
    """
    parent = os.getppid()
    while os.getppid() == parent:
        if server.life.worker != worker[0]:
            worker[0] = server.life.worker
            history.write("life", worker=worker[0])
        slept_at = elapsed()
        await asyncio.sleep(LOOK)
        if (late := elapsed() - slept_at - LOOK) > LAG:
            history.write("lag", seconds=late)
    stopping.set()


def _note_hint(history: History, topic: str, _at: datetime | None) -> None:
    """From here on this server knows that there is something on that route."""
    if (route := topic.removeprefix("queue:")) in PAIR:
        history.write("heard", route=route)


async def _grab_routes(server: Server, history: History, chance: random.Random) -> None:
    """Live connections come and go: this server takes a route, whoever had it before."""
    while True:
        wanted = [chance.choice(ROUTES)]
        try:
            async with server.database.transaction() as tx:
                wanted += [] if await tx.value(SQL.is_held, routes=list(PAIR)) else PAIR
                held = [await routes.hold_route(tx, route, worker=server.life.worker) for route in wanted]
                for one in held:
                    await tx.run(SQL.insert_held, route=one.route, worker=one.worker, epoch=one.epoch, pid=os.getpid())
            for one in held:
                history.write("held", route=one.route, epoch=one.epoch, worker=one.worker)
        except (*AWAY, LifeOver):
            history.write("not held", routes=wanted)
        await asyncio.sleep(chance.uniform(0.3, 3.0))


if __name__ == "__main__":
    main()
