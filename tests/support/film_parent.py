"""A process that inspects a file again and again, to be killed: python -m tests.support.film_parent FILE."""

import asyncio
import sys
from pathlib import Path

from pabal.apps.rendering.video.inspecting import inspect


async def main(path: Path) -> None:
    while True:
        await inspect(path, seconds=600, memory_mb=256)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
