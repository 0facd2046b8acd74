"""Many simulated bots in one process, for figures and chaos runs.

`python -m pabal.apps.messaging.simulator.fleet --count 1000 --servers 127.0.0.1:1490 --log file.jsonl`
says `connected 1000` on stdout when all are, and stops with SIGTERM. The names are bot-0001 and so on. A secret for
all of them is read from PABAL_SIM_SECRET and PABAL_SIM_SALT.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options, Server, read_servers
from pabal.apps.messaging.simulator.witness import Log
from pabal.base import open_files
from pabal.base.errors import Invalid

# More would wait in the server's accept queue, where the kernel makes them try again a second later.
_AT_ONCE = 50


@dataclass(frozen=True)
class Fleet:
    count: int
    servers: tuple[Server, ...]
    prefix: str = "bot"
    options: Options = field(default_factory=Options)
    log: Path | None = None

    def name(self, number: int) -> str:
        return f"{self.prefix}-{number:04d}"


@asynccontextmanager
async def running(fleet: Fleet) -> AsyncIterator[list[SimulatedBot]]:
    """Entered when every bot is connected."""
    log = None if fleet.log is None else Log(fleet.log)
    options = replace(fleet.options, log=log)
    bots = [SimulatedBot(fleet.name(number + 1), fleet.servers, options) for number in range(fleet.count)]
    try:
        await _connect(bots)
        yield bots
    finally:
        await asyncio.gather(*(bot.stop() for bot in bots))
        if log is not None:
            log.close()


async def _connect(bots: Sequence[SimulatedBot]) -> None:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def connect(bot: SimulatedBot) -> None:
        async with gate:
            bot.start()
            await bot.until(lambda bot: bot.is_connected, timeout=None)

    await asyncio.gather(*(connect(bot) for bot in bots))


def read_arguments(arguments: Sequence[str] | None = None) -> Fleet:
    parser = argparse.ArgumentParser(description="Many simulated bots in one process.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--servers", nargs="+", default=["127.0.0.1:1490"], metavar="HOST:PORT")
    parser.add_argument("--log", type=Path, help="what arrives, as lines of JSON")
    parser.add_argument("--name-prefix", default="bot")
    parser.add_argument("--version-string", default="3.3.3")
    parser.add_argument("--pace", type=float, default=1.0, help="scales every wait: 0.01 is a hundred times quicker")
    given = parser.parse_args(arguments)
    try:
        servers = tuple(read_servers(given.servers))
    except Invalid as error:
        parser.error(str(error))
    secret, salt = os.environ.get("PABAL_SIM_SECRET", ""), os.environ.get("PABAL_SIM_SALT", "")
    options = Options(version=given.version_string, pace=given.pace, secret=secret, salt=salt)
    return Fleet(given.count, servers, given.name_prefix, options, given.log)


async def _main(fleet: Fleet) -> None:
    open_files.allow()
    stopped = asyncio.create_task(until_signalled())
    serving = asyncio.create_task(_serve(fleet))
    await asyncio.wait([stopped, serving], return_when=asyncio.FIRST_COMPLETED)
    for task in (stopped, serving):
        task.cancel()
    for end in await asyncio.gather(stopped, serving, return_exceptions=True):
        if isinstance(end, Exception):
            raise end


async def _serve(fleet: Fleet) -> None:
    async with running(fleet) as bots:
        sys.stdout.write(f"connected {len(bots)}\n")
        sys.stdout.flush()
        await asyncio.gather(*(bot.run_until_stopped() for bot in bots))


async def until_signalled() -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only cancelling ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    await stop.wait()


if __name__ == "__main__":
    asyncio.run(_main(read_arguments()))
