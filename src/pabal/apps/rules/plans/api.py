"""/api/v1/plans and /api/v1/plan-models, as `resources` describes them."""

from fastapi import APIRouter, Depends

from pabal.apps.rules.plans.resources import MODEL_USE, PLAN
from pabal.platform.web import endpoints
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest

_described = endpoints.noun("rules")
rest(_described, PLAN)
rest(_described, MODEL_USE)
router = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
router.include_router(_described, prefix="/api/v1")
