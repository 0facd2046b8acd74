"""One server of a run: Pabal with messaging, in a process of its own: python -m chaos.messaging.server."""

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

RECONNECT_WAIT = timedelta(seconds=3)
GRACE = timedelta(seconds=3)
KEY = "a key for one run only"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", required=True)
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    start_logging(level="info")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(given))


async def serve(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "server")
    app = await build(_settings(given.folder, given.slot, given.port))
    # From here on it waits for its bots before it judges what is too late.
    history.write("built")
    watching = asyncio.create_task(watch_parent())
    try:
        await pabal.serve(app, lambda _url: serving_mark(given.folder, given.slot, os.getpid()).touch())
    finally:
        watching.cancel()


def _settings(folder: Path, slot: str, port: int) -> Settings:
    """A data folder of its own, in which only its lock is; the files are everybody's."""
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    files = home / "files"
    if not files.is_symlink():
        files.symlink_to(folder / "files")
    return read_settings(
        data_dir=home,
        secret_key=KEY,
        bots_host="127.0.0.1",
        bots_port=port,
        pool_size=10,
        reconnect_wait=RECONNECT_WAIT,
        shutdown_grace=GRACE,
        apps="pabal.apps.messaging",
    )


if __name__ == "__main__":
    main()
