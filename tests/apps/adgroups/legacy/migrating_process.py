"""Works on a run and is killed after so many statements, as a power cut would: `URL FOLDER RUN STATEMENTS`."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pabal.apps.adgroups.legacy import actions, moving
from pabal.base.database import Database, Tx
from pabal.platform.storage import Files
from tests.support.botline import make_services


def count_down(left: int) -> None:
    def counted(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return await method(*args, **named)

        return call

    for name in ("rows", "run", "value"):
        setattr(Tx, name, counted(getattr(Tx, name)))


async def run(url: str, folder: Path, run_id: int) -> None:
    moving.SLICE = 3
    database = await Database.open(url, size=2)
    await actions.work(make_services(database, Files(folder / "files")), run_id)
    await database.close()


if __name__ == "__main__":
    count_down(int(sys.argv[4]))
    asyncio.run(run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
