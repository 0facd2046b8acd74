"""Where a process of simulated bots waits: until Ctrl-C or SIGTERM."""

import asyncio
import signal
from contextlib import suppress


async def until_signalled() -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only cancelling ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    await stop.wait()
