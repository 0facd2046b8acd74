"""Once a month: the deliveries of finished months go into the file store; old ones that are there are deleted."""

import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.deliveries import Archive, about_of
from pabal.apps.messaging.model.seed import as_seed
from pabal.apps.messaging.store import deliveries
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import schedules
from pabal.engine.kinds import Job
from pabal.engine.misfires import Overlap
from pabal.engine.recurrence import Cron
from pabal.engine.schedules import NewSchedule
from pabal.platform import settings, storage, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.storage import Upload
from pabal.platform.tenants import visible_to

ARCHIVE = "messaging.archive"
ABOUT = "messaging:archive"
# What was due in a month's last hours may be retried for a day; then the month stands still.
SETTLED = timedelta(days=2)
SLICE = 500
# far more than a month of the largest house
MOST_BYTES = 10 * 1024**3
GZIP = 31

declare("archive.made", "Months of deliveries put away", labels=())
declare("archive.deleted", "Deliveries deleted after their month was put away", amount="count")


async def ensure_archive(tx: Tx) -> None:
    """At every start: the one schedule is there. A month nobody archived in time is archived with the next."""
    if await schedules.list_schedules(tx, about=ABOUT, kind=ARCHIVE, limit=1):
        return
    await schedules.put(
        tx,
        NewSchedule(
            name="Archive of deliveries",
            kind=ARCHIVE,
            recurrence=Cron("30 4 3 * *"),
            zone=deliveries.ZONE,
            about=ABOUT,
            lane=ABOUT,
            overlap=Overlap.SKIP,
            misfire_window=None,
        ),
    )


class Archiver:
    def __init__(self, services: Services) -> None:
        self._database, self._files = services.database, services.files

    async def run(self, job: Job) -> None:
        """The handler of `messaging.archive`. Run twice, the second time finds nothing to do."""
        async with self._database.transaction() as tx:
            months = await deliveries.list_months(tx, tx.now - SETTLED)
        for month in months:
            await self._archive(month)
        await self._delete_old()

    async def _archive(self, month: date) -> None:
        async with self._database.transaction() as tx:
            hq, began = await tenants.ensure_hq(tx), tx.now
        lines = _Lines(self._database, month)
        upload = Upload(lines.pack(), f"deliveries-{month:%Y-%m}.jsonl.gz", hq.id)
        file = await storage.accept_file(self._database, self._files, ENGINE, upload, max_bytes=MOST_BYTES)
        async with self._database.transaction() as tx:
            if await deliveries.insert_archive(tx, Archive(month, file.id, lines.count, began)):
                await storage.keep(tx, await visible_to(tx, ENGINE), file.id, f"delivery_archive:{month:%Y-%m}")
        emit("archive.made", month=f"{month:%Y-%m}", deliveries=lines.count)

    async def _delete_old(self) -> None:
        gone = SLICE
        while gone == SLICE:
            async with self._database.transaction() as tx:
                before = tx.now - await settings.value(tx, own.KEEP_LOGS)
                ids = await deliveries.delete_old(tx, before, SLICE)
                await storage.release_all(tx, [about_of(each) for each in ids])
            gone = len(ids)
            if gone:
                emit("archive.deleted", count=gone)


@dataclass(slots=True)
class _Lines:
    """A month as gzipped JSON lines, a slice at a time."""

    database: Database
    month: date
    count: int = 0

    async def pack(self) -> AsyncIterator[bytes]:
        packer = zlib.compressobj(wbits=GZIP)
        after: tuple[datetime, int] | None = None
        while found := await self._next(after):
            after = found[0]
            yield packer.compress(found[1])
        yield packer.flush()

    async def _next(self, after: tuple[datetime, int] | None) -> tuple[tuple[datetime, int], bytes] | None:
        async with self.database.transaction() as tx:
            places = await deliveries.find_slice(tx, self.month, after, SLICE)
            shown = await deliveries.show_deliveries(tx, None, [delivery_id for _, delivery_id in places])
        if not places:
            return None
        order = {delivery_id: place for place, (_, delivery_id) in enumerate(places)}
        self.count += len(shown)
        rows = (as_seed(one) for one in sorted(shown, key=lambda one: order[one.id]))
        return places[-1], b"".join(_line(row) for row in rows)


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, ensure_ascii=False, default=datetime.isoformat).encode() + b"\n"
