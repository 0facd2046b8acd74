"""What servers of every run share: waiting for the database, ending with their run, and saying that they serve."""

import argparse
import asyncio
import os
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import uvloop

from chaos.history import History
from chaos.worker import AWAY
from pabal import main as pabal
from pabal.base.settings import Settings
from pabal.base.telemetry import start_logging
from pabal.main import App

ROLES = frozenset({"worker", "scheduler"})
GRACE = timedelta(seconds=3)


def serving_mark(folder: Path, slot: str, pid: int) -> Path:
    """This file says that the server is at work."""
    return folder / "locks" / slot / f"serving-{pid}"


def take_arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--slot", required=True)
    return parser


def make_home(folder: Path, slot: str) -> Path:
    home = folder / "locks" / slot
    home.mkdir(parents=True, exist_ok=True)
    return home


def run(
    given: argparse.Namespace,
    settings: Settings,
    roles: frozenset[str] = ROLES,
    *,
    prepare: Callable[[App], None] = lambda _: None,
) -> None:
    """A whole server in this process, until it is told to end."""
    start_logging(level="info")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(given, settings, roles, prepare))


async def _serve(
    given: argparse.Namespace, settings: Settings, roles: frozenset[str], prepare: Callable[[App], None]
) -> None:
    history = History(given.folder / "history", "server")
    app = await build(settings, roles)
    prepare(app)
    watching = asyncio.create_task(watch_parent())

    def tell(_url: str | None) -> None:
        serving_mark(given.folder, given.slot, os.getpid()).touch()
        history.write("serving", slot=int(given.slot))

    try:
        await pabal.serve(app, tell)
    finally:
        watching.cancel()


async def build(settings: Settings, roles: frozenset[str] = ROLES) -> App:
    """The database may be down just now; the ceiling keeps a lost process from staying."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await pabal.build(settings, roles)
            except AWAY:
                await asyncio.sleep(0.1)


async def watch_parent() -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
