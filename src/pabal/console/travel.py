"""The demo from the console: load it, take it out, and move its clock. All of it belongs to the head office, and exists
only on a server that was started with --demo.
"""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.base import clock
from pabal.base.errors import NotFound
from pabal.engine import listing
from pabal.platform import demo, tenants
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter()
TICKING = "demo"
STEPS = {"1m": timedelta(minutes=1), "1h": timedelta(hours=1)}


async def require_demo(visit: Visit) -> None:
    if not visit.site.is_demo:
        raise NotFound
    async with visit.read() as tx:
        await tenants.require_house(tx, visit.actor, Right.MANAGE, demo.AREA)


@router.post("/demo/advance")
async def advance(visit: Visitor, by: Annotated[str, Form()], back: Annotated[str, Form()] = "/") -> Response:
    await require_demo(visit)
    step = STEPS.get(by) or await _until_next(visit)
    if step is None:
        return visit.go(back, said=("Nothing is planned.", "예정된 일이 없습니다."))
    await clock.advance(visit.services.database, step)
    visit.site.wakeups.wake_all()
    return visit.go(back, said=("The clock moved.", "시계를 옮겼습니다."))


@router.post("/demo/load")
async def load(visit: Visitor) -> Response:
    await require_demo(visit)
    await demo.load(visit.services, visit.site.slices, visit.actor)
    return visit.go("/", said=("The demo is there.", "데모를 넣었습니다."))


@router.post("/demo/clear")
async def clear(visit: Visitor) -> Response:
    await require_demo(visit)
    await demo.clear(visit.services.database, visit.site.slices, visit.actor)
    return visit.go("/", said=("The demo is gone.", "데모를 지웠습니다."))


async def _until_next(visit: Visit) -> timedelta | None:
    async with visit.read() as tx:
        # the teahouse ticks every few seconds: what people wait for is an event of the apps
        machines = [machine.name for one in visit.site.slices if one.name == TICKING for machine in one.machines]
        coming = await listing.read_next_moments_without(tx, TICKING, machines)
        moments = [at for at in (coming.delayed_at, coming.schedule_at, coming.timer_at) if at is not None]
        return max(min(moments) - tx.now, timedelta(seconds=1)) if moments else None
