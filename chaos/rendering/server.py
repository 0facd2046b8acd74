"""One server of a run: Pabal with two render slots, in a process of its own: python -m chaos.rendering.server."""

import argparse
import asyncio
import os
from datetime import timedelta
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.rendering.ground import POST_SECONDS
from chaos.serving import ROLES, build, serving_mark, watch_parent
from pabal import main as pabal
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.gateway import NexrenderClient
from pabal.apps.rendering.startup import read_networks
from pabal.base.settings import Settings, read_settings
from pabal.base.telemetry import start_logging
from pabal.main import App

APP = "pabal.apps.rendering"
GRACE = timedelta(seconds=3)
KEY = "a key for one run only"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", required=True)
    given = parser.parse_args()
    start_logging(level="info")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(given))


async def serve(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "server")
    app = await build(_settings(given.folder, given.slot), ROLES | {"render"})
    _hurry(app)
    watching = asyncio.create_task(watch_parent())

    def tell(_url: str | None) -> None:
        serving_mark(given.folder, given.slot, os.getpid()).touch()
        history.write("serving", slot=int(given.slot))

    try:
        await pabal.serve(app, tell)
    finally:
        watching.cancel()


def _hurry(app: App) -> None:
    """Ten seconds for a POST would be a third of the run."""
    farm = farm_of(app.services)
    startup, networks = farm.startup, read_networks(farm.startup.nexrender_networks)
    farm.client = NexrenderClient(startup.nexrender_url, secret="", networks=networks, post_seconds=POST_SECONDS)
    farm.post_seconds, farm.tick = POST_SECONDS, 0.2


def _settings(folder: Path, slot: str) -> Settings:
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    return read_settings(data_dir=home, secret_key=KEY, pool_size=10, shutdown_grace=GRACE, apps=APP)


if __name__ == "__main__":
    main()
