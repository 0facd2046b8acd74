"""What of a run is one commit, and whose results count: what makes its chain of steps exact."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import queue, withdrawals
from pabal.engine.kinds import Kinds
from pabal.engine.server import Server
from pabal.engine.workflows import signals
from pabal.engine.workflows.stopping import STRAND
from pabal.engine.workflows.strands import Strands, _Ended
from tests.support.flows import OWNER, House, Works, flowing
from tests.support.servers import CEILING, until
from tests.support.work import begin_life, claim_one

SQL = load(__file__)
pytestmark = pytest.mark.req("D-33")
CHAIN = "name: a\nsteps:\n  - {name: one, kind: test.do}\n"


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
async def flows(db: Database, works: Works, tmp_path: Path) -> AsyncIterator[tuple[House, Server]]:
    async with flowing(db, works, tmp_path / "locks") as found:
        yield found


@pytest.fixture
def house(flows: tuple[House, Server]) -> House:
    return flows[0]


async def test_a_steps_end_what_comes_after_it_and_its_timer_are_one_commit(house: House, db: Database):
    run = await house.start(f"{CHAIN}  - {{name: rest, wait: {{for: 1h}}}}\n")
    await house.until_step(run, "rest", "waiting")

    async with db.transaction() as tx:
        [row] = await tx.rows(SQL.list_writers, run=run)

    assert row["steps"] == 2
    assert row["writers"] == 1, "the end, the wait and the job of its moment"


async def test_the_result_of_a_strand_that_lost_its_lease_changes_nothing(
    flows: tuple[House, Server], works: Works, db: Database
):
    house, server = flows
    gate = works.hold("one")
    run = await house.start(f"{CHAIN}  - {{name: two, kind: test.do}}\n")
    await until(lambda: works.calls)
    async with db.transaction() as tx:
        assert await tx.run(SQL.take_leases) == 1

    gate.set()
    await until(lambda: works.done and not server.runner._running)

    assert await house.steps(run) == {"one": "running"}


async def test_a_strand_that_did_not_hear_of_its_commit_goes_on_with_what_it_opened(db: Database, works: Works):
    """What it ended is told again when the connection is back; nobody else would go on with the next step."""
    house = House(db, works)
    run = await house.start(f"{CHAIN}  - {{name: two, kind: test.do}}\n")
    strands = Strands(db, works.kinds)
    job = await claim_one(db, await begin_life(db), STRAND)
    [begun] = await strands._begin_once([job])
    ended = [_Ended(begun, {})]
    [heard] = await strands._end_once([ended])

    [again] = await strands._end_once([ended])

    assert again.step.place == heard.step.place
    assert again.flow_step.name == "two"
    assert await house.steps(run) == {"one": "done", "two": "running"}


async def test_a_result_that_comes_after_its_step_was_skipped_changes_nothing(
    flows: tuple[House, Server], works: Works
):
    house, server = flows
    gate = works.hold("one")
    run = await house.start(CHAIN)
    await until(lambda: works.calls)

    await house.do(house.runs.skip_step, run, "one", actor=OWNER, reason="too slow")
    gate.set()
    await until(lambda: not server.runner._running)

    assert await house.steps(run) == {"one": "skipped"}


async def test_who_ends_a_strands_job_waits_for_no_run_and_its_step_is_lost(house: House, works: Works, db: Database):
    """Many jobs end in one commit: each would lock another run, in any order."""
    run = await house.start("name: a\nsteps:\n  - {name: paid, wait: {event: paid}, time_limit: 1h}\n")
    await house.until_step(run, "paid", "waiting")
    async with db.transaction() as tx:
        [timer] = await queue.find_open(tx, about=f"workflow_run:{run}")

    async with db.transaction() as tx:
        await tx.run(SQL.hold_run, run=run)
        kinds = Strands(db, works.kinds).add_to(Kinds())
        async with asyncio.timeout(CEILING):
            ended = await house.do(withdrawals.cancel_jobs, [timer], kinds=kinds)

    assert ended.ended == [timer]
    assert (await house.until_over(run)).reason == "paid: asked"


async def test_a_run_keeps_the_version_it_began_with(house: House, works: Works):
    """Also where the server knows a newer one by now."""
    text = "name: a\nsteps:\n  - {name: paid, wait: {event: paid}}\n  - {name: NAME, kind: test.do}\n"
    old = await house.start(text.replace("NAME", "older"))
    new = await house.start(text.replace("NAME", "newer"))
    for run in (old, new):
        await house.until_step(run, "paid", "waiting")

    await house.do(signals.send_to_run, new, signals.event_signal("paid"), {})
    await house.until_over(new)

    await house.do(signals.send_to_run, old, signals.event_signal("paid"), {})

    await house.until_over(old)
    assert works.names() == ["newer", "older"]
