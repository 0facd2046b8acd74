"""The REST edge of rules: /api/v1/rules and /api/v1/rule-executions as `resources` describes them, and /api/v1/tick."""

from fastapi import APIRouter, Depends

from pabal.apps.rules.api import tick
from pabal.apps.rules.heartbeats import api as heartbeats
from pabal.apps.rules.plans import api as plans
from pabal.apps.rules.recall import api as recall
from pabal.apps.rules.resources import NOUNS
from pabal.platform.web import endpoints
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest
from pabal.platform.web.wings import Wing

__all__ = ["DOORS", "router"]

BASE = "/api/v1"
DOORS = heartbeats.DOORS
# who it is first, then how often, then whether the question makes sense
_asked = APIRouter(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
_described = endpoints.noun("rules")
for _noun in NOUNS:
    rest(_described, _noun)
for _part in (_described, tick.router):
    _asked.include_router(_part, prefix=BASE)
router = Wing()
# what has a word where a rule has its id comes first
for _one in (heartbeats.router, recall.router, plans.router, _asked):
    router.include_router(_one)
