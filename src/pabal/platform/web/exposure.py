"""Who may read what describes this server, its metrics and its endpoints: a start-up setting says."""

from fastapi import Request

from pabal.base.errors import NotFound
from pabal.base.settings import Exposure
from pabal.platform.actor import Right
from pabal.platform.tenants import require_house
from pabal.platform.web.identify import find_visit, site_of

METRICS = "metrics"


async def require_metrics_reader(request: Request, exposure: Exposure) -> None:
    """They count for all units together, so a token must be the head office's."""
    if exposure == "off":
        raise NotFound
    if exposure == "token":
        visit = await find_visit(request)
        async with visit.services.identity.transaction() as tx:
            await require_house(tx, visit.actor, Right.READ, METRICS)


async def require_docs_reader(request: Request) -> None:
    """It describes code and nobody's data: whoever is known may read it."""
    exposure = site_of(request).services.settings.exposure("openapi")
    if exposure == "off":
        raise NotFound
    if exposure == "token":
        await find_visit(request)
