"""Of deliveries, what is not described: what became of everything that was due just now."""

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.messaging.api.parts import may_read, noun
from pabal.apps.messaging.resources.deliveries import RecentDeliveryView, view_recent
from pabal.apps.messaging.store.deliveries import list_recent
from pabal.platform.resources import BadParameter
from pabal.platform.web.filters import Moment
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all

router = noun()
RECENT, LONGEST_RECENT = timedelta(minutes=5), timedelta(days=1)


class SinceWhen(Plain):
    since: Annotated[
        Moment | None, Field(alias="from", description="Due from then on; without it, in the last five minutes.")
    ] = None


@router.get("/deliveries/recent", response_model=Page[model_of(RecentDeliveryView)])  # type: ignore[misc]  # made from the view
async def list_recent_deliveries(visit: Visitor, wanted: Annotated[SinceWhen, Query()]) -> Response:
    """Says what became of everything due in the last five minutes: not_sent, retry_needed or sent."""
    may_read(visit)
    async with visit.read() as tx:
        since = wanted.since or tx.now - RECENT
        if since < tx.now - LONGEST_RECENT:
            raise BadParameter("from: at most a day ago")
        found = await list_recent(tx, visit.scope.listed, since)
    return answer_all([view_recent(one) for one in found])
