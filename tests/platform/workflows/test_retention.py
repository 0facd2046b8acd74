"""Old runs go once a day, with all that is theirs; nothing that is open, or that an open run waited for, is touched."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.listing import WantedRuns
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.retention import delete_runs
from pabal.engine.workflows.strands import Strands
from pabal.platform import auth, settings
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import NewUser
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.tenants import visible_to
from pabal.platform.workflows import KEEP_RUNS, QUESTION_CONTROLS, RunCleaning, Workflows, find_cleaned
from pabal.testing import Parts, drain
from tests.support.people import plant

SQL = load(__file__)
TELL = "name: tell\nsteps:\n  - {name: tell, kind: platform.notify, input: {title: 안녕}}\n"
ASK = "name: ask\nsteps:\n  - {name: ask, kind: platform.approval, input: {title: 보낼까요}}\n"
BOTH = (
    "name: both\nsteps:\n  - {name: first, wait: {workflow: tell}}\n"
    "  - {name: ask, kind: platform.approval, input: {title: 보낼까요}}\n"
)


class Archive:
    def __init__(self, db: Database, owner: Actor) -> None:
        self.db, self.owner = db, owner
        self.flows = Workflows(make_step_kinds(()))
        machines = (WORKFLOW_RUN, QUESTION_CONTROLS.machine)
        self.parts = Parts(db, Strands(db, self.flows.kinds).add_to(Kinds()), machines)

    async def run(self, text: str) -> int:
        async with self.db.transaction() as tx:
            saved = await self.flows.save(tx, self.owner, text)
            made = await self.flows.start(tx, self.owner, saved.id, {})
        await drain(self.parts)
        return made

    async def cancel(self, run: int) -> None:
        async with self.db.transaction() as tx:
            await self.flows.cancel(tx, self.owner, run, "enough")
        await drain(self.parts)

    async def left(self) -> dict[str, int]:
        """Rows by table, of runs and what belongs to them."""
        async with self.db.transaction() as tx:
            return dict((await tx.rows(SQL.count_rows))[0])

    async def names(self) -> list[str]:
        async with self.db.transaction() as tx:
            return [run.name for run in (await listing.list_runs(tx, WantedRuns(None))).items]


@pytest.fixture
async def archive(db: Database) -> Archive:
    tree = await plant(db)
    async with db.transaction() as tx:
        owner = await auth.add_user(tx, ENGINE, NewUser("owner", "owner", tree.haeundae.id, Role.OPERATOR))
    return Archive(db, owner.actor())


async def test_what_ended_longer_ago_than_is_kept_goes_with_all_that_is_its(archive: Archive):
    await archive.run(TELL)
    await archive.cancel(await archive.run(ASK))
    before = await archive.left()
    assert (before["runs"], before["questions"], before["approvals"]) == (2, 1, 1)
    async with archive.db.transaction() as tx:
        await settings.change(tx, ENGINE, KEEP_RUNS, timedelta(days=7))
    cleaning = RunCleaning(archive.db)

    await clock.advance(archive.db, timedelta(days=6))
    assert await cleaning.run_once() == 0
    await clock.advance(archive.db, timedelta(days=2))
    assert await cleaning.run_once() == 2

    assert set((await archive.left()).values()) == {0}
    async with archive.db.transaction() as tx:
        shown = await find_cleaned(tx, await visible_to(tx, archive.owner), ("viewer",))
        hidden = await find_cleaned(tx, await visible_to(tx, archive.owner), ("admin",))
    assert shown is not None
    assert (shown.runs, hidden) == (2, None)


async def test_what_is_open_stays_and_so_does_what_it_waited_for(archive: Archive):
    await archive.run(TELL)
    both = await archive.run(BOTH)

    await clock.advance(archive.db, timedelta(days=29))
    cleaning = RunCleaning(archive.db)
    async with archive.db.transaction() as tx:
        await settings.change(tx, ENGINE, KEEP_RUNS, timedelta(days=1))
    assert await cleaning.run_once() == 1

    assert await archive.names() == ["tell", "both"]
    await archive.cancel(both)
    await clock.advance(archive.db, timedelta(days=2))
    assert await cleaning.run_once() == 2
    assert await archive.names() == []


async def test_it_looks_once_a_day(archive: Archive):
    cleaning = RunCleaning(archive.db)
    await archive.run(TELL)
    await clock.advance(archive.db, timedelta(days=90, minutes=-5))
    assert await cleaning.run_once() == 0
    await clock.advance(archive.db, timedelta(hours=1))

    assert await cleaning.run_once() == 0
    await clock.advance(archive.db, timedelta(hours=23))
    assert await cleaning.run_once() == 1


async def test_they_go_in_portions_and_one_that_is_being_retried_is_passed_over(archive: Archive):
    runs = [await archive.run(TELL) for _ in range(3)]
    failed = await archive.run(ASK)
    await archive.cancel(failed)
    await clock.advance(archive.db, timedelta(days=2))

    async with archive.db.transaction() as retrying, archive.db.transaction() as tx:
        await archive.flows.retry_from(retrying, archive.owner, failed, "ask")
        first = await delete_runs(tx, tx.now - timedelta(days=1), most=2)
        second = await delete_runs(tx, tx.now - timedelta(days=1), most=2)

    assert [[one.id for one in portion] for portion in (first, second)] == [runs[:2], runs[2:]]
    assert await archive.names() == ["ask"]
