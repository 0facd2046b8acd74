"""More old ad groups than are brought over in one transaction."""

import pytest

from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import FromTable, Mode, RunState
from pabal.base.sql import load
from tests.apps.adgroups.actions.world import boss
from tests.apps.adgroups.legacy.olds import Mover

pytestmark = [pytest.mark.slow, pytest.mark.beside]

SQL = load(__file__)
# more than twice what one transaction may be: a dozen batches
ROWS = 25_000


@pytest.mark.req("E-85", "E-86", "E-89", "E-104")
async def test_a_whole_table_is_brought_over_in_batches_with_its_timers(mover: Mover):
    """Every fifth is over, runs, runs by day (and waits now), is to come, or was never confirmed."""
    async with mover.world.db.transaction() as tx:
        await tx.run(SQL.make_table)
        await tx.run(SQL.fill_table, rows=ROWS, now=tx.now)

    house = boss(mover.world.tree.hq)
    run = await actions.dry_run(mover.services, house, FromTable())
    await mover.world.do(actions.start, run.id, by=house)
    run = await actions.work(mover.services, run.id)

    fifth = ROWS // 5
    assert run.states == dict.fromkeys(("expired", "running", "pending", "approved", "ready"), fifth)
    assert (run.state, run.mode, run.counts) == (RunState.DONE, Mode.BATCHES, {"made": ROWS})
    async with mover.world.db.transaction() as tx:
        armed = {row["event"]: row["count"] for row in await tx.rows(SQL.count_timers)}
        assert armed == {"start": fifth, "daily_start": fifth, "expire": 3 * fifth}
        assert await tx.value(SQL.count_beginnings) == ROWS, "each with its history"
