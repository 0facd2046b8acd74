"""One server of a run, in a process of its own: python -m chaos.workflows.server. The monkey kills and stops it."""

import argparse
import asyncio
import os
import signal
from contextlib import suppress
from functools import partial

from chaos.history import History
from chaos.serving import GRACE, make_home, serving_mark, take_arguments, watch_parent
from chaos.worker import AWAY, open_patiently
from chaos.workflows.kinds import Steps
from pabal.base.database import Database
from pabal.base.telemetry import start_logging
from pabal.engine import timers
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.engine.server import Options, Server
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.strands import Strands


def main() -> None:
    given = take_arguments().parse_args()
    start_logging(level="info")
    asyncio.run(serve(given))


async def serve(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "server")
    database, pulse = await open_patiently(size=10), await open_patiently(size=2)
    kinds = Strands(database, Steps(history).kinds).add_to(Kinds())
    server = Server(database, pulse, kinds, Options(make_home(given.folder, given.slot), grace=GRACE))
    server.add_loops([_timers(database)])
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    watching = asyncio.create_task(watch_parent())
    await server.start()
    serving_mark(given.folder, given.slot, os.getpid()).touch()
    history.write("serving", slot=int(given.slot))
    await stopping.wait()
    # without a database nobody can say goodbye; the life lapses by itself
    with suppress(*AWAY):
        await server.stop()
    watching.cancel()
    await database.close()
    await pulse.close()


def _timers(database: Database) -> Loop:
    return Loop("timers", partial(timers.fire_once, database, [WORKFLOW_RUN]), idle=1.0, wake_on=["timers"])


if __name__ == "__main__":
    main()
