"""The endpoints: everything the description has. They call the same actions as the page, so there is one behaviour."""

from fastapi import APIRouter, Depends

from lostfound.resources import ITEM
from pabal.platform.web.endpoints import noun
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest

# who it is, how often, and whether the question makes sense: as for every endpoint
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_described = noun("lostfound")
rest(_described, ITEM)
router.include_router(_described, prefix="/api/v1")
