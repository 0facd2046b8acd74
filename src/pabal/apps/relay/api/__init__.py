"""The relay's endpoints: Kakao's webhook, what instances call, and what people's programs ask for."""

from pabal.apps.relay.api import openclaw, rest, sessions, webhook
from pabal.apps.relay.api.callers import DOORS
from pabal.platform.web.wings import Wing

__all__ = ["DOORS", "router"]

router = Wing()
router.include_router(webhook.router)
router.include_router(openclaw.router)
router.include_router(sessions.router)
router.include_router(rest.router)
