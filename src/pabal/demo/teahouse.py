"""The demo's work and schedules: one that boils every ten seconds, one that takes a while, one that always fails."""

import asyncio
from datetime import time, timedelta

from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.demo.kettle import Kettle, list_kettles, make_kettles, scrap_kettles, switch_on
from pabal.demo.orders import clear_orders, order_teas
from pabal.engine import queue, schedules
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Stopped
from pabal.engine.queue import NewJob
from pabal.engine.recurrence import Daily, Interval, Weekday, Weekly
from pabal.engine.schedules import NewSchedule, Overlap

ABOUT = "demo"
ZONE = "Asia/Seoul"
STEPS = 20
PAUSE = 0.5

kinds = Kinds()


class SpilledOver(PabalError, code="spilled_over"):
    """The kettle was too full."""


@kinds.plain("demo.greet")
async def greet(job: Job) -> None:
    await job.report({"said": f"Hello, {job.args.get('name', 'world')}!"})


@kinds.inside("demo.boil")
async def boil(tx: Tx, jobs: list[Job]) -> None:
    """Switches kettles on, in the transaction that ends the jobs; their timers switch them off."""
    wanted = {kettle for job in jobs for kettle in job.args.get("kettles", [])}
    there = [kettle.id for kettle in await list_kettles(tx) if kettle.id in wanted]
    await switch_on(tx, there, cause=f"job:{jobs[0].id}")


@kinds.plain("demo.brew")
async def brew(job: Job) -> Done | Stopped:
    """Ten seconds, with progress to look at. One that was cut short goes on where it was, so a server that stops need
    not wait for it."""
    for step in range((job.checkpoint or {"step": 0})["step"], STEPS):
        if job.stop is not None:
            return Stopped()
        await job.report({"percent": 100 * step // STEPS, "step": "우리는 중"})
        await asyncio.sleep(PAUSE)
        await job.save({"step": step + 1})
    await job.report({"percent": 100, "step": "다 됨"})
    return Done()


@kinds.plain("demo.spill")
async def spill(_job: Job) -> None:
    raise SpilledOver


async def open_up(tx: Tx) -> None:
    """Into an organisation that was just made: `platform.demo` calls it once."""
    kettles = await make_kettles(tx)
    await order_teas(tx, kettles)
    await queue.enqueue(tx, NewJob("demo.greet", {"name": "파발"}, about=ABOUT))
    for kettle in kettles[:2]:
        await queue.enqueue(tx, NewJob("demo.brew", about=_about(kettle), lane="stove", unit_id=kettle.unit_id))
    for new in _plan(tx, kettles):
        await schedules.put(tx, new)
    paused = await schedules.put(tx, _weekly(kettles[-1]))
    await schedules.pause(tx, paused.id, actor="demo")


async def close(tx: Tx) -> None:
    for schedule in await schedules.list_schedules(tx, limit=200):
        if schedule.kind.startswith("demo."):
            await schedules.delete(tx, schedule.id)
    await scrap_kettles(tx)
    await clear_orders(tx)


def _plan(tx: Tx, kettles: list[Kettle]) -> list[NewSchedule]:
    first, second, third = kettles[0], kettles[1], kettles[2]
    start = tx.now.replace(microsecond=0)
    return [
        NewSchedule(
            name="물 끓이기",
            kind="demo.boil",
            recurrence=Interval(timedelta(seconds=10), anchor=start),
            zone=ZONE,
            args={"kettles": [first.id, second.id]},
            about=_about(first),
            overlap=Overlap.SKIP,
            misfire_window=timedelta(minutes=1),
            unit_id=first.unit_id,
        ),
        NewSchedule(
            name="아침 차 우리기",
            kind="demo.brew",
            recurrence=Daily((time(9, 0),)),
            zone=ZONE,
            about=_about(second),
            lane="stove",
            unit_id=second.unit_id,
        ),
        NewSchedule(
            name="넘치는 주전자",
            kind="demo.spill",
            recurrence=Interval(timedelta(minutes=5), anchor=start),
            zone=ZONE,
            about=_about(third),
            overlap=Overlap.SKIP,
            unit_id=third.unit_id,
        ),
    ]


def _weekly(kettle: Kettle) -> NewSchedule:
    return NewSchedule(
        name="주간 물때 청소",
        kind="demo.greet",
        recurrence=Weekly((Weekday.MON,), (time(10, 0),)),
        zone=ZONE,
        about=_about(kettle),
        unit_id=kettle.unit_id,
    )


def _about(kettle: Kettle) -> str:
    return f"kettle:{kettle.id}"
