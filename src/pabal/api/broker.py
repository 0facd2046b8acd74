"""The broker: whether it answers, how far facts are behind, and what became of the events that came in."""

from fastapi.responses import Response

from pabal.api.parts import answer, noun
from pabal.platform import broker
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.rest import rest
from pabal.resources.broker import EVENT, BrokerView, view_broker

router = noun("broker")
rest(router, EVENT)


@router.get("/broker", response_model=model_of(BrokerView))
async def get_broker(visit: Visitor) -> Response:
    """Shows how the lines to the broker stand. They belong to the house: only people of the head office see them."""
    async with visit.read() as tx:
        found = await broker.describe(tx, visit.actor)
    return answer(view_broker(found, is_set=bool(visit.services.settings.broker_url)))
