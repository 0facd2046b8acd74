"""Of rooms, what is not described: a bot taken out of one, and a room's budget."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.actions.checking import read_budget
from pabal.apps.messaging.api.parts import Number, noun
from pabal.apps.messaging.resources.rooms import ROOM, BudgetView, view_budget
from pabal.platform.operating.model import tried
from pabal.platform.web.etags import answer_one
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.rest import DryRun, answer_row, find_row, match_row

router = noun()


@router.delete("/rooms/{id}/bots/{bot_id}", response_model=model_of(ROOM.shows))
async def remove_room_bot(
    visit: Visitor,
    id: Number,
    bot_id: Number,
    confirm: Annotated[bool, Query(description="Also when schedules depend on it.")] = False,
    dry_run: DryRun = False,
) -> Response:
    """Takes a bot that has left a room out of it, so that the name is free again. A message it hears brings it back."""
    async with visit.change() as tx, tried(tx, dry_run=dry_run):
        await match_row(tx, visit, ROOM, id)
        room = await actions.remove_bot(tx, visit.actor, id, bot_id, confirm=confirm)
    return answer_row(visit, ROOM, room)


@router.get("/rooms/{id}/budget", response_model=model_of(BudgetView))
async def get_room_budget(
    visit: Visitor,
    id: Number,
    components: Annotated[int, Query(ge=1, le=3, description="Of how many messages the next send is made.")] = 1,
) -> Response:
    """Says how much of a room's limits is used, which of them binds, and when the next send may begin."""
    async with visit.read() as tx:
        room = await find_row(tx, visit, ROOM, id)
        budget = await read_budget(tx, room, components=components)
    return answer_one(visit, view_budget(budget, room))
