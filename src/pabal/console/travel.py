"""The demo from the console: load it, take it out, and move its clock. All of it belongs to the head office, and exists
only on a server that was started with --demo.
"""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.base import clock
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine import listing
from pabal.platform import demo, tenants
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import back_to
from pabal.platform.web.visit import Visit, load_demo

router = APIRouter()
TICKING = "demo"
STEPS = {"1m": timedelta(minutes=1), "1h": timedelta(hours=1)}
AT_LEAST = timedelta(seconds=1)


async def require_demo(visit: Visit) -> None:
    if not visit.site.is_demo:
        raise NotFound
    async with visit.read() as tx:
        await tenants.require_house(tx, visit.actor, Right.MANAGE, demo.AREA)


@router.post("/demo/advance")
async def advance(visit: Visitor, by: Annotated[str, Form()], back: Annotated[str, Form()] = "/") -> Response:
    """Asks for it: the demo's servers take the clock there, through everything that falls due on the way."""
    await require_demo(visit)
    async with visit.change() as tx:
        to_at = tx.now + STEPS[by] if by in STEPS else await _find_next(tx, visit)
        if to_at is None:
            return visit.go(back, said=("Nothing is planned.", "예정된 일이 없습니다."))
        await clock.ask_trip(tx, to_at)
    visit.site.wakeups.wake_all()
    return visit.go(back, said=("The clock is on its way.", "시계를 옮기고 있습니다."))


@router.post("/demo/stay")
async def stay(visit: Visitor, back: Annotated[str, Form()] = "/") -> Response:
    await require_demo(visit)
    async with visit.change() as tx:
        await clock.end_trip(tx)
    return visit.go(back, said=("The clock stays where it is.", "시계를 여기서 멈췄습니다."))


@router.get("/demo/clock")
async def show_clock(visit: Visitor, back: str = "/") -> Response:
    """The ribbon alone, for a page that is open while the clock moves."""
    if not visit.site.is_demo:
        raise NotFound
    if not visit.is_fragment:
        return visit.go("/")
    async with visit.read() as tx:
        ribbon = await load_demo(tx, visit, await tenants.visible_to(tx, visit.actor))
    return await visit.show("demo_clock.html", **ribbon, ribbon_back=back_to(back, "/"))


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


async def _find_next(tx: Tx, visit: Visit) -> datetime | None:
    # the teahouse ticks every few seconds: what people wait for is an event of the apps
    machines = [machine.name for one in visit.site.slices if one.name == TICKING for machine in one.machines]
    coming = await listing.read_next_moments_without(tx, TICKING, machines)
    moments = [at for at in (coming.delayed_at, coming.schedule_at, coming.timer_at) if at is not None]
    return max(min(moments), tx.now + AT_LEAST) if moments else None
