"""Commands that wait: for work that a server does, telling how far it is, or until somebody stops them."""

import asyncio
import signal
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING

from pabal.cli.exits import NoServer
from pabal.engine import listing, queue

if TYPE_CHECKING:
    from pabal.base.database import Database
    from pabal.cli.shell import Shell
    from pabal.engine.queue import Place

LOOK_SECONDS = 0.5


async def until_ended(shell: "Shell", database: "Database", job_id: int) -> "Place":
    """Ctrl-C ends the waiting, not the work. Without a server that could do it, there is nothing to wait for."""
    told = ""
    while (place := await _look(database, job_id)).place != "ended":
        step = ", ".join(f"{name} {value}" for name, value in (place.progress or {}).items())
        if step and step != told:
            shell.tell("wait.step", step=step)
        told = step
        await asyncio.sleep(LOOK_SECONDS)
    return place


async def _look(database: "Database", job_id: int) -> "Place":
    async with database.transaction() as tx:
        place = await queue.get_place(tx, job_id)
        if place.place not in ("ended", "lease"):
            servers = await listing.list_servers(tx)
            if not any(server.is_alive and place.kind in server.kinds for server in servers):
                raise NoServer(place.kind)
    return place


async def until_signalled(work: Awaitable[object] | None = None) -> None:
    """Runs until Ctrl-C or SIGTERM, or until the work has ended. An error of the work is raised."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only the work ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    waiting = asyncio.create_task(stop.wait())
    working = None if work is None else asyncio.ensure_future(work)
    tasks = [task for task in (waiting, working) if task is not None]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    for one in done:
        if isinstance(one, Exception):
            raise one
