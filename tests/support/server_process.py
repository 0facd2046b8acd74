"""A server to be killed and stopped by tests: python -m tests.support.server_process URL LOCKS GATE TTL."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.telemetry import start_logging
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome
from pabal.engine.queue import NewJob, enqueue
from pabal.engine.server import Options, Server


class Linger:
    """Performs until the gate file is there; its record is a job about the token that wrote it."""

    def __init__(self, gate: Path) -> None:
        self._gate = gate

    async def prepare(self, tx: Tx, job: Job) -> Any:
        return job

    async def perform(self, job: Job, prepared: Any) -> None:
        say("performing", job=job.id, token=job.token)
        while not self._gate.exists():
            await asyncio.sleep(0.01)
        say("performed", job=job.id, token=job.token)

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        await enqueue(tx, NewJob("test.note", about=f"recorded:{prepared.id}"))
        return Done()

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        return None


def make_kinds(gate: Path) -> Kinds:
    kinds = Kinds()
    kinds.steps("test.linger", Linger(gate))
    kinds.inside("test.deadly")(die_of_bad_ones)
    return kinds


async def die_of_bad_ones(tx: Tx, jobs: Sequence[Job]) -> None:
    """No word, no rollback, no goodbye: as when the kernel ends a process that took all memory."""
    for job in jobs:
        await enqueue(tx, NewJob("test.note", about=f"effect:{job.id}"))
    if any(job.args.get("bad") for job in jobs):
        os.kill(os.getpid(), signal.SIGKILL)


def say(word: str, **fields: Any) -> None:
    print(json.dumps({"word": word, **fields}), flush=True)


async def serve(url: str, locks: str, gate: str, ttl: str) -> None:
    database, pulse = await Database.open(url, size=5), await Database.open(url, size=2)
    options = Options(Path(locks), concurrency=2, grace=timedelta(0), ttl=timedelta(seconds=float(ttl)))
    server = Server(database, pulse, make_kinds(Path(gate)), options)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await server.start()
    say("serving", worker=server.life.worker)
    await stopping.wait()
    await server.stop()
    say("stopped")


if __name__ == "__main__":
    start_logging(level="warning")
    asyncio.run(serve(*sys.argv[1:]))
