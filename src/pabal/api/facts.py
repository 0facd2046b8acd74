"""Facts: what happened, as a list and as it happens."""

from typing import Annotated

from fastapi import Header, Query
from fastapi.responses import Response

from pabal.api.parts import noun
from pabal.platform.web.filters import Org, split_commas
from pabal.platform.web.identify import Visitor
from pabal.platform.web.live import live_of
from pabal.platform.web.rest import rest
from pabal.resources.work import FACT

router = noun("facts")
rest(router, FACT)
_EXAMPLE = 'id: 100:104:\nevent: settings.changed\ndata: {"seq":7,"name":"settings.changed"}\n\n'


@router.get(
    "/events",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}}},
)
async def follow_facts(
    visit: Visitor,
    org: Annotated[Org, Query()] = None,
    topics: Annotated[
        str | None,
        Query(max_length=2000, description="Names of facts, separated by commas: `alert.*,settings.changed`."),
    ] = None,
    last_event_id: Annotated[
        str | None, Query(max_length=20_000, description="As the header, for those who cannot set one.")
    ] = None,
    resume: Annotated[
        str | None,
        Header(alias="Last-Event-ID", description="The `id` of the last event seen: what follows comes first."),
    ] = None,
) -> Response:
    """Follows facts as they happen, as server-sent events, with a heartbeat and from where one left off."""
    names = split_commas(topics) if topics else ["*"]
    return await live_of(visit.request).follow(visit, names, resume or last_event_id)
