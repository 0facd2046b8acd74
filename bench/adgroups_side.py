"""The process of ad groups' figures: a whole server as `pabal serve` runs it."""

import os
from pathlib import Path
from typing import Any

import uvloop

from bench.adgroups_ground import APP
from bench.peers.words import main, say
from pabal import main as pabal
from pabal.base.settings import parse_roles, read_settings
from pabal.base.telemetry import start_logging


async def serve(url: str, folder: str, serving_url: str, roles: str) -> dict[str, Any]:
    """Until it is killed. Says when it works."""
    settings = read_settings(database_url=url, data_dir=Path(folder), port=0, apps=APP, serving_url=serving_url)
    app = await pabal.build(settings, parse_roles(roles))
    await pabal.serve(app, lambda _: say(pid=os.getpid()))
    return {}


if __name__ == "__main__":
    start_logging(level="error")
    main({"serve": serve}, uvloop.run)
