"""Commands that go on until somebody stops them, and then end well."""

import asyncio
import signal
from collections.abc import Awaitable
from contextlib import suppress


async def until_signalled(work: Awaitable[object] | None = None) -> None:
    """Runs until Ctrl-C or SIGTERM, or until the work has ended. An error of the work is raised."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only the work ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    waiting = asyncio.create_task(stop.wait())
    working = None if work is None else asyncio.ensure_future(work)
    tasks = [task for task in (waiting, working) if task is not None]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    for one in done:
        if isinstance(one, Exception):
            raise one
