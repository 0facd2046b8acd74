"""A whole small program on Pabal, run as a process that a kill point may end; run again, it must finish everything.

`python -m tests.support.victim FOLDER` with PABAL_DATABASE_URL; exits 0 when nothing is left to do.
"""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from pabal import main as product
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.base.sql import load
from pabal.engine import schedules
from pabal.engine.facts import Fact, Subscriber, record
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome, Retry
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.recurrence import Once
from pabal.engine.schedules import NewSchedule
from pabal.engine.transitions import begin
from pabal.platform.controls import MachineControls, NotByHand
from pabal.platform.slice import Slice
from tests.support.victim_machine import MACHINE

SQL = load(__file__)
kinds = Kinds()


@kinds.plain("victim.plain")
async def plain(job: Job) -> Outcome | None:
    if job.args.get("fails_once") and job.attempt == 1:
        return Retry("once", after=timedelta(milliseconds=50))
    return None


@kinds.inside("victim.inside")
async def inside(tx: Tx, jobs: list[Job]) -> None:
    await tx.run(SQL.insert_effects, jobs=[job.id for job in jobs], what="inside")


class Errand:
    async def prepare(self, tx: Tx, job: Job) -> int:
        return job.id

    async def perform(self, job: Job, prepared: int) -> str:
        return "performed"

    async def record(self, tx: Tx, prepared: int, result: str) -> Outcome:
        await tx.run(SQL.insert_effects, jobs=[prepared], what="recorded")
        await record(tx, "victim.performed", f"job:{prepared}", {})
        return Done()

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await tx.run(SQL.insert_effects, jobs=[job.id], what="given up")


kinds.steps("victim.errand", Errand())


async def take_facts(tx: Tx, facts: list[Fact]) -> None:
    await tx.run(SQL.insert_effects, jobs=[fact.seq for fact in facts], what="delivered")


async def begin_story(tx: Tx) -> None:
    """Once: a second start finds the first one's rows and goes on with them."""
    if await tx.value(SQL.has_story):
        return
    subject = await tx.value(SQL.insert_subject)
    await begin(tx, MACHINE, [subject], actor="test")
    await schedules.put(
        tx,
        NewSchedule(
            name="soon", kind="victim.plain", recurrence=Once(tx.now + timedelta(milliseconds=300)), zone="UTC"
        ),
    )
    jobs = [NewJob("victim.plain", {"fails_once": n == 0}) for n in range(3)]
    jobs += [NewJob("victim.plain", lane=f"lane:{n % 2}") for n in range(4)]
    jobs += [NewJob("victim.plain", lane="lane:0", delay=timedelta(milliseconds=200))]
    jobs += [NewJob("victim.inside") for _ in range(3)] + [NewJob("victim.errand") for _ in range(3)]
    await enqueue_many(tx, jobs)


SLICE = Slice(
    "victim",
    kinds=kinds,
    machines=(MACHINE,),
    controls=(MachineControls(MACHINE, "machines", {event: NotByHand() for event in MACHINE.events}),),
    subscribers=(Subscriber("victim", ("victim.*", "victim_subject.*"), take_facts, from_start=True),),
    migrations=Path(__file__).parent / "victim_migrations",
    on_start=begin_story,
)


async def is_finished(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.is_finished))


async def run(folder: Path) -> None:
    settings = Settings(data_dir=folder, apps="tests.support.victim:SLICE")
    app = await product.build(settings, frozenset({"worker", "scheduler"}))
    await app.start()
    async with asyncio.timeout(30):
        while not await is_finished(app.database):
            await asyncio.sleep(0.02)
    await app.stop()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
