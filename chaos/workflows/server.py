"""One server of a run: the engine with workflows, in a process of its own: python -m chaos.workflows.server."""

import argparse
import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.serving import serving_mark, watch_parent
from chaos.worker import AWAY
from chaos.workflows.flows import Kinds as FlowKinds
from pabal.base.database import Database
from pabal.base.telemetry import start_logging
from pabal.engine import timers
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.engine.server import Options, Server
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.strands import Strands


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", required=True)
    given = parser.parse_args()
    start_logging(level="info")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(given.folder, given.slot))


async def serve(folder: Path, slot: str) -> None:
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    history = History(folder / "history", "server")
    database, pulse = await _open(10), await _open(2)
    kinds = Strands(database, FlowKinds(history).kinds).add_to(Kinds())
    server = Server(database, pulse, kinds, Options(home, grace=timedelta(seconds=3), concurrency=16))

    async def fire() -> int:
        return await timers.fire_once(database, [WORKFLOW_RUN])

    server.add_loops([Loop("timers", fire, idle=0.5, wake_on=["timers"])])
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    watching = asyncio.create_task(watch_parent())
    await _start(server)
    serving_mark(folder, slot, os.getpid()).touch()
    await stop.wait()
    watching.cancel()
    await server.stop()
    database.terminate()
    pulse.terminate()


async def _open(size: int) -> Database:
    async with asyncio.timeout(60):
        while True:
            try:
                return await Database.open(os.environ["PABAL_DATABASE_URL"], size=size)
            except AWAY:
                await asyncio.sleep(0.1)


async def _start(server: Server) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                return await server.start()
            except AWAY:
                await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
