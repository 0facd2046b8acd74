"""What people's programs ask the relay for: /api/v1/relay, as `resources` describes it."""

from fastapi import APIRouter, Depends

from pabal.apps.relay.resources import NOUNS
from pabal.platform.web import endpoints
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest

BASE = "/api/v1/relay"

# who it is first, then how often, then whether the question makes sense
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_described = endpoints.noun("relay")
for _noun in NOUNS:
    rest(_described, _noun)
router.include_router(_described, prefix=BASE)
