"""One server of a run, in a process of its own: python -m chaos.worker. The monkey kills and stops it."""

import argparse
import asyncio
import os
import random
import signal
from datetime import timedelta
from pathlib import Path

from chaos import listening
from chaos.history import History
from chaos.kinds import LABEL, make_kinds
from chaos.long import FOLDER
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine import routes
from pabal.engine.loop import Loop
from pabal.engine.server import Options, Server
from pabal.engine.ticks import Ticks

SQL = load(__file__)
ROUTES = tuple(f"bot:{n}" for n in range(6))
# Few, so that urgent work and the routes compete for them.
ROUTED = 4
AWAY = (DatabaseUnavailable, DatabaseError, *ConnectionFailure)


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
    server.add_loops([listening.make_loop(database), _ticking(database)])
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await server.start()
    life_mark(given.folder, os.getpid()).touch()
    beside = [
        asyncio.create_task(_note_lives(server, history, worker, stopping)),
        asyncio.create_task(_grab_routes(server, history, random.Random(given.seed))),
    ]
    await stopping.wait()
    for task in beside:
        task.cancel()
    await asyncio.gather(*beside, return_exceptions=True)
    await server.stop()
    history.write("stopped")
    await database.close()
    await pulse.close()


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
    """Which life this process is, so that a lost attempt can be traced to the fault; ends when the parent is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        if server.life.worker != worker[0]:
            worker[0] = server.life.worker
            history.write("life", worker=worker[0])
        await asyncio.sleep(0.02)
    stopping.set()


async def _grab_routes(server: Server, history: History, chance: random.Random) -> None:
    """Live connections come and go: this server takes a route, whoever had it before."""
    while True:
        route = chance.choice(ROUTES)
        try:
            async with server.database.transaction() as tx:
                held = await routes.hold_route(tx, route, worker=server.life.worker)
                await tx.run(SQL.insert_held, route=route, worker=held.worker, epoch=held.epoch, pid=os.getpid())
            history.write("held", route=route, epoch=held.epoch, worker=held.worker)
        except AWAY:
            history.write("not held", route=route)
        await asyncio.sleep(chance.uniform(0.3, 3.0))


if __name__ == "__main__":
    main()
