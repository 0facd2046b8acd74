"""The demo's workflows come to where a visitor finds them, and all of it goes with the demo."""

from pathlib import Path

from pabal.base.database import Database
from pabal.engine import timers
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.engine.workflows import listing
from pabal.engine.workflows.listing import WantedRuns
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.strands import Strands
from pabal.platform import demo
from pabal.platform.actor import ENGINE
from pabal.platform.platform_slice import make_step_kinds, platform_slice
from tests.support.servers import serving, until


async def test_one_waits_one_is_done_one_failed_and_one_takes_back_and_all_of_them_go_with_the_demo(
    db: Database, tmp_path: Path
) -> None:
    kinds = make_step_kinds([])
    house = platform_slice([], [])
    async with serving(db, Strands(db, kinds).add_to(Kinds()), tmp_path / "locks") as server:
        db.announce = server.database.announce
        server.add_loops([Loop("timers", lambda: timers.fire_once(server.database, [WORKFLOW_RUN]), idle=0.05)])
        async with server.database.transaction() as tx:
            await demo._fill(tx, [house], ENGINE)

        async def states() -> dict[str, str]:
            async with db.transaction() as tx:
                return {run.name: run.state for run in (await listing.list_runs(tx, WantedRuns(None))).items}

        async def are_there() -> bool:
            return await states() == {
                "store_notice": "running",
                "opening": "done",
                "delivery": "failed",
                "booking": "compensating",
            }

        await until(are_there)
        await demo.clear(server.database, [house], ENGINE)
        db.announce = None

        assert await states() == {}
        async with db.transaction() as tx:
            assert await listing.list_workflows(tx, None, seen_by=("viewer",), with_archived=True) == []
