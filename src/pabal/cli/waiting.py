"""Waits at the terminal for work that a server does, telling how far it is."""

import asyncio
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
