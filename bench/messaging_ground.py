"""What the figures of messaging stand on: a branch, bots whose phones are approved, the rooms they are in."""

import asyncio
import io
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from bench.sides import Side
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.content import Picture
from pabal.apps.messaging.simulator.phone import usual_device
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import client, housekeeping
from pabal.platform import settings, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.storage import Files, Upload, UploadLimits, accept_image
from pabal.platform.tenants import Level

SQL = load(__file__)
APP = "pabal.apps.messaging"
MESSAGING = Side("messaging", (sys.executable, "-m", "bench.messaging_side"))
# The roles of a server that sends, and of one that does all.
SENDING, EVERY = "worker,scheduler", "web,worker,scheduler"
SECONDS = 120.0


@dataclass(frozen=True)
class Place:
    """A bot in a room."""

    bot_id: int
    room_id: int


class MessagingGround:
    """One database with messaging in it, and the folder of its servers' files."""

    def __init__(self, database: Database, folder: Path, unit_id: int) -> None:
        self.database = database
        self.folder = folder
        self.unit_id = unit_id

    async def add_bots(self, names: Sequence[str], *, rooms_each: int = 0) -> list[Place]:
        devices = [usual_device(name) for name in names]
        async with self.database.transaction() as tx:
            rows = await tx.rows(SQL.insert_bots, unit_id=self.unit_id, names=list(names), devices=devices)
            bot_ids = [row["id"] for row in rows]
            made = await tx.rows(SQL.insert_rooms, unit_id=self.unit_id, bot_ids=bot_ids, each=rooms_each)
            # They all come at once, from one address.
            for limit in (own.MAX_BOTS, own.MAX_STRANGERS, own.MAX_STRANGERS_PER_ADDRESS):
                await settings.change(tx, ENGINE, limit, max(len(names), limit.default))
        return [Place(row["bot_id"], row["room_id"]) for row in made]

    async def draw(self, side: int) -> Picture:
        """Noise, so that none is smaller than it looks."""

        async def chunks() -> AsyncIterator[bytes]:
            target = io.BytesIO()
            Image.frombytes("RGB", (side, side), os.urandom(side * side * 3)).save(target, "PNG")
            yield target.getvalue()

        upload = Upload(chunks(), "noise.png", self.unit_id)
        file = await accept_image(self.database, Files(self.folder / "files"), ENGINE, upload, UploadLimits())
        return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0)

    async def wait_for_routes(self, count: int) -> None:
        """Until so many bots can be sent to."""

        async def count_routes() -> int:
            async with self.database.transaction() as tx:
                held: int = await tx.value(SQL.count_routes)
            return held

        until = elapsed() + SECONDS
        while await count_routes() < count:
            assert elapsed() < until, "bots connect too slowly to be measured"
            await asyncio.sleep(0.1)

    async def count_deliveries(self) -> dict[str, int]:
        async with self.database.transaction() as tx:
            return {row["state"]: row["count"] for row in await tx.rows(SQL.count_deliveries)}


@asynccontextmanager
async def laid(url: str) -> AsyncIterator[MessagingGround]:
    """What is saved through it wakes the servers, as what a person saves does."""
    with TemporaryDirectory() as folder:
        async with client.connect(url) as database:
            await migrate(database, list_migrations(load_slices([APP])))
            await housekeeping.make_partitions(database)
            async with database.transaction() as tx:
                hq = await tenants.ensure_hq(tx)
                unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Bench")
                # Bots that all come at once make a server busy; here that is no reason to send them away.
                await settings.change(tx, ENGINE, own.MAX_CPU_PERCENT, 10_000)
            yield MessagingGround(database, Path(folder), unit.id)


def read_memory(pid: int, name: str) -> int:
    """Bytes, as the kernel counts them: VmRSS is resident, VmHWM the most that was, RssAnon what no file is behind."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


async def wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    """Whether it came to be so in time."""
    until = elapsed() + seconds
    while not is_so():
        if elapsed() >= until:
            return False
        await asyncio.sleep(0.1)
    return True
