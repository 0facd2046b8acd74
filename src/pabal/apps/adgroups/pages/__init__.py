"""The console pages of ad groups. What has a word where others have a number comes first."""

from pabal.apps.adgroups.pages import (
    campaigns,
    delayed,
    group,
    group_form,
    groups,
    migration,
    migration_run,
    mismatches,
    serving,
)
from pabal.platform.web.wings import Wing

router = Wing(include_in_schema=False)
for page in (group_form, groups, group, campaigns, delayed, migration, migration_run, mismatches, serving):
    router.include_router(page.router)
