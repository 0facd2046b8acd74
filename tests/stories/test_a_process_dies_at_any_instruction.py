"""kill -9 at every named instruction; the next process on this host finishes everything, exactly as promised."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.killpoints import APP_POINTS, EXIT_CODE, KILL_POINTS, PLATFORM_POINTS, WORKFLOW_POINTS
from tests.support import victim
from tests.support.invariants import assert_every_job_is_in_one_place
from tests.support.programs import start

pytestmark = pytest.mark.beside
ROOT = Path(__file__).parents[2]
# These are reached only when somebody died before.
AFTER_A_DEATH = ("rescue.buried", "rescue.handed_back")


async def run_victim(url: str, folder: Path, kill_point: str | None) -> int:
    environment = os.environ | {"PABAL_DATABASE_URL": url, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    if kill_point is not None:
        environment["PABAL_KILL_POINT"] = kill_point
    process = start("tests.support.victim", str(folder), cwd=ROOT, env=environment)
    return await asyncio.to_thread(process.wait, 60)


@pytest.mark.parametrize("point", KILL_POINTS)
async def test_nothing_promised_is_lost_or_done_twice(point: str, database_url: str, tmp_path: Path):
    if point in AFTER_A_DEATH:
        assert await run_victim(database_url, tmp_path, "exchange.committed:3") == EXIT_CODE

    killed = await run_victim(database_url, tmp_path, point)
    finished = await run_victim(database_url, tmp_path, None)

    assert (killed, finished) == (EXIT_CODE, 0)
    database = await Database.open(database_url)
    await assert_every_job_is_in_one_place(database)
    async with database.transaction() as tx:
        ends = {(row["kind"], row["result"]): row["jobs"] for row in await tx.rows(victim.SQL.list_ends)}
        doubled = [tuple(row) for row in await tx.rows(victim.SQL.list_effects) if row["times"] != 1]
        effects = [row["what"] for row in await tx.rows(victim.SQL.list_effects)]
        occurrences = [tuple(row) for row in await tx.rows(victim.SQL.list_occurrences)]
        failures = await tx.value(victim.SQL.count_failures)
    await database.close()
    assert ends == {("victim.plain", "done"): 9, ("victim.inside", "done"): 3, ("victim.errand", "done"): 3}
    assert doubled == []
    assert (effects.count("inside"), effects.count("recorded"), effects.count("given up")) == (3, 3, 0)
    assert occurrences == [("enqueued", "done")]
    assert failures == 1, "a crash is counted as a recovery, never as a failure"


def test_every_kill_point_in_the_code_is_listed_and_the_other_way_round():
    named = set()
    for path in (ROOT / "src" / "pabal").rglob("*.py"):
        named |= set(re.findall(r'kill_point\("([a-z_.]+)"\)', path.read_text(encoding="utf-8")))

    assert named == {*KILL_POINTS, *WORKFLOW_POINTS, *PLATFORM_POINTS, *APP_POINTS}
