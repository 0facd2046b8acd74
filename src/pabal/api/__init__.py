"""The REST edge of engine and platform: /api/v1. Each file is one noun: parse, one action, answer."""

from fastapi import APIRouter, Depends

from pabal.api import (
    alerts,
    approvals,
    audit,
    backups,
    broker,
    bulk,
    bulks,
    events,
    facts,
    files,
    health,
    jobs,
    lanes,
    machines,
    me,
    notifications,
    schedules,
    servers,
    settings,
    tokens,
    units,
    users,
    why,
    workflows,
)
from pabal.api.parts import BASE
from pabal.platform.web.filters import refuse_unknown
from pabal.platform.web.identify import open_visit
from pabal.platform.web.limits import limit_rate

__all__ = ["router"]

NOUNS = (
    *(jobs, schedules, why, machines, facts, events, workflows, bulk, bulks, approvals, alerts, notifications, audit),
    *(units, users, tokens, me, settings, files, servers, lanes, backups, broker, health),
)

# who it is first, then how often, then whether the question makes sense
router = APIRouter(prefix=BASE, dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)])
for _noun in NOUNS:
    router.include_router(_noun.router)
router.include_router(schedules.occurrences)
