"""One server of a run: Pabal with ad groups, in a process of its own: python -m chaos.adgroups.server."""

import argparse
import asyncio
import os
import time
from datetime import timedelta
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.serving import build, serving_mark, watch_parent
from pabal import main as pabal
from pabal.base.settings import Settings, read_settings
from pabal.base.telemetry import start_logging

APP = "pabal.apps.adgroups"
GRACE = timedelta(seconds=3)
KEY = "a key for one run only"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", required=True)
    parser.add_argument("--redis", required=True)
    parser.add_argument("--ahead", type=float, default=0.0, help="by how many seconds this host's clock is wrong")
    given = parser.parse_args()
    _shift_clock(given.ahead)
    start_logging(level="info")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(given))


async def serve(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "server")
    app = await build(_settings(given.folder, given.slot, given.redis))
    watching = asyncio.create_task(watch_parent())

    def tell(_url: str | None) -> None:
        serving_mark(given.folder, given.slot, os.getpid()).touch()
        history.write("serving")

    try:
        await pabal.serve(app, tell)
    finally:
        watching.cancel()


def _shift_clock(ahead: float) -> None:
    """What this process believes the time to be. Nothing of ours asks elsewhere: a test of the sources sees to that."""
    true_time = time.time
    time.time = lambda: true_time() + ahead


def _settings(folder: Path, slot: str, redis: str) -> Settings:
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    return read_settings(
        data_dir=home,
        secret_key=KEY,
        pool_size=10,
        reconnect_wait=timedelta(seconds=1),
        shutdown_grace=GRACE,
        serving_url=redis,
        broker_url=redis,
        apps=APP,
    )


if __name__ == "__main__":
    main()
