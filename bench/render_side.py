"""The processes of rendering's figures: a whole server with slots as `pabal serve` runs it, and its nexrender."""

import asyncio
import os
from pathlib import Path
from typing import Any

import uvloop

from bench.peers.words import main, say
from bench.render_ground import APP, KEY, OUTPUT
from pabal import main as pabal
from pabal.apps.rendering.simulator.options import LocalFolder, NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from pabal.base.settings import parse_roles, read_settings
from pabal.base.telemetry import start_logging


async def serve(url: str, folder: str) -> dict[str, Any]:
    """Until it is killed. Says that it is at work."""
    settings = read_settings(database_url=url, data_dir=Path(folder), apps=APP, secret_key=KEY)
    app = await pabal.build(settings, parse_roles("worker,scheduler,render"))
    await pabal.serve(app, lambda _: say(pid=os.getpid()))
    return {}


async def nexrender(folder: str, machines: float, least: float, most: float, seed: float) -> dict[str, Any]:
    """Until it is killed. Says where it listens; what it did is in its journal."""
    options = NexrenderOptions(
        workers=int(machines),
        seconds=(least, most),
        seed=int(seed),
        folders=(LocalFolder(OUTPUT, Path(folder) / "output"),),
        log=Path(folder) / "nexrender.jsonl",
    )
    async with SimulatedNexrender(options) as one:
        say(address=one.url)
        await asyncio.Event().wait()
    return {}


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve, "nexrender": nexrender}, uvloop.run)
