"""An example that moves by itself, `pabal up --demo`: a job, a schedule every ten seconds, a machine with a timer."""

from datetime import timedelta
from pathlib import Path

from pabal.base.database import Tx
from pabal.demo.kettle import KETTLE, fill_kettle, switch_on
from pabal.engine import queue, schedules
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule, Overlap
from pabal.platform.slice import Slice

EVERY = timedelta(seconds=10)

kinds = Kinds()


@kinds.plain("demo.greet")
async def greet(job: Job) -> None:
    await job.report({"said": f"Hello, {job.args.get('name', 'world')}!"})


@kinds.inside("demo.boil")
async def boil(tx: Tx, jobs: list[Job]) -> None:
    """Switches the kettle on, in the transaction that ends the job; its timer switches it off."""
    await switch_on(tx, cause=f"job:{jobs[0].id}")


async def on_start(tx: Tx) -> None:
    await fill_kettle(tx)
    if await schedules.list_schedules(tx, about="demo", limit=1):
        return
    await queue.enqueue(tx, NewJob("demo.greet", {"name": "파발"}, about="demo"))
    boiling = NewSchedule(
        name="Boil the kettle",
        kind="demo.boil",
        recurrence=Interval(EVERY, anchor=tx.now.replace(microsecond=0)),
        zone="UTC",
        about="demo",
        overlap=Overlap.SKIP,
        misfire_window=timedelta(minutes=1),
    )
    await schedules.put(tx, boiling)


SLICE = Slice(
    "demo", kinds=kinds, machines=(KETTLE,), migrations=Path(__file__).parent / "migrations", on_start=on_start
)
