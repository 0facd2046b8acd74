"""POST /api/v1/tick: looks for what is due now. The server's own loop does so anyway; two at once run nothing twice."""

from typing import Annotated

from fastapi import Body
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.rules.model.rules import AREA, RUN
from pabal.engine import schedules, ticks
from pabal.platform.actor import Right
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import Asked, Shown, answer
from pabal.platform.web.identify import Visitor

router = endpoints.noun("rules")
# of one visitor: more rules than that are not counted
MOST = 1000


class TickAsked(Asked):
    limit: int = Field(default=100, ge=1, le=1000, description="At most so many schedules at a time.")


class TickShown(Shown):
    """`processed`: how many schedules were due and moved on, whichever app they are of. What was due of rules runs in
    the background: see /api/v1/rule-executions."""

    processed: int = Field(examples=[2])
    due: int = Field(description="Rules in sight that were due.", examples=[1])


@router.post("/tick", response_model=TickShown)
async def tick(visit: Visitor, asked: Annotated[TickAsked | None, Body()] = None) -> Response:
    """Looks for rules that are due, enqueues each once, and moves its next_run_at on."""
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        found = await schedules.list_schedules(tx, units=visit.scope.listed, kind=RUN, limit=MOST)
        due = sum(not one.is_paused and one.next_at is not None and one.next_at <= tx.now for one in found)
    processed = await ticks.tick_once(visit.services.database, most=(asked or TickAsked()).limit)
    return answer(TickShown(processed=processed, due=due))
