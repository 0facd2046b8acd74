"""The server of the relay's figures: a whole one, as `pabal serve` runs it."""

import os
from pathlib import Path
from typing import Any

import uvloop

from bench.peers.words import main, say
from bench.relay_ground import APP
from pabal import main as pabal
from pabal.base import open_files
from pabal.base.settings import parse_roles, read_settings
from pabal.base.telemetry import start_logging


async def serve(url: str, folder: str, roles: str, connections: float) -> dict[str, Any]:
    """Until it is killed. Says where it listens."""
    open_files.allow()
    settings = read_settings(
        database_url=url,
        data_dir=Path(folder),
        port=0,
        apps=APP,
        web_connections=int(connections),
        web_connections_per_address=int(connections),
    )
    app = await pabal.build(settings, parse_roles(roles))
    await pabal.serve(app, lambda address: say(pid=os.getpid(), address=address))
    return {}


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve}, uvloop.run)
