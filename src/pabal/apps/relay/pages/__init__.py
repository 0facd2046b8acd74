"""The console pages of the relay. What has a word where others have a number comes first."""

from pabal.apps.relay.pages import accounts, connect, conversations, live, pairing, simulator, trace
from pabal.platform.web.wings import Wing

router = Wing(include_in_schema=False)
for page in (live, trace, conversations, accounts, pairing, connect, simulator):
    router.include_router(page.router)
