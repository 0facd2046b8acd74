"""A render server that works until nothing is left, or until its kill point: URL FOLDER NEXRENDER."""

import asyncio
import sys
from pathlib import Path

from pabal.apps.rendering.jobs.rendering import make_kinds
from pabal.base.database import Database
from pabal.base.telemetry import start_logging
from pabal.testing import Parts, drain
from tests.support.rendering import LABELS, make_server


async def serve(url: str, folder: Path, nexrender: str) -> None:
    database = await Database.open(url, size=5)
    services, farm = make_server(database, folder, nexrender)
    await drain(Parts(database, make_kinds(services), labels=LABELS))
    await farm.client.close()
    await database.close()


if __name__ == "__main__":
    start_logging(level="warning")
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
