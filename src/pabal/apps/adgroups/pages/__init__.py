"""The console pages of ad groups. What has a word where others have a number comes first."""

from fastapi import APIRouter

from pabal.apps.adgroups.pages import (
    bulk,
    campaigns,
    delayed,
    editing,
    flags,
    group,
    groups,
    history,
    inventory,
    life,
    migration,
    mismatches,
    run,
    serving,
    setup,
    waiting,
)

router = APIRouter(include_in_schema=False)
for page in (
    *(editing, bulk, groups, group, life, history, setup),
    # the pages beside them
    *(campaigns, inventory, delayed, waiting, migration, flags, run, mismatches, serving),
):
    router.include_router(page.router)
