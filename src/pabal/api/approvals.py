"""Approvals: what waits for a person's yes or no in any app."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.approvals import APPROVAL

router = noun("approvals")
rest(router, APPROVAL)
