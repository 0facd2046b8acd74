"""What every peer's program shares. Runs in the peers' own environment, so it knows nothing of ours."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

PAYLOAD = "x" * 89  # {"text":"…"} is 100 bytes
CHUNK = 1000


def say(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


async def wait_for_word() -> None:
    """All are there before anybody begins."""
    say(ready=True)
    await asyncio.to_thread(input)


class Drain:
    """Counts handled jobs; over when all are handled, or after `seconds` for a side that would take minutes."""

    def __init__(self, jobs: int, seconds: float) -> None:
        self._jobs = jobs
        self._seconds = seconds
        self._all = asyncio.Event()
        self.count = 0

    def handled(self) -> None:
        self.count += 1
        if self.count == self._jobs:
            self._all.set()

    async def measure(self, is_empty: Callable[[], Awaitable[bool]]) -> dict[str, Any]:
        """Until the last one is durably recorded, not only handled."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._seconds):
                await self._all.wait()
                while not await is_empty():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            pass
        return {"jobs": self.count, "seconds": time.monotonic() - began}


class Pickup:
    """Collects how long each took from the call that enqueued it to the start of its handler."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._all = asyncio.Event()
        self._ms: list[float] = []

    def started(self, sent_at: float) -> None:
        self._ms.append((time.monotonic() - sent_at) * 1000)
        if len(self._ms) == self._jobs:
            self._all.set()

    async def measure(self) -> dict[str, Any]:
        await self._all.wait()
        return {"ms": self._ms}


async def send_each(jobs: int, pause: float, send: Callable[[float], Awaitable[Any]]) -> dict[str, Any]:
    """One at a time with a pause between, so that the worker is idle when the next comes."""
    for _ in range(jobs):
        await asyncio.sleep(pause)
        await send(time.monotonic())
    return {"jobs": jobs}


def main(words: dict[str, Callable[..., Awaitable[dict[str, Any]]]], run: Callable[[Any], Any]) -> None:
    word, url, *given = sys.argv[1:]
    say(**run(words[word](url, *(float(one) if one[0].isdigit() else one for one in given))))
