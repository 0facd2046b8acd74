"""The console: pages of the engine and the platform. A route reads the visit, calls one query or action, and shows."""

from pathlib import Path

from pabal.console import (
    account,
    alert,
    alerts,
    approvals,
    audit,
    backup,
    broker,
    bulks,
    channels,
    entry,
    events,
    facts,
    health,
    jobs,
    machines,
    notifications,
    occurrences,
    overview,
    people,
    schedules,
    search,
    servers,
    settings,
    subject,
    tokens,
    travel,
    users,
    why,
    workflows,
)
from pabal.platform.web.wings import Wing

TEMPLATES = Path(__file__).parent / "templates"

router = Wing(include_in_schema=False)
for page in (
    overview,
    approvals,
    bulks,
    health,
    servers,
    alerts,
    alert,
    notifications,
    channels,
    jobs,
    schedules,
    occurrences,
    machines,
    subject,
    facts,
    events,
    workflows,
    audit,
    people,
    users,
    tokens,
    settings,
    backup,
    broker,
    search,
    why,
    entry,
    account,
    travel,
):
    router.include_router(page.router)
