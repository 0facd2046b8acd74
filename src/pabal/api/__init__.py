"""The REST edge of engine and platform: /api/v1. A file is one noun: parse, one action, answer. A noun that needs no
endpoint of its own is a line in `described`."""

from fastapi import Depends

from pabal.api import (
    backups,
    broker,
    bulk,
    bulks,
    described,
    facts,
    files,
    jobs,
    machines,
    me,
    notifications,
    schedules,
    why,
    workflows,
)
from pabal.api.parts import BASE
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.wings import Wing

__all__ = ["router"]

# in the order in which they are described
NOUNS = (
    *(jobs.router, schedules.router, why.router, machines.router, facts.router, described.events, workflows.router),
    *(bulk.router, bulks.router, described.approvals, described.alerts, notifications.router, described.audit),
    *(described.units, described.users, described.tokens, me.router, described.settings, files.router),
    *(described.servers, described.lanes, backups.router, broker.router, described.health, schedules.occurrences),
)

# who it is first, then how often, then whether the question makes sense
router = Wing(prefix=BASE, dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
for _noun in NOUNS:
    router.include_router(_noun)
