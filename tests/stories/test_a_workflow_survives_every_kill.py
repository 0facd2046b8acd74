"""kill -9 at every instruction of workflows; the next process goes on at the first unfinished step, once for each."""

import asyncio
import os
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE, WORKFLOW_POINTS
from tests.support import flow_victim
from tests.support.invariants import assert_every_job_is_in_one_place
from tests.support.programs import start

pytestmark = pytest.mark.beside
ROOT = Path(__file__).parents[2]
# each once early and once in the middle of the fan-out, the waits and the compensations
POINTS = [f"{point}:{number}" for point in WORKFLOW_POINTS for number in (1, 4)] + ["exchange.claimed:3"]
DONE = ["done"] * 12
UNDONE = ["done", "done", *["done"] * 2, *["done"] * 7, *["done"] * 3, "failed"]


async def run_victim(url: str, folder: Path, kill_point: str | None) -> int:
    environment = os.environ | {"PABAL_DATABASE_URL": url, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    if kill_point is not None:
        environment["PABAL_KILL_POINT"] = kill_point
    process = start("tests.support.flow_victim", str(folder), cwd=ROOT, env=environment)
    return await asyncio.to_thread(process.wait, 60)


@pytest.mark.req("D-33")
@pytest.mark.parametrize("point", POINTS)
async def test_every_run_comes_to_its_end_and_every_step_is_done_once(point: str, database_url: str, tmp_path: Path):
    killed = await run_victim(database_url, tmp_path, point)
    finished = await run_victim(database_url, tmp_path, None)

    assert (killed, finished) == (EXIT_CODE, 0)
    database = await Database.open(database_url)
    await assert_every_job_is_in_one_place(database)
    async with database.transaction() as tx:
        written = {row["key"]: row["times"] for row in await tx.rows(flow_victim.SQL.list_written)}
        ends = {
            (row["name"], row["fails"]): (row["state"], row["steps"])
            for row in await tx.rows(flow_victim.SQL.list_ends)
        }
        waits = await tx.value(flow_victim.SQL.count_waits)
    await database.close()
    assert set(written.values()) == {1}
    # first, beside, each ×3, last and deep; of the run that breaks also first and each ×3 undone, and no last
    assert len(written) == 7 + 6 + 4
    assert ends["outer", "false"] == ("done", DONE)
    assert ends["outer", "true"] == ("failed", UNDONE)
    assert waits == 0
