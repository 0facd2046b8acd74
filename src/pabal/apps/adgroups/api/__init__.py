"""The REST edge of ad groups: /api/v1/adgroups, in the seed's words. Parse, one action, answer."""

from fastapi import APIRouter, Depends

from pabal.apps.adgroups.api import (
    bulk,
    campaigns,
    delayed,
    events,
    groups,
    legacy,
    looking,
    runs,
    serving,
    setup,
)
from pabal.apps.adgroups.api.names import BASE
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate

__all__ = ["router"]

# what has a name of its own before what has an id
NOUNS = (campaigns, delayed, legacy, runs, serving, bulk, groups, events, looking, setup)

# who it is first, then how often, then whether the question makes sense
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
for _noun in NOUNS:
    router.include_router(_noun.router, prefix=BASE)
