"""Heartbeats over HTTP: what jobs elsewhere call, and /api/v1/rules/heartbeats as `resources` describes it."""

from fastapi import APIRouter, Depends

from pabal.apps.rules.heartbeats import door
from pabal.apps.rules.heartbeats.door import DOORS
from pabal.apps.rules.heartbeats.resources import HEARTBEAT
from pabal.platform.web import endpoints
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest

__all__ = ["DOORS", "router"]

_described = endpoints.noun("rules")
rest(_described, HEARTBEAT)
_asked = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_asked.include_router(_described, prefix="/api/v1/rules")
router = APIRouter()
router.include_router(door.router)
router.include_router(_asked)
