"""Audit: who changed what, before and after, and from where."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.audit import ENTRY

router = noun("audit")
rest(router, ENTRY)
