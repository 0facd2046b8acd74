"""Old ad groups: as rows of a CSV, brought over into Haeundae."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import COLUMNS, FromFile, Mode, Row, Run
from pabal.platform import storage
from pabal.platform.services import Services
from pabal.platform.storage import Files, Upload
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.actions.world import DAY, START, World
from tests.support.botline import make_services

Old = Mapping[str, object]
SEOUL = timedelta(hours=9)
# around START, which is 08:00 in Seoul: begun, to come, over
BEGUN = {"start_at": START - DAY, "end_at": START + 9 * DAY}
TO_COME = {"start_at": START + DAY, "end_at": START + 9 * DAY}
OVER = {"start_at": START - 9 * DAY, "end_at": START - DAY}
CONFIRMED = {"ready_at": START - 20 * DAY, "ready_confirmed_at": START - 19 * DAY}
BY_DAY = {"daily_start_time": "09:00", "daily_end_time": "18:00"}
BY_NIGHT = {"daily_start_time": "18:00:00", "daily_end_time": "09:00:00"}


@dataclass(frozen=True)
class Mover:
    """A world with a file store, and the way from rows to ad groups."""

    world: World
    services: Services

    async def upload(self, content: bytes) -> int:
        async def chunks() -> AsyncIterator[bytes]:
            yield content

        upload = Upload(chunks(), "old.csv", area="adgroups")
        services = self.services
        file = await storage.accept_file(services.database, services.files, self.world.admin, upload, max_bytes=10**9)
        return file.id

    async def plan(self, *rows: Old) -> Run:
        file_id = await self.upload(as_csv(rows))
        return await actions.dry_run(self.services, self.world.admin, FromFile(file_id))

    async def bring(self, *rows: Old, mode: Mode | None = None) -> Run:
        run = await self.plan(*rows)
        await self.world.do(actions.start, run.id, mode)
        return await actions.work(self.services, run.id)

    async def take_back(self, run: Run, *, even_touched: bool = False) -> Run:
        await self.world.do(actions.rollback, run.id, even_touched=even_touched)
        return await actions.work(self.services, run.id)

    async def rows(self, run: Run, only: str | None = None) -> list[Row]:
        return (await self.world.do(actions.list_rows, run.id, only=only)).items

    async def ids(self, run: Run) -> dict[str, int]:
        """By its old id, the ad group it is here."""
        rows = await self.rows(run)
        return {row.legacy_id: row.ad_group_id for row in rows if row.legacy_id and row.ad_group_id}

    async def read_file(self, file_id: int | None) -> list[dict[str, str]]:
        assert file_id is not None
        async with self.world.db.transaction() as tx:
            file = await storage.get_file(tx, await visible_to(tx, self.world.admin), file_id)
        content = await storage.read(self.services.files, file)
        text = b"".join([chunk async for chunk in content.chunks]).decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline="")))


def make_mover(world: World, folder: Path) -> Mover:
    return Mover(world, make_services(world.db, Files(folder / "files")))


def an_old(number: int | str, *parts: Old, **changes: object) -> Old:
    """An old one; moments are the wall clock of Seoul, as the old system has them."""
    row: dict[str, object] = {"id": f"old-{number}", "name": f"예전 {number}", "campaign": "옛 캠페인", **BEGUN}
    for part in parts:
        row.update(part)
    return {**row, **changes}


def as_csv(rows: Iterable[Old]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows({name: _show(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _show(value: object) -> object:
    return f"{value + SEOUL:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value
