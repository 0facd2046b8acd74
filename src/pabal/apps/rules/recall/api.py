"""/api/v1/rules/cases, as `resources` describes it."""

from fastapi import APIRouter, Depends

from pabal.apps.rules.recall.resources import CASE
from pabal.platform.web import endpoints
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest

_described = endpoints.noun("rules")
rest(_described, CASE)
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
router.include_router(_described, prefix="/api/v1/rules")
