"""Statistics: the queue now, the last day, and a period by composition, day and reason."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.pages.page_texts import QUEUE, TOPICS, reason_of, show_seconds
from pabal.apps.rendering.resources.rows import read_statistics
from pabal.apps.rendering.resources.statistics import MOST_DAYS, StatisticsFilter
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, read_number
from pabal.platform.web.rest import viewer_of

router = APIRouter(prefix=f"{QUEUE}/statistics", include_in_schema=False)
PERIODS = (1, 7, 30, 90)


class Filters(BaseModel):
    days: Word = ""

    @property
    def period(self) -> int:
        return min(read_number(self.days) or 7, MOST_DAYS)


@router.get("")
async def show(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        wanted = StatisticsFilter(days=filters.period)
        found = await read_statistics(tx, visit.scope, wanted, viewer_of(visit))
    return await visit.show(
        "rendering/statistics.html",
        found=found,
        period=filters.period,
        periods=PERIODS,
        most=max((one.completed + one.failed + one.cancelled for one in found.days), default=0),
        reasons=[(reason_of(visit, one.code), one.count) for one in found.reasons],
        seconds=lambda seconds: "–" if seconds is None else show_seconds(visit, timedelta(seconds=seconds)),
        live_topics=TOPICS,
    )
