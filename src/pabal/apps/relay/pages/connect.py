"""How to connect: what to paste into OpenClaw and Hermes, and the address and header for the skill of the channel."""

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.relay.hub import hub_of
from pabal.apps.relay.model.messages import AREA
from pabal.apps.relay.pages.page_texts import address_of
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor

router = APIRouter(include_in_schema=False)


@router.get("/relay/connect")
async def show(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    startup, address = hub_of(visit.services).startup, address_of(visit)
    return await visit.show(
        "relay/connect.html",
        address=address,
        is_https=address.startswith("https://"),
        header=startup.secret_header,
        has_secret=bool(startup.secret),
        channel=startup.channel_url,
    )
