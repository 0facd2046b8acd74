"""The console pages of rules. What has a word where others have an id comes first."""

from pabal.apps.rules.heartbeats import pages as heartbeats
from pabal.apps.rules.pages import form, rules, runs, sources
from pabal.apps.rules.plans import pages as plans
from pabal.apps.rules.recall import pages as recall
from pabal.platform.web.wings import Wing

router = Wing(include_in_schema=False)
for page in (heartbeats, plans, recall, runs, sources, form, rules):
    router.include_router(page.router)
