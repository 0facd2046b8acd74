"""The nexrender of a run with its four machines, in a process of its own: python -m chaos.rendering.outside.

It writes down what it sees before it does anything about it. The run kills it, and starts it again with what its file
holds.
"""

import argparse
import asyncio
import os
import signal
from pathlib import Path

import uvloop

from chaos.rendering.ground import HEIGHT, WIDTH
from chaos.rendering.places import OUTPUT, Places
from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.simulator.options import LocalFolder, NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender

MACHINES = 4
SECONDS = (0.6, 2.5)
COPY_SECONDS = 0.2


async def live(given: argparse.Namespace) -> None:
    places = Places(given.folder)
    options = NexrenderOptions(
        port=given.port,
        workers=MACHINES,
        seconds=SECONDS,
        seed=given.seed,
        steps=5,
        copy_seconds=COPY_SECONDS,
        folders=(LocalFolder(OUTPUT, places.output),),
        film=Film(WIDTH, HEIGHT, 2.0),
        database=places.jobs,
        log=places.journal,
    )
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    parent = os.getppid()
    async with SimulatedNexrender(options):
        while not stopped.is_set() and os.getppid() == parent:
            await asyncio.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(live(parser.parse_args()))


if __name__ == "__main__":
    main()
