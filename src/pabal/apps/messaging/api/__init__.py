"""The REST edge of messaging: /api/v1/messages, and the paths of the system it replaces. Parse, one action, answer."""

from fastapi import APIRouter, Depends

from pabal.apps.messaging.api import (
    archives,
    bots,
    deliveries,
    images,
    kb,
    rooms,
    schedules,
    statistics,
    templates,
    verbs,
)
from pabal.apps.messaging.api.parts import BASE
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate

__all__ = ["router"]

NOUNS = (schedules, verbs, templates, rooms, bots, deliveries, archives, statistics, images)

# who it is first, then how often, then whether the question makes sense
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
router.include_router(kb.router, prefix=kb.PREFIX)
for _noun in NOUNS:
    router.include_router(_noun.router, prefix=BASE)
