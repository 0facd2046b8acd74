"""The report of a run: a CSV in the file store with every row, what it is here, and what became of it."""

from collections.abc import AsyncIterator

from pabal.apps.adgroups.legacy import runs
from pabal.apps.adgroups.legacy.model import Run, RunState
from pabal.base.database import Database
from pabal.platform import storage
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.storage import Upload
from pabal.platform.tenants import visible_to

AREA = "adgroups"
SLICE = 10_000
MOST_BYTES = 10 * 1024**3
HEADER = b"\xef\xbb\xbfn,id,name,calculated,state,marks,refused,problem,outcome,ad_group\r\n"


async def write_report(services: Services, run: Run) -> None:
    """It stays as long as its run; written twice, the later one counts."""
    what = "plan" if run.state is RunState.PLANNED else run.state
    upload = Upload(_lines(services.database, run.id), f"ad-groups-{run.id}-{what}.csv", run.unit_id, AREA)
    file = await storage.accept_file(services.database, services.files, ENGINE, upload, max_bytes=MOST_BYTES)
    async with services.database.transaction() as tx:
        await storage.keep(tx, await visible_to(tx, ENGINE), file.id, run.about)
        await runs.set_file(tx, run, file.id)


async def _lines(database: Database, run_id: int) -> AsyncIterator[bytes]:
    yield HEADER
    after = 0
    while True:
        async with database.transaction() as tx:
            found = await runs.show_lines(tx, run_id, after, SLICE)
        if found is None:
            return
        after = found[0]
        yield found[1].encode()
