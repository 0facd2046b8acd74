"""What every run stands on: a folder kept when something was wrong, its own PostgreSQL, steps that are repeated."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pabal.base import embedded
from pabal.base.clock import elapsed

# Durable: what these promises are about. Small, because the run brings its own little machine room along.
SETTINGS = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "shared_buffers": "64MB"}


@dataclass
class Stage:
    """`is_clean`: there is nothing to look into, so the folder may go."""

    folder: Path
    is_clean: bool = False


@contextmanager
def set_up(say: Callable[[str], None], *, keep: bool) -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="pabal-chaos-"))
    folder.chmod(0o755)
    stage = Stage(folder)
    try:
        yield stage
    finally:
        if stage.is_clean and not keep:
            shutil.rmtree(folder)
        else:
            say(f"histories and logs are kept in {folder}")


@asynccontextmanager
async def cluster(folder: Path, settings: Mapping[str, str] = SETTINGS) -> AsyncIterator[str]:
    made = await embedded.ensure(folder, settings=dict(settings))
    try:
        yield made.url()
    finally:
        await embedded.remove(folder)


def repeat(step: Callable[[], object], pause: float) -> asyncio.Task[None]:
    async def go_on() -> None:
        while True:
            answer = step()
            if asyncio.iscoroutine(answer):
                await answer
            await asyncio.sleep(pause)

    return asyncio.create_task(go_on())


async def until_none(count: Callable[[], Awaitable[int | None]], *, seconds: float, pause: float) -> int | None:
    """The faults are over; everything goes on until nothing is left, or for as long as that may take at most."""
    left = await count()
    ceiling = elapsed() + seconds
    while left != 0 and elapsed() < ceiling:
        await asyncio.sleep(pause)
        left = await count()
    return left
