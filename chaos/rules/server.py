"""One server of a run: Pabal with rules, in a process of its own: python -m chaos.rules.server."""

import argparse
import asyncio
import os
from datetime import timedelta
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.serving import build, serving_mark, watch_parent
from pabal import main as pabal
from pabal.base.settings import Settings, read_settings
from pabal.base.telemetry import start_logging

APP = "pabal.apps.rules"
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
    app = await build(_settings(given.folder, given.slot))
    watching = asyncio.create_task(watch_parent())

    def tell(_url: str | None) -> None:
        serving_mark(given.folder, given.slot, os.getpid()).touch()
        history.write("serving", slot=int(given.slot))

    try:
        await pabal.serve(app, tell)
    finally:
        watching.cancel()


def _settings(folder: Path, slot: str) -> Settings:
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    return read_settings(
        data_dir=home, secret_key=KEY, pool_size=10, shutdown_grace=GRACE, apps=APP, storage_url=str(folder / "files")
    )


if __name__ == "__main__":
    main()
