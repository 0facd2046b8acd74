"""The console pages of messaging. What has a word where others have a number comes first."""

from pabal.apps.messaging.pages import (
    bots,
    deliveries,
    form,
    form_post,
    groups,
    rooms,
    schedules,
    statistics,
    templates_,
)
from pabal.platform.web.wings import Wing

router = Wing(include_in_schema=False)
for page in (form_post, form, schedules, templates_, groups, rooms, bots, deliveries, statistics):
    router.include_router(page.router)
