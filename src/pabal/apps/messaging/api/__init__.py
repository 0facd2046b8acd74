"""The REST edge of messaging: /api/v1/messages, and the paths of the system it replaces. Parse, one action, answer."""

from fastapi import Depends

from pabal.apps.messaging.api import deliveries, files, kb, rooms, schedules, statistics
from pabal.apps.messaging.api.parts import BASE, noun
from pabal.apps.messaging.resources import NOUNS, REPORTS
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.rest import rest, rest_report
from pabal.platform.web.wings import Wing

__all__ = ["router"]

MODULES = (schedules, rooms, deliveries, statistics, files)

# who it is first, then how often, then whether the question makes sense
router = Wing(dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
router.include_router(kb.router, prefix=kb.PREFIX)
for _module in MODULES:
    router.include_router(_module.router, prefix=BASE)
_described = noun()
for _noun in NOUNS:
    rest(_described, _noun)
for _report in REPORTS:
    rest_report(_described, _report)
router.include_router(_described, prefix=BASE)
