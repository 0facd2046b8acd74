"""The processes of messaging's figures: a whole server as `pabal serve` runs it, and the phones of its bots."""

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import uvloop

from bench.messaging_ground import APP
from bench.peers.words import main, say
from pabal import main as pabal
from pabal.apps.messaging.simulator.fleet import Fleet, running
from pabal.apps.messaging.simulator.options import Options
from pabal.base import open_files
from pabal.base.settings import parse_roles, read_settings
from pabal.base.telemetry import start_logging

ARRIVALS = "arrivals.jsonl"


async def serve(url: str, folder: str, roles: str) -> dict[str, Any]:
    """Until it is killed. Says where it listens."""
    open_files.allow()
    settings = read_settings(
        database_url=url,
        data_dir=Path(folder),
        port=0,
        bots_host="127.0.0.1",
        bots_port=0,
        apps=APP,
    )
    app = await pabal.build(settings, parse_roles(roles))

    def tell(address: str | None) -> None:
        say(pid=os.getpid(), address=address, port=app.services.connections.doors.get("bots", ("", 0))[1])

    await pabal.serve(app, tell)
    return {}


async def phones(folder: str, pace: float, each: float, *ports: float) -> dict[str, Any]:
    """So many at each port, until they are killed. What arrives is in the folder, by this machine's clock."""
    open_files.allow()
    async with AsyncExitStack() as stack:
        for place, port in enumerate(ports):
            servers = (("127.0.0.1", int(port)),)
            fleet = Fleet(int(each), servers, prefix(place), Options(pace=pace), Path(folder) / ARRIVALS)
            await stack.enter_async_context(running(fleet))
        say(connected=int(each) * len(ports))
        await asyncio.Event().wait()
    return {}


async def fleet(folder: str, pace: float, prefix: str, count: float, port: float) -> dict[str, Any]:
    """So many of this name at one port, until they are killed."""
    open_files.allow()
    servers = (("127.0.0.1", int(port)),)
    async with running(Fleet(int(count), servers, prefix, Options(pace=pace), Path(folder) / ARRIVALS)):
        say(connected=int(count))
        await asyncio.Event().wait()
    return {}


def prefix(place: int) -> str:
    """Of the names of the bots that call the server at this place."""
    return f"bench{place}"


def list_names(each: int, servers: int) -> list[str]:
    return [Fleet(each, (), prefix(place)).name(number + 1) for place in range(servers) for number in range(each)]


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve, "phones": phones, "fleet": fleet}, uvloop.run)
