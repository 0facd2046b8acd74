"""The servers of bots and their load. Statistics are described in resources/statistics.py."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from pabal.apps.messaging.api.parts import may_read, noun
from pabal.apps.messaging.resources.statistics import BotServerView, view_server
from pabal.apps.messaging.store.bots import list_servers
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all

router = noun()


@router.get("/load", response_model=Page[model_of(BotServerView)])  # type: ignore[misc]  # made from the view
async def list_bot_servers(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the servers of bots with their load. They belong to the house: who sees only a part of it sees none."""
    may_read(visit)
    async with visit.read() as tx:
        found = await list_servers(tx) if visit.scope.units is None else []
    return answer_all([view_server(one) for one in found])
