"""What servers of every run share: waiting for the database, ending with their run, and saying that they serve."""

import asyncio
import os
import signal
from pathlib import Path

from chaos.worker import AWAY
from pabal import main as pabal
from pabal.base.settings import Settings
from pabal.main import App

ROLES = frozenset({"worker", "scheduler"})


def serving_mark(folder: Path, slot: str, pid: int) -> Path:
    """This file says that the server is at work."""
    return folder / "locks" / slot / f"serving-{pid}"


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
